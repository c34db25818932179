// The layout in every system's notation, or why a system has none.
//
//   cute      ((2,2),(2,4)):((1,4),(2,8))                                    copy
//   encoding  #ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>   copy
//   linear    no linear layout has this map: f(1,0) = 9 and f(0,1) = 1, …    show (1,1)
//
// "show" holds the witness in the picture.

import {diagnostic} from "heddle/diagnostic.js";
import {h, put, takeTurn} from "heddle/dom.js";
import {copyText} from "heddle/export.js";
import {shapeArgument} from "heddle/requests.js";
import {chosenLayout} from "heddle/session.js";

export const name = "notations";
export const title = "Notations";
export const needsLayout = true;

const systems = {
  cute: "CuTe", cute_tv: "CuTe thread-value", linear: "Triton linear", axe: "Axe", lego: "LEGO",
  relation: "integer set", table: "table", encoding: "Triton encoding",
};
const longText = 400;

/** A notation's layout as the text one copies; a linear layout's is its JSON. */
export function textOfLayout(layout) {
  if (typeof layout === "string") return layout;
  if (layout?.tiler !== undefined) return `${layout.layout} tile ${layout.tiler}`;
  return JSON.stringify(layout?.table ?? layout);
}

/** An encoding of Triton as its dumps write it: `#ttg.linear<{register = [[0, 1]], lane = …}>`. */
export function encodingText({kind, layout, alignment}) {
  const given = Object.fromEntries(layout.ins);
  const list = (values) => `[${values.map((one) => (Array.isArray(one) ? list(one) : one))
    .join(", ")}]`;
  const isLinear = kind === "linear";
  const dims = isLinear ? ["register", "lane", "warp", "block"]
    : Object.keys(given).filter((dim) => given[dim].length > 0);
  const fields = dims.map((dim) => `${dim} = ${list(given[dim] ?? [])}`).join(", ");
  return `#ttg.${kind}<{${fields}}${isLinear ? "" : `, alignment = ${alignment}`}>`;
}

const memoryRemark = "of the layout as a memory; one from threads and values to a tile is written " +
  "with it, as (4,2):(2,1) tile <4,2>, and has an encoding of registers";

/**
 * The row of Triton's encoding for the rows of `show`; null if there is none. Registers have the
 * linear layout's bases; a memory is asked for as SharedLinearLayout, which turns it round.
 */
async function encodingRow(rows, ask, assume) {
  const layoutOf = (system) => rows.find((row) => row.system === system)?.layout;
  const [linear, cute] = [layoutOf("linear"), layoutOf("cute")];
  if (!linear) return null;
  const isOf = (dims, name) => dims[0]?.[0] === name;
  const row = (encoding, remark = "") =>
    ({system: "encoding", layout: encodingText(encoding), remark});
  if (isOf(linear.ins, "register")) return row({kind: "linear", layout: linear});
  const memory = isOf(linear.ins, "offset") ? linear : isOf(linear.outs, "offset") && cute;
  if (!memory) return null;
  const {ok, result, error} = await ask("SharedLinearLayout", [memory], {}, assume);
  const isOfThreads = layoutOf("cute_tv") !== undefined && memory === cute;
  return ok ? row(result, isOfThreads ? memoryRemark : "") : {system: "encoding", error};
}

/** What is said below a notation: its order of axes, and the proof that it is the same map. */
export function remarkOf({remark, same}) {
  const verdict = same?.verdict === "yes" ? "proved equal" : same?.verdict;
  const proof = same && `${verdict} (${same.method})`;
  return [remark, proof, same?.remark].filter(Boolean).join("; ");
}

/** The rows of the panel for an answer of `show`, as a tree. */
export function notationRows(result, hold) {
  return result.map((row) => {
    const system = systems[row.system] ?? row.system;
    if (row.error) return refusedRow(system, row.error, hold);
    const text = textOfLayout(row.layout);
    const shown = text.length > longText ? `${text.slice(0, longText)}…` : text;
    return h("tr", {key: row.system},
      h("th", {scope: "row"}, system),
      h("td", {}, h("code", {}, shown), h("p", {class: "remark"}, remarkOf(row))),
      h("td", {}, copyButton(system, text)));
  });
}

function refusedRow(system, error, hold) {
  return h("tr", {class: "refused", key: `${system} refused`},
    h("th", {scope: "row"}, system), h("td", {colspan: "2"}, diagnostic(error, hold)));
}

const copyButton = (system, text) => h("button", {
  type: "button", "aria-label": `Copy ${system}`,
  onclick: async (event) => {
    const button = event.currentTarget;
    const error = await copyText(text);
    button.textContent = error ? "refused" : "copied";
    setTimeout(() => {
      button.textContent = "copy";
    }, 1200);
  },
}, "copy");

export async function show(element, state, ask, update) {
  const isCurrent = takeTurn(element);
  const {text} = chosenLayout(state);
  const {ok, result, error} = await ask("show", [text], shapeArgument(state.options),
    state.options.assume);
  const encoding = ok ? await encodingRow(result, ask, state.options.assume) : null;
  if (!isCurrent()) return;
  const isAbove = ({system}) => ["cute", "cute_tv", "linear"].includes(system);
  const rows = ok && [...result.filter(isAbove), ...(encoding ? [encoding] : []),
    ...result.filter((row) => !isAbove(row))];
  const hold = (held) => update({held});
  put(element, ok
    ? h("table", {class: "notations"}, h("tbody", {}, notationRows(rows, hold)))
    : diagnostic(error));
}
