// What one chooses beside the pictures: colours, a walk, an element, banks, readings of the layout.
//
//   put(element, controlsOf({shown, options, layout, walk, whyNot}, {set, goTo, walkAlong, …}))
//
// A function from what is shown to a tree; what is chosen is told to the given functions.

import {axesOf, valuesOf} from "heddle/axes.js";
import {h} from "heddle/dom.js";
import {hasAxis} from "heddle/elements.js";

const elementBits = [4, 8, 16, 32, 64];

/** The axes by which cells of any picture can be told apart: {key, title} each. */
export function allAxes(shown) {
  const found = new Map();
  for (const [number, {model}] of shown.entries()) {
    // Rows and columns are of the first view: those of a memory are only how it is written.
    const axes = axesOf(model).filter(({key}) => number === 0 || !/^(rows|columns)/.test(key));
    for (const axis of axes) if (!found.has(axis.key)) found.set(axis.key, axis);
  }
  return [...found.values()];
}

/** The picture with an axis and the names of its values, or null. */
export function alongAxis(shown, key) {
  const picture = key ? shown.find((one) => hasAxis(one, key)) : null;
  return picture ? {picture, names: valuesOf(picture.model, key).names} : null;
}

export const titleOf = (shown, key) =>
  allAxes(shown).find((axis) => axis.key === key)?.title ?? key;

const choice = (title, value, options, onchange) => h("label", {}, `${title} `,
  h("select", {onchange: (event) => onchange(event.target.value)}, options.map(([key, text]) =>
    h("option", {value: key, selected: key === value}, text))));

const axisChoice = (title, value, axes, none, onchange) => choice(title, value,
  [["", none], ...axes.map(({key, title: text}) => [key, text])], onchange);

/** A field for a coordinate, a number or an owner; Enter holds it in all pictures. */
const goToField = (whyNot, goTo) => h("span", {class: "go-to"},
  h("label", {}, "element ", h("input", {
    type: "text", size: "18", value: "", placeholder: "(3,5), 29, lane=3", spellcheck: "false",
    autocomplete: "off", "aria-describedby": "why-not", "aria-invalid": String(whyNot !== ""),
    onkeydown: ({key, target}) => key === "Enter" && goTo(target.value),
  })),
  h("span", {id: "why-not", class: "why-not", role: "status"}, whyNot));

const walkControls = (names, value, title, {play, isPlaying, walkTo}) => h("span", {class: "walk"},
  h("button", {type: "button", onclick: play}, isPlaying ? "pause" : "play"),
  h("input", {
    type: "range", min: "0", max: String(names.length - 1), step: "1", value: String(value),
    "aria-label": title, "aria-valuetext": names[value],
    oninput: (event) => walkTo(Number(event.target.value)),
  }),
  h("output", {}, names[value] ?? ""));

const bankControl = ({bits = ""}, set) => choice("banks of", String(bits),
  [["", "none"], ...elementBits.map((one) => [String(one), `${one}-bit elements`])],
  (value) => set(value ? {banks: 32, bits: Number(value)} : {banks: null, bits: null}));

const extentsControl = (name, placeholder, options, set) => h("label", {key: name}, `${name} `,
  h("input", {
    type: "text", size: "10", placeholder, value: [options[name] ?? []].flat().join(","),
    onchange: ({target: {value}}) => {
      const extents = (value.match(/\d+/g) ?? []).map(Number);
      set({[name]: extents.length > 0 ? extents : null});
    },
  }));

const threadControls = (options, set) => [
  h("label", {}, h("input", {
    type: "checkbox", checked: Boolean(options.tv),
    onchange: ({target: {checked}}) =>
      set({tv: checked || null, tile: null, banks: null, bits: null, by: null}),
  }), " thread-value"),
  options.tv && extentsControl("tile", "16,8", options, set),
];

/**
 * The controls of pictures of a layout as `read` gives it; null where pictures are all there is.
 * `walk` is {value, isPlaying}, `whyNot` why the element that was asked for last is not held.
 */
export function controlsOf({shown, options, layout, walk, whyNot}, chosen) {
  const {set, goTo, walkAlong, ...walking} = chosen;
  if (shown.length === 0) return [];
  const axes = allAxes(shown);
  const {by = "", walk: key = "", tv} = options;
  const walked = alongAxis(shown, key);
  const hasIndices = shown[0].model.panels.some((one) => one.fact_names.includes("index"));
  // A page of one picture has nobody to ask for another one.
  const isAsked = layout !== null;
  return [
    axisChoice("colour by", by, axes, "as drawn", (value) => set({by: value})),
    axisChoice("walk along", key, axes, "nothing", walkAlong),
    walked && walkControls(walked.names, walk.value, titleOf(shown, key),
      {...walking, isPlaying: walk.isPlaying}),
    goToField(whyNot, goTo),
    isAsked && hasIndices && !tv && bankControl(options, set),
    isAsked && (hasIndices || tv) && threadControls(options, set),
    layout?.shape && extentsControl("shape", layout.shape.join(","), options, set),
  ];
}
