// Names that are offered below a field while one is typed: operations, and layouts by name.
//
//   new Offers(field, list, {ask, layouts: () => [{name: "B", text: "8:1"}], taken});
//
// Arrows choose, Tab takes, Escape closes the list.

import {h, put} from "heddle/dom.js";

const mostOffered = 12;

/** The name before the caret that may be completed, `{begin, word}`, or null. */
export function wordBefore(text, caret) {
  const word = /[A-Za-z_]\w*$/.exec(text.slice(0, caret))?.[0];
  const isInside = /^\w/.test(text.slice(caret));
  return word && word.length > 1 && !isInside ? {begin: caret - word.length, word} : null;
}

/** What a word may become: {name, detail}; those that begin with it come first. */
export function completions(word, operations, layouts) {
  const lower = word.toLowerCase();
  const all = [
    ...layouts.map(({name, text}) => ({name, detail: text})),
    ...operations.map(({name, signature, summary}) => ({name, detail: signature ?? summary})),
  ];
  const place = ({name}) => name.toLowerCase().indexOf(lower);
  // Operations of one name are offered once.
  const isFirst = ({name}, i) => all.findIndex((one) => one.name === name) === i;
  return all.filter((one, i) => place(one) >= 0 && one.name !== word && isFirst(one, i))
    .sort((a, b) => Math.min(place(a), 1) - Math.min(place(b), 1) ||
      a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, mostOffered);
}

/**
 * The list of offers of a field, which it follows; `layouts()` are those that may be named, and
 * `taken()` hears that an offer was taken.
 */
export class Offers {
  #area;
  #list;
  #hooks;
  #operations = null;
  #offers = [];
  #active = 0;

  constructor(area, list, hooks) {
    this.#area = area;
    this.#list = list;
    this.#hooks = hooks;
    list.hidden = true;
    area.addEventListener("input", () => this.#update());
    area.addEventListener("blur", () => this.#close());
    area.addEventListener("keydown", (event) => this.#press(event) && event.preventDefault());
  }

  /** Offers what fits to the word before the caret. */
  async #update() {
    if (this.#word() && this.#operations === null) {
      this.#operations = [];
      const {ok, result} = await this.#hooks.ask("operations");
      if (ok) this.#operations = result;
    }
    // More may have been typed while the operations were on their way.
    const at = this.#word();
    this.#offers = at ? completions(at.word, this.#operations, this.#hooks.layouts()) : [];
    this.#active = 0;
    this.#show();
  }

  #close() {
    this.#offers = [];
    this.#show();
  }

  /** Whether a key chose among the offers, took one or closed the list. */
  #press({key}) {
    const count = this.#offers.length;
    const step = {ArrowDown: 1, ArrowUp: -1}[key];
    if (count === 0) return false;
    if (step) this.#active = (this.#active + step + count) % count;
    else if (key === "Tab") this.#take(this.#active);
    else if (key === "Escape") this.#offers = [];
    else return false;
    this.#show();
    return true;
  }

  #word() {
    const {selectionStart: begin, selectionEnd: end, value} = this.#area;
    return begin === end ? wordBefore(value, begin) : null;
  }

  #take(index) {
    const caret = this.#area.selectionStart;
    const word = wordBefore(this.#area.value, caret);
    // The caret may have gone elsewhere since.
    if (word) this.#area.setRangeText(this.#offers[index].name, word.begin, caret, "end");
    this.#close();
    this.#hooks.taken();
  }

  #show() {
    const offers = this.#offers;
    const list = this.#list;
    list.hidden = offers.length === 0;
    put(list, offers.map(({name, detail}, i) => h("li", {
      role: "option", id: `${list.id}-${i}`, "aria-selected": String(i === this.#active),
      onpointerdown: (event) => {
        event.preventDefault();
        this.#take(i);
      },
    }, h("b", {}, name), h("span", {}, detail ?? ""))));
    if (offers.length === 0) this.#area.removeAttribute("aria-activedescendant");
    else this.#area.setAttribute("aria-activedescendant", `${list.id}-${this.#active}`);
  }
}
