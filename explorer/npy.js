// Tables of numbers as people have them: the text of a spreadsheet, or an .npy file of NumPy.
//
//   readTable("0\t8\n1\t9")     // {ok: true, table: [[0, 8], [1, 9]]}
//   readNpy(bytes)              // the same of a file, row-major whatever order it is stored in
//   readTable("0\tx")           // {ok: false, error: {code: "explore.table", message: "line 1 …"}}
//   labelsOf("i\tj\n0\t8")      // {error: …, text: "0\t8"}: the first row has no numbers

import {refusal} from "heddle/ask.js";

const mostNumbers = 1 << 20;
const mostLabels = 4;

/** Numbers in row-major order as nested arrays of a shape: a lone number where it is empty. */
export function nested(numbers, shape) {
  if (shape.length === 0) return numbers[0];
  const [extent, ...inner] = shape;
  const step = inner.reduce((product, size) => product * size, 1);
  return Array.from({length: extent},
    (_, row) => nested(numbers.slice(row * step, (row + 1) * step), inner));
}

const isInteger = (cell) => /^[+-]?\d+$/.test(cell);

/** The cells of the lines of a text, between the strongest separator that it has. */
function rowsOf(text) {
  const separator = ["\t", ";", ","].find((one) => text.includes(one)) ?? /\s+/;
  return text.trimEnd().split(/\r?\n/).filter((line) => line.trim() !== "")
    .map((line) => (typeof separator === "string" ? line : line.trim()).split(separator)
      .map((cell) => cell.trim()));
}

/**
 * The labels of a table whose first row, first column or both have no numbers: {error, text}, with
 * the text of the table without them; null for every other text.
 */
export function labelsOf(text) {
  if (/[[\](){}]/.test(text)) return null;
  const rows = rowsOf(text);
  const isRow = rows.length > 1 && !rows[0].some(isInteger);
  const below = isRow ? rows.slice(1) : rows;
  const isColumn = below.length > 1 && below.every(([first]) => !isInteger(first));
  const numbers = isColumn ? below.map((row) => row.slice(1)) : below;
  const isTable = numbers.flat().length > 1 &&
    numbers.every((row) => row.length === numbers[0].length && row.every(isInteger));
  if (!isTable || !(isRow || isColumn)) return null;
  const parts = [
    isRow && ["row", rows[0].filter((cell) => cell !== "")],
    isColumn && ["column", below.map(([first]) => first)],
  ].filter(Boolean);
  const names = parts.map(([part, cells]) =>
    `the first ${part} has no numbers: ${cells.slice(0, mostLabels).join(", ")}` +
    (cells.length > mostLabels ? ", …" : ""));
  return {...refusal("explore.table", names.join("; "), "if it has labels, leave them out"),
    text: numbers.map((row) => row.join("\t")).join("\n")};
}

/**
 * The rows of a pasted table. Cells are separated by tabs, commas, semicolons or blanks, rows by
 * lines or brackets; a single row is a table of one dimension. Every cell is an integer, and all
 * rows have equally many. A refusal of a table with labels has `labels`.
 */
export function readTable(text) {
  const lines = text.replaceAll("],", "]\n").split(/\r?\n/).map((line, number) => ({
    number: number + 1,
    cells: line.replaceAll(/[[\]]/g, " ").split(/[\t,; ]+/).filter((cell) => cell !== ""),
  })).filter((line) => line.cells.length > 0);
  if (lines.length === 0) return refusal("explore.table", "there are no numbers in this table");
  const labels = labelsOf(text);
  if (labels) return {ok: false, error: labels.error, labels};
  const width = lines[0].cells.length;
  for (const {number, cells} of lines) {
    const wrong = cells.findIndex((cell) => !isInteger(cell));
    if (wrong >= 0) {
      return refusal("explore.table",
        `line ${number}, cell ${wrong + 1} is '${cells[wrong]}'; an integer is needed`);
    }
    const large = cells.find((cell) => !Number.isSafeInteger(Number(cell)));
    if (large) return refusal("explore.table", `${large} in line ${number} is more than 2^53`);
    if (cells.length !== width) {
      return refusal("explore.table",
        `line ${number} has ${cells.length} cells, and the first row has ${width}`,
        "a table is a box: all of its rows have equally many cells");
    }
  }
  const rows = lines.map(({cells}) => cells.map(Number));
  return {ok: true, table: rows.length === 1 ? rows[0] : rows};
}

