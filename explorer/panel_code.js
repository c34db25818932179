// The index of the layout as code, in every language: as an expression, and as functions.
//
//   expressionsTable(["c", "triton"], [{ok: true, result: {results: [{expression: "8 * i + j"}]}}])

import {diagnostic} from "heddle/diagnostic.js";
import {h, put, takeTurn} from "heddle/dom.js";
import {answered, asking, askedOf, choice, code, field} from "heddle/panel_parts.js";
import {shapeArgument} from "heddle/requests.js";
import {chosenLayout} from "heddle/session.js";

export const name = "code";
export const title = "Code";
export const needsLayout = true;

const expressionTargets = ["heddle", "c", "cuda", "opencl", "triton", "python", "latex"];
const functionTargets =
  ["c", "cpp", "cuda", "hip", "opencl", "triton", "python", "mlir", "latex"];

/** The code of one answer of `index`: helpers, definitions, and an expression for each axis. */
export function codeOf({helpers, definitions, results}) {
  const lines = results.map(({axis, expression}) =>
    results.length === 1 ? expression : `${axis}: ${expression}`);
  return [helpers, ...definitions, ...lines].filter((line) => line !== "").join("\n");
}

/** The expressions in all languages, each with its button to copy it. */
export function expressions(targets, answers) {
  if (answers.every((answer) => !answer.ok && answer.error.code === answers[0].error?.code)) {
    return diagnostic(answers[0].error);
  }
  return h("div", {class: "expressions"}, targets.map((target, at) =>
    answered(answers[at], (report) => code(target, codeOf(report)))));
}

/** Why the expression is right, rule after rule. */
function derivation(report) {
  return h("ol", {class: "derivation"}, (report.steps ?? []).map(({rule, before, after, proof}) =>
    h("li", {}, rule, ": ", h("code", {}, before), " → ", h("code", {}, after),
      proof && h("p", {class: "note"}, proof))));
}

const listOf = (names) => names.split(/[\s,]+/).filter((one) => one !== "");

/** Draws the panel with the coordinates and the language that were asked for last. */
export async function show(element, state, ask, update) {
  const isLast = takeTurn(element);
  const {assume} = state.options;
  const {text} = chosenLayout(state);
  const asked = {target: "cuda", names: "", ...askedOf(state, name)};
  const set = (change) => update((now) => asking(now, name, change));
  const coordinates = listOf(asked.names);
  const named = {...shapeArgument(state.options), ...(coordinates.length > 0 ? {coordinates} : {})};
  const [explained, functions, ...indices] = await Promise.all([
    ask("index", [text], {...named, explain: true}, assume),
    ask("emit", [text], {...named, target: asked.target}, assume),
    ...expressionTargets.map((target) => ask("index", [text], {...named, target}, assume)),
  ]);
  if (!isLast()) return;
  put(element,
    field("Names of the coordinates, or values", asked.names, (names) => set({names}),
      {placeholder: "i, j"}),
    h("section", {}, h("h2", {}, "The index"), expressions(expressionTargets, indices),
      explained.ok && explained.result.steps?.length > 0 &&
        h("details", {}, h("summary", {}, "why it is right"), derivation(explained.result))),
    h("section", {}, h("h2", {}, "Functions"),
      choice("Language", asked.target, functionTargets, (target) => set({target})),
      answered(functions, (source) => code(asked.target, source))));
}
