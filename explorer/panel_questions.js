// Questions about the chosen layout: is it injective, what holds of it and another one, where do
// the two differ, does a claim hold; and which layout a pasted table is.
//
// Every "no" comes with a counterexample, and "show it" holds that element in the picture:
//
//   propertyTable([["injective", {ok: true, result: {verdict: "no", counterexample: …}}]], hold)

import {refusal} from "heddle/ask.js";
import {diagnostic} from "heddle/diagnostic.js";
import {h, put, takeTurn} from "heddle/dom.js";
import {readNpy, readTable} from "heddle/npy.js";
import {drawing} from "heddle/panel_drawing.js";
import {answered, asking, askedOf, choice, counted, expressionField, field, table, verdict, taking}
  from "heddle/panel_parts.js";
import {textOfLayout} from "heddle/panel_notations.js";
import {shapeArgument} from "heddle/requests.js";
import {chosenLayout} from "heddle/session.js";

export const name = "questions";
export const title = "Questions";

const properties = [
  ["injective", "no two points have one image"],
  ["bijective", "every place of its box is met exactly once"],
  ["contiguous", "its images are a run of integers without a gap"],
];
const relations = [
  ["equal", "A and B are one map"],
  ["covers", "every image of B is one of A"],
];
const mostRows = 256;

/** What holds of the layout: a row for each question with its verdict and how it was found. */
export function propertyTable(caption, questions, answers, hold) {
  return table(caption, [], questions.map(([question, meaning], at) => [
    h("span", {title: meaning}, question),
    h("span", {class: "note"}, meaning),
    answered(answers?.[at] ?? null, (answer) => verdict(answer, hold)),
  ]));
}

/** A coordinate or an image as it is written: 5, (1,(0,2)), lane=3, {0,4}, or "none". */
export function placeText(value) {
  if (value === null) return "none";
  if (Array.isArray(value)) return `(${value.map(placeText).join(",")})`;
  if (typeof value !== "object") return String(value);
  if (value.set) return `{${value.set.map(placeText).join(",")}}`;
  return Object.entries(value).map(([axis, at]) => `${axis}=${placeText(at)}`).join(", ");
}

/** The coordinates at which two layouts differ, with both images; a click holds one. */
export function differenceTable(report, hold) {
  // Of layouts of different sizes no points are compared.
  if (report.points === 0) return h("p", {class: "note"}, "No point is in both.");
  if (report.different === 0) {
    return h("p", {}, `All ${counted(report.points, "point")} have the same image in both.`);
  }
  const shown = report.differences.slice(0, mostRows);
  const left = report.different - shown.length;
  return h("div", {class: "long", tabindex: "0", role: "group", "aria-label": "Differences"},
    table(`${report.different} of ${counted(report.points, "point")} differ`,
      ["coordinate", "A", "B"],
      shown.map(({coordinate, a, b}) => [
        h("button", {type: "button", onclick: () => hold({coordinate: placeText(coordinate)})},
          placeText(coordinate)),
        placeText(a), placeText(b)])),
    left > 0 && h("p", {class: "note"}, `${left} more are not listed here; the picture has them`));
}

/** What a table was recognised as in each notation; a click makes it a layout of the session. */
export function recoveredTable(report, keep) {
  return table(report.of, [], report.notations.map(({system, layout, remark, error}) => [
    system,
    error ? diagnostic(error) : h("span", {}, h("code", {}, textOfLayout(layout)), " ",
      h("button", {type: "button", onclick: () => keep(textOfLayout(layout))}, "take it"),
      remark && h("p", {class: "note"}, remark)),
  ]));
}

/** Everything that the panel asks, as one value; null where there is nothing to ask. */
async function answersTo(text, asked, ask, {assume, ...options}) {
  const {other, claim, low, high, numbers} = asked;
  const isSet = (value) => (value ?? "") !== "";
  const one = (is, op, args, kwargs) => is ? ask(op, args, kwargs, assume) : null;
  const isLayout = text.trim() !== "";
  const both = isLayout && isSet(other);
  const bounds = isLayout && isSet(low) && isSet(high);
  const shaped = shapeArgument(options);
  const [about, related, compared, differing, claimed, within, recovered] = await Promise.all([
    isLayout ? Promise.all(properties.map(([op]) => ask(op, [text], {}, assume))) : null,
    both ? Promise.all(relations.map(([op]) => ask(op, [text, other], shaped, assume))) : null,
    one(both, "compare", [text, other], shaped),
    one(both, "compare_picture", [text, other], {...shaped, format: "json"}),
    one(isSet(claim), "eval", [claim]),
    one(bounds, "within", [text, Number(low), Number(high)]),
    numbers ? ask("recover_report", [numbers]) : null,
  ]);
  return {about, related, compared, differing, claimed, within, recovered};
}

