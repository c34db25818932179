// What the page asks about a layout, in one place: a static page holds the answers to these.
//
//   readText(ask, "(4,8):(8,1)")       read("(4,8):(8,1)")           what the text is
//   requestPictures(ask, state)        picture("(4,8):(8,1)", format="json", all=true)
//                                      picture("(4,8):(8,1)", format="json", all=true, view="memory")

import {assumptionsOf, chosenLayout} from "heddle/session.js";

/** What a text was recognised as: {kind, layouts}, or {error}. An empty text is neither. */
export async function readText(ask, text, options = {}) {
  if (text.trim() === "") return {kind: "", layouts: []};
  const {ok, result, error} = await ask("read", [text], {}, options.assume);
  if (ok) return result;
  // A Heddle that cannot recognise texts takes them as they are.
  if (error.code === "name.unknown") return {kind: "", layouts: [{name: "", text, span: null}]};
  return {kind: "", layouts: [], error};
}

/** The arguments by name of a picture, in the form that the page draws. */
export function pictureArguments(options, view = null) {
  const {by, walk, assume, sizes, part, panels, ...kwargs} = options;
  return {...kwargs, format: "json", all: true, ...(view ? {view} : {})};
}

// The sides of a layout. The first that can be drawn besides the usual one is the physical side.
const physicalViews = ["memory", "hardware", "devices"];

/**
 * The pictures of the chosen layout, logical to physical and back: [{view, model} or {view,
 * error}]. A layout that only one of them can be drawn of has one.
 */
export async function requestPictures(ask, state) {
  const {text} = chosenLayout(state);
  if (text.trim() === "") return [];
  const assume = assumptionsOf(state.options);
  const picture = async (view) => {
    const kwargs = pictureArguments(state.options, view);
    let answer = await ask("picture", [text], kwargs, assume);
    if (answer.error?.code === "draw.too_large") {
      answer = await ask("picture", [text], {...kwargs, all: false}, assume);
    }
    return answer.ok ? {view, model: modelOf(answer.result)} : {view, error: answer.error};
  };
  const logical = picture(null);
  const physical = firstDrawn(physicalViews, picture);
  const pictures = await Promise.all([logical, physical]);
  return pictures.filter((one) => one !== null);
}

async function firstDrawn(views, picture) {
  for (const view of views) {
    const drawn = await picture(view);
    if (drawn.model) return drawn;
  }
  return null;
}

const modelOf = (result) => (typeof result === "string" ? JSON.parse(result) : result);
