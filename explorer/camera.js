// What of a picture is seen: its zoom, and where its corner is in the view.
//
//   const camera = createCamera(model, {width: 900, height: 500});
//   camera.zoomBy(2, {x: 450, y: 200});      // the cell under this point stays under it
//   camera.moveBy(-30, 0);
//   camera.hitAt({x: 450, y: 200})           // the cell there, or null
//
// A zoom changes the size of the cells, and the panels are arranged anew: what stands beside them
// keeps its size. Nothing here needs a browser.

import {
  arrange, bandLength, cellType, hitTest, leastType, naturalCell, whereIs,
} from "heddle/picture.js";

export const margin = 12;
const greatestZoom = 8;
const leastZoom = 0.0005;
const longRatio = 6;
// Numbers that cannot be read help less than a picture that is moved; up to so many cells.
const mostLegible = 4096;

/** A camera for a model in a view of a width, at most `most.height` high. */
export function createCamera(model, most) {
  const natural = naturalCell(model);
  const room = most.width - 2 * margin;
  const band = bandLength(model, natural, room);
  let zoom = 1;
  let arranged = null;
  let offset = {x: margin, y: margin};
  let size = {...most};

  function setZoom(scale) {
    zoom = scale;
    const cell = {width: natural.width * zoom, height: natural.height * zoom};
    arranged = arrange(model, {cell, room: Math.max(room, 200), band});
  }

  /** The greatest zoom, at most 1, at which a side fits. Only grids shrink, not their rulers. */
  function scaleThatFits(side, length) {
    const neededAt = (scale) => {
      setZoom(scale);
      return arranged[side];
    };
    let scale = 1;
    for (let step = 0; step < 16; ++step) {
      const needed = neededAt(scale);
      if (needed <= length) break;
      const ofGrids = Math.max(2 * (needed - neededAt(scale / 2)), 1);
      // Where rulers alone take most of the side, the grids keep a fifth of it.
      const room = Math.max(length - (needed - ofGrids), length * 0.2);
      if (room >= ofGrids) break;
      scale = Math.max(scale * Math.min(room / ofGrids, 0.9), leastZoom);
    }
    return scale;
  }

  /** The greatest zoom, at most 1, at which everything is seen, or its numbers can be read. */
  function fit() {
    const [smaller, larger] = [
      scaleThatFits("width", room), scaleThatFits("height", most.height - 2 * margin),
    ].sort((a, b) => a - b);
    // What is much longer than wide would be a thread: it fits by its short side.
    let scale = larger > smaller * longRatio ? larger : smaller;
    const count = model.panels.reduce((sum, panel) => sum + panel.cells.text.length, 0);
    if (count <= mostLegible) scale = Math.max(scale, (leastType + 0.05) / cellType);
    setZoom(scale);
    size = {
      width: most.width,
      height: Math.ceil(Math.min(arranged.height + 2 * margin, most.height)),
    };
    offset = {x: Math.max(margin, Math.floor((size.width - arranged.width) / 2)), y: margin};
  }

  function clampOffset() {
    const clampSide = (value, length, space) => {
      const least = Math.min(space - length - margin, (space - length) / 2, margin);
      const greatest = Math.max(margin, (space - length) / 2);
      return Math.min(Math.max(value, least), greatest);
    };
    offset = {
      x: clampSide(offset.x, arranged.width, size.width),
      y: clampSide(offset.y, arranged.height, size.height),
    };
  }

  /** Moves the picture; whether it moved. */
  function moveBy(x, y) {
    const before = offset;
    offset = {x: offset.x + x, y: offset.y + y};
    clampOffset();
    return offset.x !== before.x || offset.y !== before.y;
  }

  /** Zooms so that the point of the nearest grid under (x, y) stays there, if the edges let it. */
  function zoomBy(factor, at = {x: size.width / 2, y: size.height / 2}) {
    const number = nearestTo(at);
    const before = arranged.places[number];
    const across = (at.x - offset.x - before.x) / before.width;
    const down = (at.y - offset.y - before.y) / before.height;
    setZoom(Math.min(Math.max(zoom * factor, leastZoom), greatestZoom));
    const after = arranged.places[number];
    offset = {
      x: at.x - after.x - across * after.width,
      y: at.y - after.y - down * after.height,
    };
    clampOffset();
  }

  function nearestTo(at) {
    const distance = (place) => {
      const x = at.x - offset.x - place.x;
      const y = at.y - offset.y - place.y;
      return Math.hypot(Math.max(-x, 0, x - place.width), Math.max(-y, 0, y - place.height));
    };
    const distances = arranged.places.map(distance);
    return distances.indexOf(Math.min(...distances));
  }

  /** Moves the picture so that a cell is seen, and not under a ruler; whether it moved. */
  function reveal(index, cell) {
    const at = whereIs(arranged, index, cell);
    const place = arranged.places[at.place];
    const {width, height} = place.cell;
    const step = (value, length, least, space) =>
      (value < least ? least - value : Math.min(0, space - margin - value - length));
    return moveBy(step(at.x + offset.x, width, place.gutter + 4, size.width),
                  step(at.y + offset.y, height, place.header + 4, size.height));
  }

  fit();
  return {
    fit, moveBy, zoomBy, reveal, natural, band,
    hitAt: ({x, y}) => hitTest(arranged, x - offset.x, y - offset.y),
    /** What is seen: {arranged, zoom, offset, size}. */
    now: () => ({arranged, zoom, offset, size}),
  };
}
