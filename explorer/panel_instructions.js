// The hardware catalogue: which lane and register holds what of the matrices of an instruction.
//
// The chosen instruction is drawn with all of its operands; each can become a layout of the page,
// as the expression that Heddle reads:
//
//   operandText("v_mfma_f32_32x32x8f16", "cdna2", "A")
//   'instruction_layout("v_mfma_f32_32x32x8f16", "A", arch="cdna2")'

import {diagnostic} from "heddle/diagnostic.js";
import {h, put, takeTurn} from "heddle/dom.js";
import {drawing} from "heddle/panel_drawing.js";
import {answered, asking, askedOf, choice, counted, field, table, taking}
  from "heddle/panel_parts.js";

export const name = "instructions";
export const title = "Instructions";

const mostNames = 200;
const quoted = (text) => JSON.stringify(text);

/** The layout of an operand as an expression. */
export function operandText(instruction, machine, operand) {
  const arch = machine ? `, arch=${quoted(machine)}` : "";
  return `instruction_layout(${quoted(instruction)}, ${quoted(operand)}${arch})`;
}

/** The names of a list of words, of which at most `most` that have the filter's words in them. */
export function matching(list, filter, most = mostNames) {
  const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const all = list.split(/\s+/).filter((one) => one !== "");
  const found = all.filter((one) => words.every((word) => one.toLowerCase().includes(word)));
  return {names: found.slice(0, most), left: Math.max(found.length - most, 0)};
}

const sizes = (record) =>
  Object.entries(record).map(([key, value]) => `${key} ${value}`).join(", ");

/** What each operand is, and where its elements are. */
export function operandTable(report, keep) {
  const head = `M, N, K = ${report.shape.join(", ")}; ${counted(report.lanes, "lane")}; ` +
    `${report.machine}`;
  return h("div", {},
    table(head, ["", "type", "size", "places", "held as", ""], report.operands.map((operand) => [
      operand.name, `${operand.type}, ${counted(operand.bits, "bit")}`, sizes(operand.dims),
      sizes(operand.places), operand.fragment,
      h("button", {type: "button",
        onclick: () => keep(operandText(report.name, report.machine, operand.name),
          operand.name)}, "take it"),
    ])),
    report.note && h("p", {class: "note"}, report.note),
    h("p", {class: "source"}, "source: ", report.source));
}

function nameList(list, asked, chosen, set) {
  const {names, left} = matching(list, asked.filter);
  return h("div", {},
    h("ul", {class: "names"}, names.map((one) => h("li", {},
      h("button", {type: "button", "aria-pressed": String(one === chosen),
        onclick: () => set({instruction: one})}, one)))),
    names.length === 0 && h("p", {class: "note"}, "none has these words in its name"),
    left > 0 && h("p", {class: "note"}, `${left} more; a longer filter finds them`));
}

/** Draws the panel: machines, their instructions, and the operands of the chosen one. */
export async function show(element, state, ask, update) {
  const isLast = takeTurn(element);
  const asked = {machine: "sm_90", filter: "", instruction: "", ...askedOf(state, name)};
  const set = (change) => update((now) => asking(now, name, change));
  const keep = (layout, operand) => update((now) => taking(now, layout, operand));
  const [machines, list] = await Promise.all([ask("machines"),
    ask("instructions", [asked.machine])]);
  const chosen = asked.instruction;
  const call = `instruction(${quoted(chosen)}, arch=${quoted(asked.machine)})`;
  const [report, picture] = chosen === "" ? [] : await Promise.all([
    ask("instruction", [chosen], {arch: asked.machine}),
    ask("picture", [call], {format: "json"})]);
  if (!isLast()) return;
  if (!machines.ok) return put(element, diagnostic(machines.error));
  put(element,
    h("div", {class: "form"},
      choice("Machine", asked.machine, matching(machines.result, "", Infinity).names,
        (machine) => set({machine, instruction: ""})),
      field("Words of the name", asked.filter, (filter) => set({filter}),
        {placeholder: "16x8x16 f16"})),
    answered(list, (names) => nameList(names, asked, chosen, set)),
    report && h("section", {}, h("h2", {}, chosen),
      answered(report, (one) => operandTable(one, keep)),
      answered(picture, (model) => drawing(model, "who holds what"))));
}
