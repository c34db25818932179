// What the page asks about a layout, in one place: a static page holds the answers to these.
//
//   readText(ask, "(4,8):(8,1)")       read("(4,8):(8,1)")           what the text is
//   requestPictures(ask, state)        picture("(4,8):(8,1)", format="json", all=true), and once
//                                      more with view="memory"

import {labelsOf} from "heddle/npy.js";
import {assumptionsOf, chosenLayout} from "heddle/session.js";

/**
 * What a text was recognised as: {kind, layouts}, or {error}, with the `labels` of a table that has
 * some. An empty text is neither.
 */
export async function readText(ask, text, options = {}) {
  if (text.trim() === "") return {kind: "", layouts: []};
  const shaped = shapeArgument(options);
  const {ok, result, error} = await ask("read", [text], shaped, options.assume);
  if (ok) return result;
  const labels = labelsOf(text);
  return {kind: "", layouts: [], error: labels?.error ?? error, labels};
}

/**
 * The shape of the tensor of an Axe layout, or of an encoding, as an argument by name; empty for
 * others, whose texts state it.
 */
export const shapeArgument = ({shape}) => (shape ? {shape} : {});

/** The arguments by name of a picture, in the form that the page draws. */
export function pictureArguments(options, view = null) {
  const {by, walk, assume, sizes, part, panels, ...kwargs} = options;
  return {...kwargs, format: "json", all: true, ...(view ? {view} : {})};
}

// The sides of a layout. The first that can be drawn besides the usual one is the physical side.
const physicalViews = ["memory", "hardware", "devices"];
// A picture that takes longer than this, in milliseconds, is not waited for by the other one.
const patience = 120;

/** One picture of the chosen layout: {view, model} or {view, error}. */
export async function requestPicture(ask, state, view) {
  const {text} = chosenLayout(state);
  const kwargs = pictureArguments(state.options, view);
  const assume = assumptionsOf(state.options);
  let answer = await ask("picture", [text], kwargs, assume);
  if (answer.error?.code === "draw.too_large") {
    answer = await ask("picture", [text], {...kwargs, all: false}, assume);
  }
  return answer.ok ? {view, model: answer.result} : {view, error: answer.error};
}

async function requestPhysical(ask, state) {
  // A thread-value layout is drawn on its tile, which is one picture.
  if (state.options.tv) return null;
  for (const view of physicalViews) {
    const drawn = await requestPicture(ask, state, view);
    if (drawn.model) return drawn;
  }
  return null;
}

/**
 * The pictures of the chosen layout, logical to physical and back: [{view, model}], one of them if
 * only one can be drawn, or [{view, error}]. If the second one takes its time, `onFirst` gets the
 * first one alone before.
 */
export async function requestPictures(ask, state, onFirst = () => {}) {
  if (chosenLayout(state).text.trim() === "") return [];
  const logical = await requestPicture(ask, state, null);
  const early = logical.model && setTimeout(() => onFirst([logical]), patience);
  const physical = await requestPhysical(ask, state);
  clearTimeout(early);
  const drawn = [logical, physical].filter((one) => one?.model);
  return drawn.length > 0 ? drawn : [logical];
}