/** How the numbers of a type of NumPy are read; each with its size in bytes. */
const readers = {
  b1: [1, (view, at) => view.getUint8(at)],
  i1: [1, (view, at) => view.getInt8(at)],
  u1: [1, (view, at) => view.getUint8(at)],
  i2: [2, (view, at) => view.getInt16(at, true)],
  u2: [2, (view, at) => view.getUint16(at, true)],
  i4: [4, (view, at) => view.getInt32(at, true)],
  u4: [4, (view, at) => view.getUint32(at, true)],
  i8: [8, (view, at) => Number(view.getBigInt64(at, true))],
  u8: [8, (view, at) => Number(view.getBigUint64(at, true))],
  f4: [4, (view, at) => view.getFloat32(at, true)],
  f8: [8, (view, at) => view.getFloat64(at, true)],
};

/** The header of a file: its type, order and shape, and where the numbers begin. */
function headerOf(bytes) {
  const view = new DataView(bytes);
  const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
  const isNpy = view.byteLength >= 12 && magic.every((byte, at) => view.getUint8(at) === byte);
  if (!isNpy) {
    return refusal("explore.npy", "this is not a .npy file: it does not begin with \\x93NUMPY");
  }
  const isLong = view.getUint8(6) > 1;
  const begin = isLong ? 12 : 10;
  const length = isLong ? view.getUint32(8, true) : view.getUint16(8, true);
  if (begin + length > view.byteLength) {
    return refusal("explore.npy", `the header is ${length} bytes, and the file ends before`);
  }
  const text = new TextDecoder("latin1").decode(new Uint8Array(bytes, begin, length));
  const type = /'descr':\s*'([^']*)'/.exec(text)?.[1];
  const order = /'fortran_order':\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(text)?.[1];
  if (type === undefined || order === undefined || shape === undefined) {
    return refusal("explore.npy", "the header has no simple type, order and shape",
      "records and lists of fields are not tables of numbers");
  }
  return {ok: true, type, isColumnMajor: order === "True", data: begin + length,
    shape: shape.split(",").filter((part) => part.trim() !== "").map(Number)};
}

/** Numbers stored first dimension fastest, in row-major order. */
function rowMajor(numbers, shape) {
  const strides = shape.map((_, dim) => shape.slice(0, dim).reduce((a, b) => a * b, 1));
  return numbers.map((_, flat) => {
    let rest = flat;
    let at = 0;
    for (let dim = shape.length - 1; dim >= 0; --dim) {
      at += rest % shape[dim] * strides[dim];
      rest = Math.floor(rest / shape[dim]);
    }
    return numbers[at];
  });
}

/**
 * The table in the bytes of an .npy file. Refuses other files, types that are not little-endian
 * integers or floats, numbers that are no integers of at most 2^53, and more than 2^20 of them.
 */
export function readNpy(bytes) {
  const header = headerOf(bytes);
  if (!header.ok) return header;
  const {type, shape, data} = header;
  const reader = /^[<|=]/.test(type) ? readers[type.slice(1)] : undefined;
  if (!reader) {
    return refusal("explore.npy", `the numbers are of type '${type}'`,
      `little-endian types are read: ${Object.keys(readers).join(" ")}`);
  }
  const [size, read] = reader;
  const count = shape.reduce((product, extent) => product * extent, 1);
  if (count === 0) return refusal("explore.npy", `a table of shape (${shape}) has no numbers`);
  if (count > mostNumbers) {
    return refusal("explore.npy", `a table of ${count} numbers; at most ${mostNumbers} are read`,
      "heddle recover TABLE.npy reads larger ones");
  }
  if (data + count * size > bytes.byteLength) {
    return refusal("explore.npy",
      `${count} numbers of ${size} bytes are ${count * size} bytes; there are ` +
      `${bytes.byteLength - data}`);
  }
  const view = new DataView(bytes);
  const stored = Array.from({length: count}, (_, at) => read(view, data + at * size));
  const numbers = header.isColumnMajor ? rowMajor(stored, shape) : stored;
  const wrong = numbers.findIndex((number) => !Number.isSafeInteger(number));
  if (wrong >= 0) {
    return refusal("explore.npy", `number ${wrong} is ${numbers[wrong]}; a layout has integers`);
  }
  return {ok: true, table: nested(numbers, shape)};
}
