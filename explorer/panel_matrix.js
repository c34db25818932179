// A layout as a matrix over GF(2): a row for each bit of where it leads, a column for each bit of
// the coordinate. A row with several ones is a bit that a swizzle XORs.
//
//   equationsOf({ins: [["i", [[1], [3]]]], outs: [["m", 4]]}, [[1, 1], [0, 1]])
//   [{out: "m bit 0", ins: ["i bit 0", "i bit 1"]}, {out: "m bit 1", ins: ["i bit 1"]}]

import {diagnostic} from "heddle/diagnostic.js";
import {h, put, takeTurn} from "heddle/dom.js";
import {drawing} from "heddle/panel_drawing.js";
import {answered, code, counted, table} from "heddle/panel_parts.js";
import {shapeArgument} from "heddle/requests.js";
import {chosenLayout} from "heddle/session.js";

export const name = "matrix";
export const title = "Matrix";
export const needsLayout = true;

/** Each bit of the outputs as the XOR of bits of the inputs, low bit first. */
export function equationsOf(linear, matrix) {
  const bits = (dim, count) => Array.from({length: count}, (_, bit) => `${dim} bit ${bit}`);
  const ins = linear.ins.flatMap(([dim, bases]) => bits(dim, bases.length));
  const outs = linear.outs.flatMap(([dim, size]) => bits(dim, Math.log2(size)));
  return outs.map((out, row) => ({out, ins: ins.filter((_, column) => matrix[row][column] === 1)}));
}

/** The equations as a table, those of swizzle bits marked. */
export function equationTable(equations) {
  const swizzled = equations.filter(({ins}) => ins.length > 1).length;
  const caption = swizzled === 0 ? "No bit is swizzled: each is one bit of the coordinate, or none"
    : `${counted(swizzled, "bit is", "bits are")} swizzled: the XOR of several bits`;
  return table(caption, [], equations.map(({out, ins}) => [
    h("span", {class: ins.length > 1 ? "swizzled" : null}, out),
    ins.length === 0 ? "always 0" : ins.join(" ^ "),
  ]));
}

/** Draws the panel: the matrix, and what it says of each bit. */
export async function show(element, state, ask) {
  const isLast = takeTurn(element);
  const {assume} = state.options;
  const linear = await ask("convert", [chosenLayout(state).text, "linear"],
    shapeArgument(state.options), assume);
  if (!linear.ok) {
    if (isLast()) put(element, diagnostic(linear.error));
    return;
  }
  const text = JSON.stringify(linear.result);
  const [matrix, picture] = await Promise.all([
    ask("matrix", [linear.result]),
    ask("picture", [text], {format: "json", view: "matrix"}),
  ]);
  if (!isLast()) return;
  put(element,
    answered(picture, (model) => drawing(model, "the matrix over GF(2)")),
    answered(matrix, (rows) => equationTable(equationsOf(linear.result, rows))),
    code("As Triton's linear layout", text));
}
