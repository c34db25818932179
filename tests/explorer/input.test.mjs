// The box: places of errors, completion, and texts that stay texts.
import assert from "node:assert/strict";
import test from "node:test";

import {h, nodesOf, textOf} from "../../explorer/dom.js";
import {fileName} from "../../explorer/export.js";
import {spanInCharacters} from "../../explorer/ask.js";
import {completions, wordBefore} from "../../explorer/completion.js";
import {diagnostic} from "../../explorer/diagnostic.js";
import {examples} from "../../explorer/input.js";
import {encodingText, notationRows, remarkOf, textOfLayout}
  from "../../explorer/panel_notations.js";

test("a span of bytes is that of the same characters", () => {
  for (const before of ["", "abc", "∘é", "😀×"]) {
    const text = `${before}MARK é`;
    const bytes = new TextEncoder().encode(before).length;
    const [begin, end] = spanInCharacters(text, [bytes, bytes + 4]);
    assert.equal(text.slice(begin, end), "MARK");
  }
});

test("a word is completed at its end only", () => {
  assert.deepEqual(wordBefore("a + logi", 8), {begin: 4, word: "logi"});
  assert.equal(wordBefore("logical(", 4), null);
  assert.equal(wordBefore("(4,8", 4), null);
  assert.equal(wordBefore("x", 1), null);
});

test("names that begin with the word come before those that contain it", () => {
  const operations = ["zipped_divide", "logical_divide", "divmod", "size"].map((name) => ({name}));
  const found = completions("div", operations, [{name: "mydiv", text: "4:1"}]);
  assert.deepEqual(found.map((one) => one.name), ["divmod", "mydiv", "zipped_divide",
    "logical_divide"]);
  assert.deepEqual(completions("size", operations, []), []);
  const twice = [{name: "compose", signature: "compose(a, b)"}, {name: "compose", signature: "…"}];
  assert.deepEqual(completions("comp", twice, []), [{name: "compose", detail: "compose(a, b)"}]);
});

test("examples are several systems' and no two are the same", () => {
  assert.equal(new Set(examples.map((one) => one.text)).size, examples.length);
});

const evil = "<script>alert(1)</script>\"'&";

test("texts from outside stay texts, in diagnostics and in notations", () => {
  const error = {code: evil, message: evil, notes: [evil], hint: evil,
    witness: {coordinate: evil, found: evil, wanted: evil}};
  const trees = [diagnostic(error), ...notationRows([
    {system: evil, error}, {system: evil, layout: evil, remark: evil},
    {system: "table", layout: {table: [[evil]]}, remark: ""},
  ], () => {})];
  for (const tree of trees) {
    assert.equal(nodesOf([tree], "script").length, 0);
    assert.ok(textOf(tree).includes("<script>alert(1)</script>"));
  }
});

test("a notation says why it is refused, and holds the witness", () => {
  let held = null;
  const error = {message: "no linear layout has the map", notes: ["mode 1 has 3 points"],
    witness: {coordinate: "(1,1)", found: "10", wanted: "8"}};
  const [row] = notationRows([{system: "linear", error}], (value) => {
    held = value;
  });
  assert.match(textOf(row), /no linear layout has the map.*mode 1 has 3 points/);
  nodesOf(row, "button")[0].attributes.onclick();
  assert.deepEqual(held, {coordinate: "(1,1)"});
});

test("a notation is copied as it is written", () => {
  assert.equal(textOfLayout("(4,8):(8,1)"), "(4,8):(8,1)");
  assert.equal(textOfLayout({ins: [], outs: []}), '{"ins":[],"outs":[]}');
  assert.equal(textOfLayout({table: [[0, 1]], axes: ["x"]}), "[[0,1]]");
  assert.equal(remarkOf({remark: "", same: {verdict: "yes", method: "digit form"}}),
               "proved equal (digit form)");
});

test("an encoding of Triton is written as dumps write it", () => {
  const ins = [["register", [[0, 1]]], ["lane", [[1, 0], [2, 0]]]];
  assert.equal(encodingText({kind: "linear", layout: {ins}}),
    "#ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0]], warp = [], block = []}>");
  const memory = {ins: [["offset", [[0, 1], [1, 0]]], ["block", []]]};
  assert.equal(encodingText({kind: "shared_linear", layout: memory, alignment: 16}),
    "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>");
});

test("names of files have letters, digits, - and _ only", () => {
  assert.equal(fileName("A", "svg"), "A.svg");
  assert.equal(fileName("../../etc/passwd", "png"), "etc_passwd.png");
  assert.equal(fileName("", "tex"), "layout.tex");
});

test("children of a node are values, never markup", () => {
  assert.deepEqual(h("p", {}, evil).children, [evil]);
});