function otherSection(state, asked, answers, {set, hold, offers}) {
  const names = state.named.filter(({text}, at) => at !== state.chosen && text.trim() !== "")
    .map((layout) => layout.name);
  const {compared, differing, related} = answers;
  return h("section", {}, h("h2", {}, "Another layout"),
    expressionField("B, in any notation or by its name", asked.other ?? "",
      (other) => set({other}), offers, {placeholder: "(4,8):(1,4)"}),
    names.length > 0 && choice("or one of this page", "",
      [["", "choose"], ...names],
      (other) => set({other})),
    related && propertyTable("The chosen layout A and B", relations, related, hold),
    differing?.ok && compared?.result?.different > 0 &&
      drawing(differing.result, "where they differ", {held: state.held, hold}),
    compared && answered(compared, (report) => differenceTable(report, hold)));
}

function claimSection(asked, answers, {set, hold, offers, isLayout}) {
  const shown = (answer) => typeof answer?.verdict === "string"
    ? verdict(answer, hold) : h("p", {}, h("code", {}, textOfLayout(answer)));
  return h("section", {}, h("h2", {}, "A claim"),
    expressionField("any expression, such as 8:1 == (4,2):(1,4)", asked.claim ?? "",
      (claim) => set({claim}), offers,
      {placeholder: "logical_divide((8,8):(8,1), <4,2>) == (8,8):(8,1)", class: "wide"}),
    answers.claimed && answered(answers.claimed, shown),
    isLayout && h("p", {class: "bounds"}, "All images are from ",
      field("least", asked.low ?? "", (low) => set({low}), {type: "number", class: "short"}),
      " up to, and without, ",
      field("end", asked.high ?? "", (high) => set({high}), {type: "number", class: "short"})),
    answers.within && answered(answers.within, (answer) => verdict(answer, hold)));
}

// A dropped file is too large for the address, so the panel's element remembers it.
const dropped = new WeakMap();

/** The table that is asked about: what was pasted or dropped, read; or why it cannot be read. */
function readOf(element, asked) {
  const text = asked.table ?? "";
  if (!asked.file) return text.trim() === "" ? null : readTable(text);
  return dropped.get(element)?.[asked.file] ?? refusal("explore.npy",
    `the numbers of ${asked.file} are not in the address of this page`,
    "choose or drop the file again");
}

function tableSection(element, asked, answers, set, keep) {
  const read = readOf(element, asked);
  const take = async (file) => {
    dropped.set(element, {[file.name]: readNpy(await file.arrayBuffer())});
    set({table: "", file: file.name, dropped: (asked.dropped ?? 0) + 1});
  };
  const drop = (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) take(file);
  };
  return h("section", {ondrop: drop, ondragover: (event) => event.preventDefault()},
    h("h2", {}, "Which layout is this table?"),
    field("Rows of integers, pasted from a spreadsheet or a program", asked.table ?? "",
      (text) => set({table: text, file: ""}), {rows: 5, placeholder: "0\t8\t16\n1\t9\t17"}),
    h("label", {class: "field"}, h("span", {}, "or an .npy file, also dropped here"),
      h("input", {type: "file", accept: ".npy",
        onchange: (event) => {
          if (event.target.files[0]) take(event.target.files[0]);
          // Choosing the same file again, which may have changed, is a change too.
          event.target.value = "";
        }})),
    asked.file && h("p", {}, asked.file),
    read && !read.ok && diagnostic(read.error),
    read?.labels && h("button", {type: "button", onclick: () => set({table: read.labels.text})},
      "leave it out"),
    answers.recovered && answered(answers.recovered, (report) => recoveredTable(report, keep)));
}

/** Draws the panel with what was asked last, and again when the answers are there. */
export async function show(element, state, ask, update) {
  const isLast = takeTurn(element);
  const {text} = chosenLayout(state);
  const asked = askedOf(state, name);
  const set = (change) => update((now) => asking(now, name, change));
  const hold = (held) => update({held});
  const keep = (layout) => update((now) => taking(now, layout));
  const isLayout = text.trim() !== "";
  const acts = {set, hold, offers: {ask, layouts: state.named}, isLayout};
  const draw = (answers) => put(element,
    isLayout && propertyTable("The chosen layout", properties, answers.about, hold),
    isLayout && otherSection(state, asked, answers, acts),
    claimSection(asked, answers, acts),
    tableSection(element, asked, answers, set, keep));
  if (!element.hasChildNodes()) draw({});
  const numbers = readOf(element, asked)?.table;
  const answers = await answersTo(text, {...asked, numbers}, ask, state.options);
  if (isLast()) draw(answers);
}
