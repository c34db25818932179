// The layout in every system's notation, or why a system has none.
//
//   cute      ((2,2),(2,4)):((1,4),(2,8))                                    copy
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
  if (layout?.tiler !== undefined) return `${layout.layout}  tile ${layout.tiler}`;
  return JSON.stringify(layout?.table ?? layout);
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
  if (!isCurrent()) return;
  const hold = (held) => update({held});
  put(element, ok
    ? h("table", {class: "notations"}, h("tbody", {}, notationRows(result, hold)))
    : diagnostic(error));
}
