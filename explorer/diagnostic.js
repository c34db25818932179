// An error as people read it, the same everywhere: what failed and its code, the place in the text,
// the numbers, the witness, and what helps.
//
//   diagnostic({code: "syntax.unbalanced", message: "'(' is not closed",
//               text: "(4,8", span: [0, 1]})
//
//   '(' is not closed  syntax.unbalanced
//   (4,8                                      with the first character marked

import {spanInCharacters} from "heddle/ask.js";
import {h} from "heddle/dom.js";

// So many characters are shown on both sides of a place.
const shownBeside = 60;

/** The witness of a refusal or of a "no" as a sentence, or null if there is none. */
export function witnessSentence(witness) {
  if (!witness) return null;
  const {coordinate, found, wanted} = witness;
  const at = coordinate ? `at ${coordinate}: ` : "";
  return wanted ? `${at}${found}, where ${wanted} is needed` : `${at}${found}`;
}

/** A text in three: before the span, in it, after it. At the end of the text a blank is marked. */
export function markedParts(text, span) {
  const [begin, end] = spanInCharacters(text, span);
  const after = Math.max(end, begin + 1);
  return [text.slice(0, begin), text.slice(begin, after) || " ", text.slice(after)];
}

/** The line of the text with the place, marked, and its number if there are several lines. */
function placeIn(text, span) {
  const [before, marked, after] = markedParts(text, span);
  const number = before.split("\n").length;
  const head = before.slice(before.lastIndexOf("\n") + 1);
  const [first] = marked.split("\n");
  const [rest] = first === marked ? after.split("\n") : [""];
  const cut = (part, length) => (part.length > length ? `…${part.slice(-length)}` : part);
  const tail = rest.length > shownBeside ? `${rest.slice(0, shownBeside)}…` : rest;
  return h("div", {class: "place"},
    text.includes("\n") && h("span", {class: "note"}, `line ${number}: `),
    h("code", {}, cut(head, shownBeside), h("mark", {}, first || " "), tail));
}

/** A hint as the page has it: sizes are given in a panel, where commands take an option. */
export function pageHint(hint) {
  return hint.replace(/--assume '([^']*)'/g, "$1 in the panel Sizes");
}

/** An error as a tree; `hold`, if it is given, holds the witness in the pictures. */
export function diagnostic(error, hold = null) {
  const {code, message, notes = [], hint, witness, span, text} = error;
  const {coordinate} = witness ?? {};
  const isPlaced = Boolean(span) && text !== undefined;
  // The place says it better.
  const numbers = isPlaced ? notes.filter((note) => !/^in the argument \d+$/.test(note)) : notes;
  return h("div", {class: "diagnostic"},
    h("p", {}, h("strong", {}, message), " ", h("code", {class: "code"}, code)),
    isPlaced && placeIn(text, span),
    numbers.map((note) => h("p", {class: "note"}, note)),
    witness && h("p", {class: "witness"}, "witness ", witnessSentence(witness), " ",
      hold && coordinate &&
        h("button", {type: "button", onclick: () => hold({coordinate})}, `show ${coordinate}`)),
    hint && h("p", {class: "hint"}, "hint: ", pageHint(hint)));
}
