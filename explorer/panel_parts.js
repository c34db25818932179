// What the panels have in common: how a refusal, a verdict, a table or a code is shown.
//
// Each is a function from a part of an answer to a tree of the page (heddle/dom.js), so that tests
// read what it shows without a browser.
//
//   refusal({code: "composition.no_layout", message: "…", witness: {coordinate: "4", …}})
//   verdict({verdict: "no", method: "digit form", counterexample: {…}}, hold)

import {h} from "heddle/dom.js";

/** The witness of a refusal or of a "no" as a sentence, or null if there is none. */
export function witnessSentence(witness) {
  if (!witness) return null;
  const {coordinate, found, wanted} = witness;
  const at = coordinate ? `at ${coordinate}: ` : "";
  return wanted ? `${at}${found}, where ${wanted} is needed` : `${at}${found}`;
}

/** A refusal, as its Diagnostic says it: message, numbers, witness, and what to do. */
export function refusal(error) {
  const witness = witnessSentence(error.witness);
  return h("div", {class: "refusal", role: "status"},
    h("p", {}, error.message),
    (error.notes ?? []).map((note) => h("p", {class: "note"}, note)),
    witness && h("p", {class: "witness"}, "witness ", witness),
    error.hint && h("p", {class: "hint"}, "hint: ", error.hint),
    h("p", {class: "code"}, h("code", {}, error.code)));
}

/** The flat number of the coordinate at which a "no" was found, or null. */
export function heldBy(answer) {
  return answer?.counterexample?.numbers?.flat ?? null;
}

/**
 * Whether a claim holds, by which method, and the counterexample, which a click holds in the
 * picture.
 */
export function verdict(answer, hold) {
  const flat = heldBy(answer);
  return h("div", {class: `verdict ${answer.verdict}`},
    h("strong", {}, answer.verdict), h("span", {class: "method"}, ` ${answer.method}`),
    answer.counterexample &&
      h("p", {class: "witness"}, witnessSentence(answer.counterexample), " ",
        flat !== null && h("button", {type: "button", onclick: () => hold(flat)}, "show it")),
    answer.remark && h("p", {class: "note"}, answer.remark));
}

/** A table with a caption; cells are trees or texts. */
export function table(caption, heads, rows) {
  return h("table", {},
    h("caption", {}, caption),
    heads.length > 0 &&
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", {scope: "col"}, head)))),
    h("tbody", {}, rows.map(([first, ...others]) => h("tr", {}, h("th", {scope: "row"}, first),
      others.map((cell) => h("td", {}, cell))))));
}

/** A labelled field of a text, of several lines if it has `rows`. */
export function field(label, value, onchange, attributes = {}) {
  const control = attributes.rows ? "textarea" : "input";
  return h("label", {class: "field"}, h("span", {}, label),
    h(control, {value, onchange: (event) => onchange(event.target.value), spellcheck: "false",
      autocomplete: "off", ...attributes}));
}

/** A labelled choice among texts; an option is a text, or a pair of value and text. */
export function choice(label, value, options, onchange) {
  const pairs = options.map((option) => Array.isArray(option) ? option : [option, option]);
  return h("label", {class: "field"}, h("span", {}, label),
    h("select", {value, onchange: (event) => onchange(event.target.value)},
      pairs.map(([name, text]) => h("option", {value: name}, text))));
}

/** A code with a button that copies it. */
export function code(label, text) {
  const copy = (event) => {
    const button = event.currentTarget;
    navigator.clipboard.writeText(text).then(
      () => { button.textContent = "copied"; }, () => { button.textContent = "not allowed"; });
  };
  return h("figure", {class: "code"},
    h("figcaption", {}, label, " ", h("button", {type: "button", onclick: copy}, "copy")),
    h("pre", {tabindex: "0"}, h("code", {}, text)));
}

/** An answer drawn by `draw`, or its refusal; a page that waits says so. */
export function answered(answer, draw) {
  if (answer === null) return h("p", {class: "waiting"}, "…");
  return answer.ok ? draw(answer.result) : refusal(answer.error);
}

/** A count with its noun: "1 lane", "2 lanes", "2 branches". */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** What a panel was asked last; its fields are options of the state, and so in the address. */
export function askedOf(state, panel) {
  return state.options.panels?.[panel] ?? {};
}

/** The change that asks a panel something else. */
export function asking(state, panel, change) {
  const panels = {...state.options.panels, [panel]: {...askedOf(state, panel), ...change}};
  return {options: {...state.options, panels}};
}

/** The text of a layout in an answer: linear layouts are objects, which Heddle reads as JSON. */
export function textOfLayout(layout) {
  if (typeof layout === "string") return layout;
  if (typeof layout?.layout === "string" && layout.tiler) return `${layout.layout} tile ${layout.tiler}`;
  return JSON.stringify(layout);
}
