// Tables come in exactly, or are refused with the place of what is wrong.
import assert from "node:assert/strict";
import test from "node:test";

import {labelsOf, nested, readNpy, readTable} from "../../explorer/npy.js";

/** The bytes of an .npy file of version 1. */
function npy(type, order, shape, bytes) {
  const head = `{'descr': '${type}', 'fortran_order': ${order}, 'shape': (${shape}), }`;
  const header = `${head.padEnd(117)}\n`;
  const start = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0);
  const file = new Uint8Array(start.length + header.length + bytes.length);
  file.set(start);
  file.set(new TextEncoder().encode(header), start.length);
  file.set(bytes, start.length + header.length);
  return file.buffer;
}

const bytesOf = (array) => new Uint8Array(array.buffer);

test("tabs, commas, blanks and brackets separate the same table", () => {
  const table = [[0, 8], [1, -9]];
  for (const text of ["0\t8\n1\t-9", "0,8\r\n1,-9\r\n", " 0  8 \n\n 1 -9", "[[0, 8], [1, -9]]"]) {
    assert.deepEqual(readTable(text), {ok: true, table}, text);
  }
});

test("one row is a table of one dimension", () => {
  assert.deepEqual(readTable("3 1 2").table, [3, 1, 2]);
});

test("what is no table is refused with its line", () => {
  assert.match(readTable("0 1\n2 x").error.message, /line 2, cell 2 is 'x'/);
  assert.match(readTable("0 1\n2").error.message, /line 2 has 1 cells, and the first row has 2/);
  assert.match(readTable("1.5").error.message, /'1.5'; an integer is needed/);
  assert.match(readTable("9007199254740993").error.message, /more than 2\^53/);
  assert.match(readTable(" \n").error.message, /no numbers/);
});

test("a file gives its numbers whatever type and order it stores them in", () => {
  const rows = [[0, 1, 2], [10, 11, 12]];
  const flat = rows.flat();
  for (const [type, Kind] of [["<i4", Int32Array], ["<u2", Uint16Array], ["|i1", Int8Array],
    ["<f4", Float32Array], ["<f8", Float64Array]]) {
    assert.deepEqual(readNpy(npy(type, "False", "2, 3", bytesOf(Kind.from(flat)))).table, rows, type);
  }
  const wide = BigInt64Array.from(flat.map(BigInt));
  assert.deepEqual(readNpy(npy("<i8", "False", "2, 3", bytesOf(wide))).table, rows);
  const columns = Int32Array.of(0, 10, 1, 11, 2, 12);
  assert.deepEqual(readNpy(npy("<i4", "True", "2, 3", bytesOf(columns))).table, rows);
});

test("a file in column-major order is that in row-major order, of any rank", () => {
  const shape = [2, 3, 4];
  const numbers = Array.from({length: 24}, (_, at) => at);
  const stored = Int16Array.from(numbers, (at) => {
    const [i, j, k] = [at % 2, Math.floor(at / 2) % 3, Math.floor(at / 6)];
    return 12 * i + 4 * j + k;
  });
  assert.deepEqual(readNpy(npy("<i2", "True", "2, 3, 4", bytesOf(stored))).table,
    nested(numbers, shape));
});

test("a file that cannot be read exactly is refused", () => {
  const said = (...args) => readNpy(npy(...args)).error.message;
  assert.match(said(">i4", "False", "1,", new Uint8Array(4)), /type '>i4'/);
  assert.match(said("<i4", "False", "3,", new Uint8Array(4)), /12 bytes; there are 4/);
  assert.match(said("<f4", "False", "1,", bytesOf(Float32Array.of(0.5))), /number 0 is 0.5/);
  assert.match(said("<i8", "False", "1,", bytesOf(BigInt64Array.of(2n ** 60n))), /number 0 is 1152/);
  assert.match(said("<i4", "False", "0, 4", new Uint8Array(0)), /has no numbers/);
  assert.match(said("<i4", "False", "2000, 2000", new Uint8Array(4)), /at most 1048576/);
  assert.match(readNpy(new ArrayBuffer(3)).error.message, /not a \.npy file/);
  assert.match(readNpy(npy("<i4", "False", "1,", new Uint8Array(4)).slice(0, 40)).error.message,
    /the file ends before/);
});

test("labels of a table are named, and left out the numbers are a table", () => {
  const without = (text) => {
    const {error, labels} = readTable(text);
    assert.equal(labels.error, error);
    return [error.message, readTable(labels.text).table];
  };
  const table = [[0, 8], [1, 9]];
  assert.deepEqual(without("i\tj\n0\t8\n1\t9"), ["the first row has no numbers: i, j", table]);
  assert.deepEqual(without("row 1,0,8\nrow 2,1,9\n"),
    ["the first column has no numbers: row 1, row 2", table]);
  assert.deepEqual(without("\ta\tb\r\nx y\t0\t8\r\nz\t1\t9"),
    ["the first row has no numbers: a, b; the first column has no numbers: x y, z", table]);
  assert.deepEqual(without("a b c d e\n1 2 3 4 5"),
    ["the first row has no numbers: a, b, c, d, …", [1, 2, 3, 4, 5]]);
});

test("texts that are no tables have no labels", () => {
  for (const text of ["", "foo 3", "compositon(4:1)\n1 2", "0 1\n2 x", "a b\nc d", "x\n1",
    "a b\n1 2\n3", "S[8:1]\n1 2"]) assert.equal(labelsOf(text), null, text);
});
