// A picture inside a panel, which lights up as those of the page do. Its elements are its own, or
// those of the chosen layout if it is linked: then what is held in one is held in the other.
//
//   drawing(model, "where they differ", {held: state.held, hold: (held) => update({held})})

import {h, put} from "heddle/dom.js";
import {View} from "heddle/canvas.js";
import {colorsOf} from "heddle/axes.js";
import {heldElements} from "heddle/elements.js";
import {linksOf} from "heddle/links.js";
import {factsOf} from "heddle/picture.js";

/** What a panel's picture remembers from one drawing to the next, by its element. */
const drawn = new WeakMap();

function tell(line, one, at) {
  if (!at) return put(line);
  const facts = factsOf(one.model.panels[at.index], at.cell).filter(([, text]) => text !== "");
  return put(line, facts.map(([fact, text]) => h("span", {}, h("b", {}, fact), ` ${text} `)));
}

function light(element) {
  const one = drawn.get(element);
  const {model, links, pointed, link} = one;
  const held = link ? heldElements(link.held, model, links) : one.held;
  const elements = new Set(pointed ? links.elementsOf(pointed.index, pointed.cell) : held);
  const cells = elements.size > 0 || !pointed ? links.cellsOf(elements)
    : model.panels.map((_, index) => (index === pointed.index ? [pointed.cell] : []));
  one.view.light({cells, fellows: [], isHeld: !pointed && elements.size > 0});
  tell(element.querySelector("output"), one, pointed);
}

function begin(element, caption) {
  put(element, h("div", {class: "stage", made: () => {}}),
    h("figcaption", {}, h("p", {class: "name"}), h("p", {class: "legend"}), h("output")));
  const hold = (held) => {
    const one = drawn.get(element);
    one.held = held;
    if (one.link) one.link.hold(held.length === 0 ? null : held.length === 1 ? held[0] : held);
    light(element);
  };
  const view = new View(element.firstChild, {
    name: caption,
    onPoint: (hit) => {
      drawn.get(element).pointed = hit;
      light(element);
    },
    onHold: ({index, cell}) => hold(drawn.get(element).links.elementsOf(index, cell)),
    onRelease: () => hold([]),
  });
  drawn.set(element, {view, model: null, held: []});
}

function draw(element, model, caption, link) {
  if (!drawn.has(element)) begin(element, caption);
  const one = drawn.get(element);
  one.link = link;
  if (one.model !== model) {
    Object.assign(one, {model, links: linksOf(model), pointed: null, held: []});
    const colors = colorsOf(model);
    one.view.show(model, colors);
    const [name, legend] = element.querySelectorAll("figcaption p");
    put(name, caption === model.title ? caption : `${caption}: ${model.title}`);
    put(legend, [colors.legend, ...model.notes].filter(Boolean).join("; "));
  }
  light(element);
}

/**
 * A picture with a caption, as a node. `link` says what is held in the page's pictures and how to
 * hold something else: {held, hold}.
 */
export function drawing(model, caption, link = null) {
  return h("figure", {class: "drawing", key: `drawing ${caption}`,
    made: (element) => draw(element, model, caption, link)});
}
