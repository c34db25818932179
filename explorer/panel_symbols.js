// Symbolic sizes: what is assumed of them, what holds for all of them, and a slider for each that
// draws the layout at one size.
//
//   stepOf("M", "M%128==0, N>=2")     // 128: the slider stays within what is assumed
//   boundsOf("N", "N>=2, N<=8")       // [2, 8]

import {h, put, takeTurn} from "heddle/dom.js";
import {answered, field, refusal, table, verdict} from "heddle/panel_parts.js";
import {assumptionsOf, chosenLayout} from "heddle/session.js";

export const name = "symbols";
export const title = "Sizes";

const mostOfSlider = 256;
const claims = ["injective", "bijective", "contiguous"];

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** By what the slider of a size moves: the number that is assumed to divide it, else 1. */
export function stepOf(size, assumed) {
  const one = escaped(size);
  const rest = `(?:^|[^\\w])${one}\\s*%\\s*(\\d+)\\s*==\\s*0`;
  const divides = `(\\d+)\\s*\\|\\s*${one}\\b`;
  const found = new RegExp(`${rest}|${divides}`).exec(assumed);
  return Math.max(Number(found?.[1] ?? found?.[2] ?? 1), 1);
}

/** The least and the greatest value of a slider, within the bounds that are assumed as numbers. */
export function boundsOf(size, assumed) {
  const one = `(?:^|[^\\w])${escaped(size)}\\s*`;
  const number = (pattern) => {
    const found = new RegExp(one + pattern).exec(assumed);
    return found ? Number(found[1]) : null;
  };
  const step = stepOf(size, assumed);
  const least = number(">=\\s*(\\d+)") ?? (number(">\\s*(\\d+)") ?? -1) + 1;
  const greatest = number("<=\\s*(\\d+)") ?? (number("<\\s*(\\d+)") ?? mostOfSlider * step + 1) - 1;
  return [Math.max(Math.ceil(least / step) * step, step), greatest];
}

function slider(size, value, assumed, set) {
  const [min, max] = boundsOf(size, assumed);
  const attributes = {min, max, step: stepOf(size, assumed), value: value ?? min,
    oninput: (event) => set(Number(event.target.value))};
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
  const change = (part) => update(({options}) => ({options: {...options, ...part(options)}}));
  const set = (size) => (value) => change(({sizes: {[size]: _, ...others} = {}}) =>
    ({sizes: value === undefined ? others : {...others, [size]: value}}));
  const all = (assumed) => Promise.all(claims.map((claim) => ask(claim, [text], {}, assumed)));
  const [report, answers, atSizes] = await Promise.all([
    ask("emit_report", [text], {}, assume),
    all(assume),
    Object.keys(sizes).length > 0 ? all(assumptionsOf(state.options)) : null,
  ]);
  if (!isLast()) return;
  const names = report.ok ? report.result.sizes : [];
  put(element,
    field("What is known of the sizes", assume, (known) => change(() => ({assume: known})),
      {placeholder: "M%128==0, K<=4096"}),
    !report.ok && refusal(report.error),
    report.ok && names.length === 0 && h("p", {class: "note"},
      "This layout has no symbolic sizes. (M,N):(N,1) has two."),
    names.map((size) => slider(size, sizes[size], assume, set(size))),
    claimTable(answers, atSizes, (held) => update({held})));
}
