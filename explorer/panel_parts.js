// What the panels have in common: how a verdict, a table, a field or a code is shown.
//
// Each is a function from a part of an answer to a tree of the page (heddle/dom.js), so that tests
// read what it shows without a browser.
//
//   verdict({verdict: "no", method: "digit form", counterexample: {…}}, hold)

import {Offers} from "heddle/completion.js";
import {diagnostic, witnessSentence} from "heddle/diagnostic.js";
import {h} from "heddle/dom.js";
import {copyText} from "heddle/export.js";
import {keptOptions, withLayout} from "heddle/session.js";

/** What to hold of a counterexample: its flat number, else its coordinate; null if it has none. */
export function heldBy(counterexample) {
  const {coordinate, numbers} = counterexample ?? {};
  return numbers?.flat ?? (coordinate ? {coordinate} : null);
}

/**
 * Whether a claim holds, by which method, and the counterexample, which a click holds in the
 * picture.
 */
export function verdict(answer, hold) {
  const held = heldBy(answer.counterexample);
  return h("div", {class: `verdict ${answer.verdict}`},
    h("strong", {}, answer.verdict), h("span", {class: "method"}, ` ${answer.method}`),
    answer.counterexample &&
      h("p", {class: "witness"}, witnessSentence(answer.counterexample), " ",
        held !== null && h("button", {type: "button", onclick: () => hold(held)}, "show it")),
    answer.remark && h("p", {class: "note"}, answer.remark));
}

/** A table with a caption; cells are trees or texts. */
export function table(caption, heads, rows) {
  return h("table", {},
    h("caption", {}, caption),
    heads.length > 0 &&
      h("thead", {}, h("tr", {}, heads.map((head) =>
        head === "" ? h("td") : h("th", {scope: "col"}, head)))),
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

/** What fields offer now, by their elements. */
const offering = new WeakMap();

function offerIn(element, hooks) {
  if (offering.has(element)) return Object.assign(offering.get(element), hooks);
  const now = {...hooks};
  offering.set(element, now);
  const input = element.querySelector("input");
  return new Offers(input, element.lastChild, {
    ask: (op) => now.ask(op), layouts: () => now.layouts, taken: () => {},
  });
}

/**
 * A labelled field for an expression, in which operations and layouts are offered by name. It asks
 * when Enter, or the button beside it, is pressed.
 */
export function expressionField(label, value, onchange, {ask, layouts}, attributes = {}) {
  const id = `offers-${label.replace(/\W+/g, "-")}`;
  return h("div", {class: "offering", made: (element) => offerIn(element, {ask, layouts})},
    field(label, value, onchange,
      {"aria-autocomplete": "list", "aria-controls": id, ...attributes}),
    h("button", {type: "button", class: "ask", title: "Enter asks, too",
      onclick: ({currentTarget}) =>
        onchange(currentTarget.parentElement.querySelector("input").value)}, "Ask"),
    h("ul", {class: "offers", id, role: "listbox", "aria-label": "Completions",
      made: () => {}}));
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
  const copy = async (event) => {
    const button = event.currentTarget;
    button.textContent = await copyText(text) ? "refused" : "copied";
  };
  return h("figure", {class: "code"},
    h("figcaption", {}, label, " ",
      h("button", {type: "button", "aria-label": `Copy ${label}`, onclick: copy}, "copy")),
    h("pre", {tabindex: "0"}, h("code", {}, text)));
}

/** The change that makes a text a layout of the page, chosen, under a name if it has one. */
export function taking(state, text, layout) {
  return {...withLayout(state, text, layout), options: keptOptions(state)};
}

/** An answer drawn by `draw`, or its refusal; a page that waits says so. */
export function answered(answer, draw) {
  if (answer === null) return h("p", {class: "waiting"}, "…");
  return answer.ok ? draw(answer.result) : diagnostic(answer.error);
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
