// How an expression gets its result, one step after the other, innermost operation first.
//
// The operation `explain` gives a tree of steps; the story is the same steps in reading order, with
// how deep each is. One step is the current one: those after it are not told yet, and the operation
// it belongs to is drawn with its operands, whose colours say where each element of the result
// comes from.
//
//   storyOf([{title: "composition(A, B)", steps: [{title: "leaf 4:3", steps: []}], result: "4:6"}])
//   [{title: "composition(A, B)", depth: 0, act: 0}, {title: "leaf 4:3", depth: 1, act: 0},
//    {title: "", result: "4:6", depth: 0, act: 0}]

import {diagnostic} from "heddle/diagnostic.js";
import {h, put, takeTurn} from "heddle/dom.js";
import {drawing} from "heddle/panel_drawing.js";
import {answered, asking, counted, askedOf, taking} from "heddle/panel_parts.js";

export const name = "steps";
export const title = "Step by step";

/**
 * The steps of an explanation in reading order. The result of an operation, or what refuses it,
 * is a step of its own behind those that lead to it.
 */
export function storyOf(explanation) {
  const told = (step, depth, act) => {
    const ends = depth === 0 && step.steps.length > 0;
    const outcome = {result: step.result, error: step.error};
    const own = {title: step.title, text: step.text, operands: step.operands, depth, act};
    return [
      {...own, ...(ends ? {} : outcome)},
      ...step.steps.flatMap((part) => told(part, depth + 1, act)),
      ...(ends && (step.result || step.error)
        ? [{title: step.error ? "refused" : "result", text: null, operands: [], depth, act,
          ...outcome}] : []),
    ];
  };
  return explanation.flatMap((operation, act) => told(operation, 0, act));
}

/** A step as a line of the list; its values are buttons that make them layouts of the session. */
export function stepLine(step, isCurrent, isTold, go, keep) {
  const chip = (text) => h("button", {type: "button", class: "chip", title: "make it a layout",
    onclick: () => keep(text)}, text);
  const operands = step.depth === 0 ? step.operands ?? [] : [];
  return h("li", {class: `depth${Math.min(step.depth, 4)}${isTold ? "" : " ahead"}`,
    "aria-current": isCurrent ? "step" : null},
  h("button", {type: "button", class: "step", onclick: go}, step.title),
  isTold && step.text && h("span", {class: "text"}, " ", step.text),
  isTold && operands.length > 0 && h("span", {class: "operands"}, " ", operands.map(chip)),
  isTold && step.result && h("span", {class: "result"}, " → ", chip(step.result)),
  isTold && step.error && diagnostic(step.error));
}

/** The story up to a step, with the ways to go on and back. */
export function story(steps, current, go, keep) {
  const to = (step) => () => go(Math.max(0, Math.min(steps.length - 1, step)));
  return h("div", {class: "story"},
    h("p", {class: "controls"},
      h("button", {type: "button", onclick: to(current - 1), disabled: current === 0}, "back"),
      h("button", {type: "button", onclick: to(current + 1),
        disabled: current === steps.length - 1}, "next"),
      h("button", {type: "button", onclick: to(steps.length - 1)}, "all"),
      h("span", {role: "status"}, ` step ${current + 1} of ${steps.length}`)),
    h("ol", {}, steps.map((step, number) =>
      stepLine(step, number === current, number <= current, to(number), keep))));
}

/** Draws the panel: the story, and the operation of the current step with its operands. */
export async function show(element, state, ask, update) {
  const isLast = takeTurn(element);
  const text = state.expression;
  if (text.trim() === "") {
    put(element, h("p", {class: "hint"}, "An expression on layouts is told here step by step."));
    return;
  }
  const explained = await ask("explain", [text], {}, state.options.assume);
  if (!isLast()) return;
  const steps = explained.ok ? storyOf(explained.result.explanation ?? []) : [];
  const current = Math.min(askedOf(state, name).step ?? 0, Math.max(steps.length - 1, 0));
  const act = explained.ok ? explained.result.explanation?.[steps[current]?.act] : null;
  const picture = act && !act.error ? await ask("picture", [act.title], {format: "json"},
    state.options.assume) : null;
  if (!isLast()) return;
  const keep = (layout) => update((now) => taking(now, layout));
  const go = (step) => update((now) => asking(now, name, {step}));
  put(element, answered(explained, () => steps.length === 0
    ? h("p", {class: "note"}, `Nothing is computed in ${text}: it is a layout already. An `,
      "operation on layouts, such as composition((6,2):(8,2), (4,3):(3,1)), is told step by step.")
    : h("div", {}, story(steps, current, go, keep),
      picture?.ok && drawing(picture.result, act.title),
      explained.result.left_out > 0 &&
        h("p", {class: "note"}, counted(explained.result.left_out, "step"), " left out"))));
}
