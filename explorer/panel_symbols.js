// Symbolic sizes: what is assumed of them, what holds for all of them, and a slider for each that
// draws the layout at one size.
//
//   sliderRange({size: "M", least: 128, greatest: null, divisor: 128})
//   // {min: 128, max: 32768, step: 128}: the slider stays within what is assumed

import {diagnostic} from "heddle/diagnostic.js";
import {h, put, takeTurn} from "heddle/dom.js";
import {answered, field, table, verdict} from "heddle/panel_parts.js";
import {shapeArgument} from "heddle/requests.js";
import {assumptionsOf, chosenLayout} from "heddle/session.js";

export const name = "symbols";
export const title = "Sizes";
export const needsLayout = true;

const mostOfSlider = 256;
const claims = ["injective", "bijective", "contiguous"];

/**
 * Where a slider goes, {min, max, step}, for what is known of a size: {least, greatest, divisor},
 * bounds that are not known null.
 */
export function sliderRange({least, greatest, divisor}) {
  const step = Math.max(divisor, 1);
  const min = Math.max(Math.ceil((least ?? 1) / step), 1) * step;
  const max = greatest === null ? min + (mostOfSlider - 1) * step
    : Math.floor(greatest / step) * step;
  return {min, max: Math.max(min, max), step};
}

/** A slider for a size with its number; a drag, or a number that is typed, is one step. */
function slider(range, value, set) {
  const {size} = range;
  const {min, max, step} = sliderRange(range);
  const attributes = {min, max, step, value: value ?? min,
    oninput: ({target}) => set(Number(target.value), `size ${size}`),
    onchange: ({target}) => set(Number(target.value))};
  return h("div", {class: "slider"},
    h("label", {class: "field"}, h("span", {}, size), h("input", {type: "range", ...attributes})),
    h("input", {type: "number", "aria-label": `${size}, as a number`, ...attributes}),
    value === undefined ? h("span", {class: "note"}, "any")
      : h("button", {type: "button", onclick: () => set(undefined)}, "any"));
}

/** What holds for all sizes, and at the sizes of the sliders. */
export function claimTable(answers, atSizes, hold) {
  return table("What holds", ["", "whatever the sizes", "at these sizes"], claims.map((claim, at) =>
    [claim, ...[answers, atSizes].map((column) =>
      column === null ? "" : answered(column[at], (answer) => verdict(answer, hold)))]));
}

/** Draws the panel: assumptions, sliders, and what holds. */
export async function show(element, state, ask, update) {
  const isLast = takeTurn(element);
  const {text} = chosenLayout(state);
  const {assume = "", sizes = {}} = state.options;
  const change = (part, within) =>
    update(({options}) => ({options: {...options, ...part(options)}}), within);
  const set = (size) => (value, within) => change(({sizes: {[size]: _, ...others} = {}}) =>
    ({sizes: value === undefined ? others : {...others, [size]: value}}), within);
  const all = (assumed) => Promise.all(claims.map((claim) => ask(claim, [text], {}, assumed)));
  const [report, answers, atSizes] = await Promise.all([
    ask("emit_report", [text], shapeArgument(state.options), assume),
    all(assume),
    Object.keys(sizes).length > 0 ? all(assumptionsOf(state.options)) : null,
  ]);
  if (!isLast()) return;
  const ranges = report.ok ? report.result.ranges : [];
  put(element,
    field("What is known of the sizes", assume, (known) => change(() => ({assume: known})),
      {placeholder: "M%128==0, K<=4096"}),
    !report.ok && diagnostic(report.error),
    report.ok && ranges.length === 0 && h("p", {class: "note"},
      "This layout has no symbolic sizes. (M,N):(N,1) has two."),
    ranges.map((range) => slider(range, sizes[range.size], set(range.size))),
    claimTable(answers, atSizes, (held) => update({held})));
}
