// What the page gives away: files of the picture, the layouts as a program, its address.
//
//   exportMenu(drawn, ask, views, saveProgram)     // SVG, PNG, TikZ, HTML, .heddle, link

import {h} from "heddle/dom.js";
import {pictureArguments} from "heddle/requests.js";
import {assumptionsOf, chosenLayout} from "heddle/session.js";

/** Files that Heddle writes: the format of the operation picture, and the end of the name. */
const written = [
  {title: "SVG", format: "svg", end: "svg", type: "image/svg+xml"},
  {title: "TikZ", format: "latex", end: "tex", type: "text/plain"},
  {title: "HTML", format: "html", end: "html", type: "text/html"},
];

/** Gives a text away as a file. */
export function saveText(name, text) {
  save(name, new Blob([text], {type: "text/plain"}));
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A name of a file for a layout: letters and digits of its name, and what kind of file it is. */
export function fileName(name, end) {
  return `${name.replace(/[^\w-]+/g, "_").replace(/^_+|_+$/g, "") || "layout"}.${end}`;
}

async function saveWritten(state, ask, {format, end, type}) {
  const {name, text} = chosenLayout(state);
  const kwargs = {...pictureArguments(state.options), format};
  const assume = assumptionsOf(state.options);
  let answer = await ask("picture", [text], kwargs, assume);
  if (!answer.ok && answer.error.code === "draw.too_large") {
    answer = await ask("picture", [text], {...kwargs, all: false}, assume);
  }
  if (answer.ok) save(fileName(name, end), new Blob([answer.result], {type}));
  return answer.ok ? null : answer.error;
}

function savePixels(state, views) {
  views.snapshot()?.toBlob((blob) => save(fileName(chosenLayout(state).name, "png"), blob));
}

/**
 * The menu of files. `drawn()` is the state whose chosen layout is what is drawn, and
 * `saveProgram()` gives all layouts away as a program.
 */
export function exportMenu(drawn, ask, views, saveProgram) {
  const item = (title, act) => h("button", {
    type: "button",
    onclick: async (event) => {
      const button = event.currentTarget;
      const error = await act();
      button.title = error?.message ?? "";
      button.classList.toggle("refused", Boolean(error));
      if (!error) button.closest("details").open = false;
    },
  }, title);
  return h("details", {class: "menu"},
    h("summary", {}, "Export"),
    h("div", {},
      written.map((one) => item(one.title, () => saveWritten(drawn(), ask, one))),
      item("PNG", () => savePixels(drawn(), views)),
      item(".heddle", saveProgram),
      item("Copy link", () => copyText(location.href))));
}

/** Puts a text on the clipboard. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return null;
  } catch {
    return {message: "the browser does not let the page use the clipboard"};
  }
}
