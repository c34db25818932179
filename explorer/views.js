// The pictures of a layout side by side, linked: what is pointed at in one lights up in all.
//
//   const views = createViews(element, factsLine, session);
//   views.show([{view: null, model}, {view: "memory", model: other}]);
//   views.follow(session.state());        // what is held, colours, the axis that is walked along
//
// Pointing lights, a click or Enter holds, Escape releases; a walk lights one thread (register,
// bank, …) after another. What is held is in the session, what is pointed at is not.

import {axesOf, colorsOf, valuesOf} from "heddle/axes.js";
import {createView} from "heddle/canvas.js";
import {h, put} from "heddle/dom.js";
import {linksOf} from "heddle/links.js";
import {
  arrange, bandLength, coordinateOf, factsOf, naturalCell, shownCount,
} from "heddle/picture.js";

const names = {
  memory: "memory: each place, with the coordinate it holds",
  hardware: "hardware: each place, with the element it holds",
  devices: "devices: each with the region it holds",
};
// Cells of one owner belong together, if there are owners.
const owners = ["thread", "device", "devices", "lane"];
const framesPerSecond = 4;
const elementBits = [4, 8, 16, 32, 64];
// How much smaller than they could be pictures may stand side by side.
const leastScale = 0.75;

/**
 * The elements that a state holds: those of a number, or of the coordinate that a witness names,
 * `{coordinate: "(1,(0,1))"}`.
 */
export function heldElements(held, model, links) {
  if (typeof held === "number") return [held];
  if (Array.isArray(held)) return held.filter(Number.isInteger);
  if (!held?.coordinate || !model) return [];
  const [flat, written] = held.coordinate.includes("=") && /^\d+ = /.test(held.coordinate)
    ? held.coordinate.split(" = ") : [null, held.coordinate];
  if (flat !== null) return [Number(flat)];
  const wanted = written.replaceAll(" ", "");
  for (const [index, panel] of model.panels.entries()) {
    const cell = cellAtCoordinate(panel, wanted);
    if (cell !== null) return links.elementsOf(index, cell);
  }
  return /^\d+$/.test(wanted) ? [Number(wanted)] : [];
}

function cellAtCoordinate(panel, wanted) {
  const rows = shownCount(panel.rows);
  const columns = shownCount(panel.columns);
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      if (coordinateOf(panel, row, column) === wanted) return row * columns + column;
    }
  }
  return null;
}

/** The cells, a list for each panel, that have a value of an axis. */
export function cellsWith(model, key, value) {
  const {values} = valuesOf(model, key);
  return values.map((ofPanel) => {
    const cells = [];
    ofPanel.forEach((one, cell) => {
      if (one === value) cells.push(cell);
    });
    return cells;
  });
}

const elementsIn = (shown, cells) => {
  const elements = new Set();
  cells.forEach((ofPanel, panel) => {
    for (const cell of ofPanel) {
      for (const element of shown.links.elementsOf(panel, cell)) elements.add(element);
    }
  });
  return elements;
};

const oneCell = (shown, {index, cell}) =>
  shown.model.panels.map((_, panel) => (panel === index ? [cell] : []));

/** The pairs of the facts line: those of the view pointed at, then what the others add. */
export function factPairs(shown, pointed, elements) {
  const pairs = new Map();
  const add = (one, index, cell) => {
    for (const [name, text] of factsOf(one.model.panels[index], cell)) {
      if (!pairs.has(name)) pairs.set(name, text);
    }
  };
  if (pointed) add(shown[pointed.view], pointed.hit.index, pointed.hit.cell);
  for (const [number, one] of shown.entries()) {
    if (number === pointed?.view) continue;
    const cells = one.links.cellsOf(elements);
    const index = cells.findIndex((list) => list.length > 0);
    if (index >= 0) add(one, index, cells[index][0]);
  }
  return [...pairs];
}

