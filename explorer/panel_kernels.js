// A kernel of the kernel language: how each of its operators is done, what else was weighed and why
// it was not taken, and the source. Nothing is compiled and nothing runs.
//
//   namesOf("kernel add(A: f32[N]) launch …")      // ["add"]
//   choiceTable({statement: "fill(acc, 0)", candidates: [{schedule: "element", taken: true}], …})

import {h, put, takeTurn} from "heddle/dom.js";
import {answered, asking, askedOf, choice, code, counted, field, table, taking}
  from "heddle/panel_parts.js";
import {textOfLayout} from "heddle/panel_notations.js";

export const name = "kernels";
export const title = "Kernels";

const targets = ["cuda", "cuda:sm_80", "opencl", "cpu"];

const example = `# B = transpose of A, through tiles in shared memory.
kernel transpose(A: f32[M,N], B: f32[N,M])
  launch cta ((M + 31) // 32, (N + 31) // 32), threads 256
{
  shared tile: f32[32,32]
  copy(tile, A[32*bx : +32, 32*by : +32])
  copy(B[32*by : +32, 32*bx : +32], tile.T)
}
`;

/** The button that opens the panel for the kernels in the box. */
export const kernelsButton = (update) => h("button", {
  type: "button",
  onclick: () => update((now) => ({...asking(now, name, {text: "", kernel: ""}), panel: name})),
}, "show how each statement is done");

/** The names of the kernels of a text, in its order. */
export function namesOf(text) {
  return [...text.matchAll(/^[ \t]*kernel\s+(\w+)/gm)].map(([, one]) => one);
}

/** The layout that a candidate of shared memory is, or null: `SW(0,5,5) o S[…]: 64 wavefronts`. */
export function layoutOf(statement, schedule) {
  const [layout] = schedule.split(": ");
  return statement.startsWith("shared ") && layout.includes("[") ? layout : null;
}

/** A statement with all of its candidates, in the order in which they are reported. */
export function choiceTable({statement, candidates, notes}, keep) {
  const [, tensor] = /^shared (\w+)/.exec(statement) ?? [];
  const rows = candidates.map(({schedule, taken, cost, reason}) => {
    const layout = layoutOf(statement, schedule);
    return [h("span", {class: taken ? "taken" : "not-taken"}, schedule),
      taken ? "taken" : "not taken", cost ?? "", reason ?? "", layout &&
        h("button", {type: "button", onclick: () => keep(layout, tensor)}, "draw it")];
  });
  return h("section", {},
    table(h("code", {}, statement), ["schedule", "", "cost", "why not", ""], rows),
    notes.map(({about, text}) => h("p", {class: "note"}, `${about}: ${text}`)));
}

/** The tensors of a kernel; those with a layout can be drawn. */
export function tensorTable(tensors, keep) {
  return table(counted(tensors.length, "tensor"), ["name", "where", "shape", "layout", ""],
    tensors.map(({name: tensor, space, type, shape, layout}) => {
      const text = layout && textOfLayout(layout);
      return [tensor, space, `${type}[${shape}]`, text ? h("code", {}, text) : "not written",
        text && h("button", {type: "button", onclick: () => keep(text, tensor)}, "draw it")];
    }));
}

/** A kernel as it is done. */
export function kernelReport(report, keep) {
  return h("div", {},
    h("p", {}, `${report.kernel}: ${counted(report.threads, "thread")} a block, `,
      `${counted(report.shared_bytes, "byte")} of shared memory`),
    report.tensors && tensorTable(report.tensors, keep),
    report.choices.map((made) => choiceTable(made, keep)));
}

/** Draws the panel for the text that it was given last, or for the kernels in the box. */
export async function show(element, state, ask, update) {
  const isLast = takeTurn(element);
  const given = {text: "", kernel: "", target: "cuda", ...askedOf(state, name)};
  const isInBox = given.text === "" && state.kernels.length > 0;
  const asked = isInBox ? {...given, text: state.pasted} : given;
  const set = (change) => update((now) => asking(now, name, change));
  const keep = (layout, tensor) => update((now) => taking(now, layout, tensor));
  const names = namesOf(asked.text);
  const kernel = names.includes(asked.kernel) ? asked.kernel : names[0];
  const call = kernel === undefined ? [asked.text] : [asked.text, kernel];
  const isAsked = asked.text.trim() !== "";
  const kwargs = {target: asked.target};
  const [report, source] = isAsked ? await Promise.all([
    ask("kernel_explain", call, kwargs), ask("kernel_source", call, kwargs)]) : [];
  if (!isLast()) return;
  put(element,
    field("A kernel, or a .heddle file with several", asked.text, (text) => set({text}),
      {rows: 10}),
    h("div", {class: "form"},
      !isAsked && h("button", {type: "button", onclick: () => set({text: example})},
        "an example: a transpose"),
      names.length > 1 && choice("Kernel", kernel, names, (one) => set({kernel: one})),
      choice("For", asked.target, targets, (target) => set({target}))),
    report && answered(report, (one) => kernelReport(one, keep)),
    source?.ok && h("details", {}, h("summary", {}, "source"), code(asked.target, source.result)));
}
