// A text that names layouts of the session is asked about with what they are; a name that cannot be
// used is said.
import assert from "node:assert/strict";
import test from "node:test";

import {programOf, withNames} from "../../explorer/names.js";

/**
 * An ask() that reads every text as one layout, but `a; b` as two, and refuses texts with a word
 * that is not defined, with `Q` for a syntax error.
 */
function reader(sent = []) {
  return async (op, args = [], kwargs = {}, assume = undefined, definitions = []) => {
    sent.push({op, args, assume, definitions});
    const bound = new Set(definitions.map((one) => one.split(" = ")[0]));
    for (const text of args) {
      const words = [...text.matchAll(/[A-Z]\w*/g)];
      const wrong = words.find(([word]) => !bound.has(word));
      if (wrong) {
        const error = {code: wrong[0] === "Q" ? "syntax.unexpected" : "name.unknown",
          message: `unknown name '${wrong[0]}'`, notes: [], text,
          span: [wrong.index, wrong.index + wrong[0].length]};
        return {ok: false, error};
      }
    }
    const [text = ""] = args;
    const layouts = text.split("; ").map((part, i) => ({name: `L${i + 1}`, text: part}));
    const assumptions = text.includes("m") ? ["m%8==0"] : [];
    return {ok: true, result: {kind: "a layout", layouts, assumptions}};
  };
}

function named(texts) {
  const sent = [];
  const layouts = Object.entries(texts).map(([name, text]) => ({name, text}));
  return {sent, ask: withNames(reader(sent), () => ({layouts}))};
}

test("names are defined in the order in which they need each other, and no others", async () => {
  const {sent, ask} = named({A: "B o C", B: "C(1)", C: "4:1", D: "8:1"});
  assert.ok((await ask("equal", ["A", "4:1"])).ok);
  assert.deepEqual(sent.at(-1).definitions, ["C = 4:1", "B = C(1)", "A = B o C"]);
  await ask("equal", ["D", "D"]);
  assert.deepEqual(sent.at(-1).definitions, ["D = 8:1"]);
});

test("a text without names is sent as it is, in the turn it was asked in", () => {
  const {sent, ask} = named({A: "4:1", cuda: "4:1"});
  ask("size", ["(4,8):(8,1)"], {target: "cuda"}, "m==4");
  assert.deepEqual(sent, [{op: "size", args: ["(4,8):(8,1)"], assume: "m==4", definitions: []}]);
});

test("names that need each other, or themselves, are said", async () => {
  const {ask} = named({A: "B(1)", B: "C(1)", C: "A(1)", D: "D o 4:1"});
  const {error} = await ask("size", ["A"]);
  assert.equal(error.code, "name.unknown");
  assert.equal(error.message, "A needs itself");
  assert.deepEqual(error.span, [0, 1]);
  assert.equal((await ask("size", ["C"])).error.message, "C needs itself");
  assert.equal((await ask("read", ["D o 4:1"])).error.message, "D needs itself");
});

test("a layout that cannot be named is said where it is used, and only there", async () => {
  const {ask} = named({A: "Q", B: "", C: "4:1; 8:1", D: "A o 4:1", log: "a log about A"});
  const why = async (text) => (await ask("size", [text])).error.message;
  assert.equal(await why("A"), "A has an error: unknown name 'Q'");
  assert.equal(await why("B"), "B has no text");
  assert.equal(await why("C"), "C has 2 layouts, and a name stands for one");
  assert.equal(await why("D"), "A has an error: unknown name 'Q'");
  assert.equal(await why("E"), "unknown name 'E'");
  assert.ok((await ask("size", ["4:1 log"])).ok);
});

test("what a text assumes is assumed before what it defines", async () => {
  const {sent, ask} = named({A: "4:1", B: "A o m"});
  await ask("size", ["B"]);
  assert.deepEqual(sent.at(-1).definitions, ["assume m%8==0", "A = 4:1", "B = A o m"]);
});

test("kernels and instructions have names of their own", async () => {
  const {sent, ask} = named({A: "4:1"});
  await ask("kernel_explain", ["A"]);
  assert.deepEqual(sent.at(-1).definitions, []);
});

test("a program has each layout once, after what it needs, and says what it leaves out", async () => {
  const program = (texts, options = {}) => programOf(reader(),
    {layouts: Object.entries(texts).map(([name, text]) => ({name, text})), options});
  assert.equal(await program({A: "B(1)", B: "4:1", "x y": "8:1", empty: " "}),
    "B = 4:1\nA = B(1)\nx_y = 8:1\n");
  assert.equal(await program({A: "4:1; 8:1", B: "Q"}),
    "A_L1 = 4:1\nA_L2 = 8:1\n# B: unknown name 'Q'\n");
  assert.equal(await program({A: "8:1", B: "4:m"}, {assume: "n==4", sizes: {k: 2}}),
    "assume n==4\nassume k==2\nassume m%8==0\nA = 8:1\nB = 4:m\n");
});