/** The section of pictures. Without a session, as in a page of one picture, it keeps its own. */
export function createViews(element, facts, session) {
  let shown = [];
  let pointed = null;
  let walk = {value: 0, timer: null};
  let kind = "";

  const figures = h("div", {class: "figures"});
  put(element, figures, h("div", {class: "controls"}));
  const [figuresElement, controls] = element.children;

  const options = () => session.state().options;
  const setOption = (change) => {
    const next = Object.fromEntries(Object.entries({...options(), ...change})
      .filter(([, value]) => value !== null && value !== ""));
    session.update({options: next});
  };

  function allAxes() {
    const found = new Map();
    for (const [number, {model}] of shown.entries()) {
      // Rows and columns are of the first view: those of a memory are only how it is written.
      const axes = axesOf(model).filter(({key}) => number === 0 || !/^(rows|columns)/.test(key));
      for (const axis of axes) if (!found.has(axis.key)) found.set(axis.key, axis);
    }
    return [...found.values()];
  }

  const hasAxis = (one, key) => axesOf(one.model).some((axis) => axis.key === key);

  function litElements() {
    const key = options().walk;
    const walked = key && shown.find((one) => hasAxis(one, key));
    if (walked) return {elements: elementsIn(walked, cellsWith(walked.model, key, walk.value))};
    const held = session.state().held;
    const logical = shown[0];
    if (held !== null && logical) {
      return {elements: new Set(heldElements(held, logical.model, logical.links))};
    }
    if (!pointed) return {elements: new Set()};
    const {view, hit} = pointed;
    return {elements: new Set(shown[view].links.elementsOf(hit.index, hit.cell)), pointed};
  }

  /** The elements that belong to the same owner, or have the same colour's axis, as some. */
  function fellowElements(elements) {
    const [first] = elements;
    if (first === undefined || options().walk) return new Set();
    const by = options().by;
    const keys = by && !String(by).includes(":") ? [by, ...owners] : owners;
    for (const key of keys) {
      for (const one of shown) {
        if (!hasAxis(one, key)) continue;
        const cells = one.links.cellsOf([first]);
        const index = cells.findIndex((list) => list.length > 0);
        if (index < 0) continue;
        const value = valuesOf(one.model, key).values[index][cells[index][0]];
        return value < 0 ? new Set() : elementsIn(one, cellsWith(one.model, key, value));
      }
    }
    return new Set();
  }

  function light() {
    const {elements, pointed: at} = litElements();
    const isHeld = !at && elements.size > 0;
    const fellows = fellowElements(elements);
    shown.forEach((one, number) => {
      const linked = one.links.cellsOf(elements);
      const cells = at?.view === number && elements.size === 0
        ? oneCell(one, at.hit) : linked;
      one.view.light({cells, fellows: one.links.cellsOf(fellows), isHeld});
      if (isHeld) reveal(one, cells);
    });
    tell(at ?? null, elements);
  }

  function reveal(one, cells) {
    const index = cells.findIndex((list) => list.length > 0);
    if (index >= 0) one.view.reveal(index, cells[index][0]);
  }

  function tell(at, elements) {
    const pairs = shown.length === 0 ? [] : factPairs(shown, at, elements);
    const key = options().walk;
    if (key && elements.size > 0) {
      const walked = shown.find((one) => hasAxis(one, key));
      const name = valuesOf(walked.model, key).names[walk.value];
      const count = `${elements.size} element${elements.size === 1 ? "" : "s"}`;
      put(facts, h("span", {}, h("b", {}, titleOf(key)), ` ${name}`), h("span", {}, count));
      return;
    }
    put(facts, pairs.length === 0
      ? h("span", {class: "hint"}, shown.length === 0 ? "" :
        "Point at a cell. Click or Enter holds it, Escape lets go; arrows move.")
      : pairs.map(([name, text]) => h("span", {}, h("b", {}, name), ` ${text}`)));
  }

  const titleOf = (key) => allAxes().find((axis) => axis.key === key)?.title ?? key;

  function hold(number, hit) {
    const elements = shown[number].links.elementsOf(hit.index, hit.cell);
    const held = elements.length === 1 ? elements[0] : elements;
    const isSame = JSON.stringify(held) === JSON.stringify(session.state().held);
    if (options().walk) setOption({walk: null});
    session.update({held: isSame || elements.length === 0 ? null : held});
  }

  function release() {
    stop();
    if (options().walk) setOption({walk: null});
    session.update({held: null});
  }

  // The controls.

  function step(by) {
    const key = options().walk;
    const walked = shown.find((one) => hasAxis(one, key));
    if (!walked) return stop();
    const count = valuesOf(walked.model, key).names.length;
    walk.value = (walk.value + by + count) % count;
    showControls();
    return light();
  }

  function play() {
    if (walk.timer) return stop();
    walk.timer = setInterval(() => step(1), 1000 / framesPerSecond);
    return showControls();
  }

  function stop() {
    clearInterval(walk.timer);
    walk.timer = null;
    showControls();
  }

  const choice = (title, value, axes, none, onchange) => h("label", {}, `${title} `,
    h("select", {onchange: (event) => onchange(event.target.value)},
      h("option", {value: "", selected: !value}, none),
      axes.map(({key, title: text}) =>
        h("option", {value: key, selected: key === value}, text))));

  function showControls() {
    if (shown.length === 0) return put(controls);
    const axes = allAxes();
    const {by = "", walk: key = ""} = options();
    const walked = shown.find((one) => key && hasAxis(one, key));
    return put(controls,
      choice("colour by", by, axes, "as drawn", (value) => setOption({by: value})),
      choice("walk along", key, axes, "nothing", (value) => {
        stop();
        walk.value = 0;
        setOption({walk: value});
      }),
      walked && walkControls(valuesOf(walked.model, key).names, titleOf(key)),
      hasIndices() && !options().tv && bankControl(),
      (hasIndices() || options().tv) && threadControls(),
      kind.includes("Axe") && extentsControl("shape", "8,16"));
  }

  const hasIndices = () => shown[0].model.panels.some((one) => one.fact_names.includes("index"));

  const bankControl = () => h("label", {}, "banks of ",
    h("select", {
      onchange: ({target: {value}}) =>
        setOption(value ? {banks: 32, bits: Number(value)} : {banks: null, bits: null}),
    }, [["", "none"], ...elementBits.map((bits) => [String(bits), `${bits}-bit elements`])]
      .map(([value, text]) =>
        h("option", {value, selected: value === String(options().bits ?? "")}, text))));

  const threadControls = () => [
    h("label", {}, h("input", {
      type: "checkbox", checked: Boolean(options().tv),
      onchange: ({target: {checked}}) =>
        setOption({tv: checked || null, tile: null, banks: null, bits: null, by: null}),
    }), " thread-value"),
    options().tv && extentsControl("tile", "16,8"),
  ];

  const extentsControl = (name, placeholder) => h("label", {key: name}, `${name} `, h("input", {
    type: "text", size: "10", placeholder, value: [options()[name] ?? []].flat().join(","),
    onchange: ({target: {value}}) => {
      const extents = (value.match(/\d+/g) ?? []).map(Number);
      setOption({[name]: extents.length > 0 ? extents : null});
    },
  }));

  const walkControls = (values, title) => h("span", {class: "walk"},
    h("button", {type: "button", onclick: play}, walk.timer ? "pause" : "play"),
    h("input", {
      type: "range", min: "0", max: String(values.length - 1), step: "1",
      value: String(walk.value), "aria-label": title, "aria-valuetext": values[walk.value],
      oninput: (event) => {
        walk.value = Number(event.target.value);
        showControls();
        light();
      },
    }),
    h("output", {}, values[walk.value] ?? ""));

  // Views that are coloured by one axis have one set of colours.
  const coloring = ({model}) => colorsOf(model, options().by, sharedSwatches());
  const sharedSwatches = () => shown.map(({model}) => model.swatches)
    .reduce((most, one) => (one.length > most.length ? one : most), []);

  const legendOf = ({legend, swatches}) => legend && swatches.length > 0 &&
    h("p", {class: "legend"},
      swatches.map(({background, ink}, i) => h("span", {
        class: "swatch",
        made: (node) => Object.assign(node.style, {background, color: ink}),
      }, i)), h("span", {}, legend));

  function showCaption(one) {
    put(one.caption, h("p", {class: "name"}, one.name), legendOf(coloring(one)),
      one.model.notes.map((note) => h("p", {class: "note"}, note)));
  }

  function recolor() {
    for (const one of shown) {
      one.view.color(coloring(one));
      showCaption(one);
    }
  }

  let drawnBy = null;

  return {
    /** Draws pictures, [{view: null or "memory" or …, model}], of a layout of a kind. */
    show(pictures, kindOfLayout = "") {
      clearInterval(walk.timer);
      walk.timer = null;
      kind = kindOfLayout;
      pointed = null;
      walk.value = 0;
      drawnBy = options().by ?? null;
      const isStacked = areWide(pictures.map((one) => one.model), element.clientWidth);
      figuresElement.classList.toggle("stacked", isStacked);
      put(figuresElement, pictures.map((one, number) => h("figure", {key: `${number}`},
        h("div", {class: "stage", made: () => {}}), h("figcaption", {made: () => {}}))));
      shown = pictures.map(({view: side, model}, number) => {
        const figure = figuresElement.children[number];
        const name = side === null ? logicalNameOf(model) : names[side] ?? side;
        const stage = figure.firstChild;
        const view = stage.view ?? createView(stage, {
          name: side === null ? "layout" : side,
          onPoint: (hit) => {
            pointed = hit ? {view: number, hit} : null;
            light();
          },
          onHold: (hit) => hold(number, hit),
          onRelease: release,
        });
        stage.view = view;
        return {model, view, name, links: linksOf(model), caption: figure.lastChild};
      });
      for (const one of shown) {
        one.view.show(one.model, coloring(one));
        showCaption(one);
      }
      showControls();
      light();
    },
    /** Follows the session: what is held, the colours and the walk. */
    follow(state) {
      const by = state.options.by ?? null;
      if (by !== drawnBy) recolor();
      drawnBy = by;
      showControls();
      light();
    },
    /** Dims the pictures while they are not those of the text. */
    setStale: (isStale) => element.classList.toggle("stale", isStale && shown.length > 0),
    shown: () => shown,
    snapshot: () => shown[0]?.view.snapshot() ?? null,
  };
}

function logicalNameOf({panels, title}) {
  if (panels.length > 1) return title;
  return panels[0]?.fact_names?.includes("held by")
    ? "tensor: each element, with who holds it" : "layout: each coordinate, with its index";
}

/** Whether pictures need the whole width each to be read. */
function areWide(models, width) {
  const half = width / 2 - 24;
  return models.length > 1 && models.some((model) => {
    const natural = naturalCell(model);
    const cell = {width: natural.width * leastScale, height: natural.height * leastScale};
    return arrange(model, {cell, room: half, band: bandLength(model, natural, half)}).width > half;
  });
}
