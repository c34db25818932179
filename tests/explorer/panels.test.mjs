// Panels are functions from answers to trees: what is shown is what the answer says, with the
// counterexample to hold, and a text from outside is a text.
import assert from "node:assert/strict";
import test from "node:test";

import {nodesOf, textOf} from "../../explorer/dom.js";
import {codeOf} from "../../explorer/panel_code.js";
import {bankSummary, coalescingTable, ldmatrixText, phaseTable, rolesOf, rowMajorOf, swizzleTable,
  tmaTable, whyLeftOut}
  from "../../explorer/panel_costs.js";
import {matching, operandText} from "../../explorer/panel_instructions.js";
import {choiceTable, namesOf, tensorTable} from "../../explorer/panel_kernels.js";
import {equationsOf, equationTable} from "../../explorer/panel_matrix.js";
import {diagnostic, pageHint, witnessSentence} from "../../explorer/diagnostic.js";
import {verdict} from "../../explorer/panel_parts.js";
import {differenceTable, placeText, recoveredTable} from "../../explorer/panel_questions.js";
import {storyOf, story} from "../../explorer/panel_steps.js";
import {sliderRange} from "../../explorer/panel_symbols.js";
import {panels} from "../../explorer/panels.js";

const press = (tree, text) => nodesOf(tree, "button")
  .find((button) => textOf(button) === text).attributes.onclick();

test("panels have names of their own, a title and a way to be shown", () => {
  assert.equal(new Set(panels.map(({name}) => name)).size, panels.length);
  for (const {title, show} of panels) assert.deepEqual([typeof title, typeof show],
    ["string", "function"]);
});

test("a diagnostic says everything that it knows, and holds its witness", () => {
  const held = [];
  const error = {code: "composition.no_layout", message: "no layout",
    notes: ["6 is not a multiple of 4"], hint: "try 8:1",
    witness: {coordinate: "4", found: "5", wanted: "4"}};
  const tree = diagnostic(error, (one) => held.push(one));
  for (const part of ["no layout", "6 is not a multiple of 4", "hint: try 8:1",
    "at 4: 5, where 4 is needed", "composition.no_layout"]) {
    assert.ok(textOf(tree).includes(part), part);
  }
  press(tree, "show 4");
  assert.deepEqual(held, [{coordinate: "4"}]);
  assert.deepEqual(nodesOf(diagnostic(error), "button"), []);
  assert.equal(witnessSentence(null), null);
  assert.equal(witnessSentence({coordinate: "", found: "nothing maps to 8", wanted: ""}),
    "nothing maps to 8");
});

test("a hint that names an option of the command names the panel instead", () => {
  assert.equal(pageHint("give every size a value: --assume 'M==256, N==256'"),
    "give every size a value: M==256, N==256 in the panel Sizes");
  assert.equal(pageHint("use == here"), "use == here");
});

test("a diagnostic marks its place in the line, whatever letters are before it", () => {
  const error = {code: "name.unknown", message: "unknown name 'Q'"};
  const marked = (text, span) => {
    const tree = diagnostic({...error, text, span});
    return [textOf(nodesOf(tree, "mark")), textOf(nodesOf(tree, "div").at(-1))];
  };
  assert.deepEqual(marked("Q o 4:1", [0, 1]), ["Q", "Q o 4:1"]);
  assert.deepEqual(marked("∘ Q", [4, 5]), ["Q", "∘ Q"]);
  assert.deepEqual(marked("(4,8", [4, 4]), [" ", "(4,8 "]);
  assert.deepEqual(marked("A = 4:1\nQ o A\n", [8, 9]), ["Q", "line 2: Q o A"]);
  const [mark, line] = marked(`${"x".repeat(500)}Q${"y".repeat(500)}`, [500, 501]);
  assert.equal(mark, "Q");
  assert.ok(line.length < 150);
});

test("the counterexample of a no is held by its flat number, or by its coordinate", () => {
  const held = [];
  const answer = (numbers) => ({verdict: "no", method: "digit form",
    counterexample: {coordinate: "16 = (0,4)", found: "8", wanted: "8 at 1", numbers}});
  press(verdict(answer({flat: 16}), (one) => held.push(one)), "show it");
  press(verdict(answer({}), (one) => held.push(one)), "show it");
  assert.deepEqual(held, [16, {coordinate: "16 = (0,4)"}]);
  const yes = {verdict: "yes", method: "digit form", counterexample: null};
  assert.deepEqual(nodesOf(verdict(yes, () => {}), "button"), []);
});

test("coordinates of any kind are written as the systems write them", () => {
  assert.equal(placeText([1, [0, 2]]), "(1,(0,2))");
  assert.equal(placeText({lane: 3, register: 0}), "lane=3, register=0");
  assert.equal(placeText({set: [0, 4]}), "{0,4}");
  assert.equal(placeText(null), "none");
});

test("differences are listed with both images, and one is held by its coordinate", () => {
  const held = [];
  const tree = differenceTable({points: 4, different: 2, differences: [
    {coordinate: [1, 0], a: 1, b: 2}, {coordinate: [0, 1], a: 2, b: 1}]}, (one) => held.push(one));
  assert.ok(textOf(tree).includes("2 of 4 points differ"));
  assert.deepEqual(nodesOf(tree, "td").map(textOf), ["1", "2", "2", "1"]);
  press(tree, "(0,1)");
  assert.deepEqual(held, [{coordinate: "(0,1)"}]);
  assert.ok(textOf(differenceTable({points: 4, different: 0}, null)).startsWith("All 4 points"));
  assert.ok(!textOf(differenceTable({points: 0, different: 0}, null)).includes("same image"));
});

test("a recovered table can be taken in every notation that has it", () => {
  const kept = [];
  const tree = recoveredTable({of: "8 points", notations: [
    {system: "cute", layout: "(4,2):(8,1)", remark: ""},
    {system: "linear", error: {code: "recover.no_bits", message: "no bits"}}]},
  (text) => kept.push(text));
  assert.equal(nodesOf(tree, "button").length, 1);
  press(tree, "take it");
  assert.deepEqual(kept, ["(4,2):(8,1)"]);
  assert.ok(textOf(tree).includes("no bits"));
});

const explanation = [{title: "composition(A, B)", operands: ["A", "B"], text: "Each leaf.",
  result: "(2,2):(24,2)", steps: [
    {title: "leaf 4:3", operands: ["4:3"], text: "reads A", result: "4:6",
      steps: [{title: "in 6:8", operands: [], text: "fits", steps: [], result: null}]}]}];

test("a story tells every step once, in order, and the result behind what leads to it", () => {
  const steps = storyOf(explanation);
  assert.deepEqual(steps.map(({title, depth}) => [title, depth]),
    [["composition(A, B)", 0], ["leaf 4:3", 1], ["in 6:8", 2], ["result", 0]]);
  assert.equal(steps[0].result, undefined);
  assert.equal(steps[3].result, "(2,2):(24,2)");
});

test("a story tells no text of a step that lies ahead, and goes on by one", () => {
  const went = [];
  const tree = story(storyOf(explanation), 1, (step) => went.push(step), () => {});
  assert.ok(textOf(tree).includes("reads A"));
  assert.ok(!textOf(tree).includes("fits"));
  press(tree, "next");
  press(tree, "back");
  press(tree, "all");
  assert.deepEqual(went, [2, 0, 3]);
});

test("a refused operation ends its story with the refusal", () => {
  const error = {code: "composition.no_layout", message: "no layout"};
  const steps = storyOf([{...explanation[0], result: null, error}]);
  assert.equal(steps.at(-1).title, "refused");
  assert.ok(textOf(story(steps, 3, () => {}, () => {})).includes("composition.no_layout"));
});

test("an access has the roles that were chosen", () => {
  assert.deepEqual(rolesOf("A", {other: "B"}), {access: "A", memory: "B"});
  assert.deepEqual(rolesOf("A", {role: "memory", other: "B"}), {access: "B", memory: "A"});
  assert.deepEqual(rolesOf("A", {role: "memory", other: " "}), {access: null, memory: "A"});
});

test("numbers of accesses stand as the reports give them", () => {
  const banks = {wavefronts: 32, ideal: 4, requests: 1, vector_elements: 8, vector_bits: 128};
  assert.ok(textOf(bankSummary(banks)).startsWith("8-way bank conflicts"));
  assert.ok(textOf(bankSummary({...banks, wavefronts: 4})).startsWith("no bank conflicts"));
  assert.ok(textOf(bankSummary({...banks, wavefronts: 6})).startsWith("1.50 times the"));
  const traffic = {sectors: 16, ideal: 4, bytes: 128, lines: 4, requests: 1, vector_bits: 32};
  const said = textOf(coalescingTable(traffic));
  assert.ok(said.startsWith("not coalesced"));
  assert.ok(said.includes("128 asked for, 512 moved"));
  assert.equal(ldmatrixText({matrices: 4, transposed: true, requests: 1, wavefronts: 8, ideal: 4}),
    "ldmatrix.x4.trans: 1 instruction, 8 wavefronts, ideally 4");
});

test("a phase names the words of each bank that has several, and who touches them", () => {
  const tree = phaseTable({warp: 0, values: [0], phases: [
    {first_lane: 0, lanes: 8, wavefronts: 2, conflicts: [{bank: 3,
      words: [{word: 3, lanes: [0]}, {word: 35, lanes: [1, 2]}]}]},
    {first_lane: 8, lanes: 8, wavefronts: 1, conflicts: []}]});
  assert.deepEqual(nodesOf(tree, "li").map(textOf),
    ["bank 3: word 3 by lane 0, word 35 by lanes 1 2"]);
  assert.ok(textOf(tree).includes("lanes 8 to 15"));
});

test("the swizzle finder offers what it found, before and after", () => {
  const kept = [];
  const tree = swizzleTable({plain: {layout: "P", wavefronts: 32},
    swizzled: {layout: "S", wavefronts: 4}, swizzles_tried: 322, padded: null, paddings_tried: 64},
  (text) => kept.push(text));
  assert.equal(nodesOf(tree, "button").length, 2);
  nodesOf(tree, "button")[1].attributes.onclick();
  assert.deepEqual(kept, ["S"]);
  assert.ok(textOf(tree).includes("322 swizzles"));
});

test("a tensor map has the names of cuTensorMapEncodeTiled, and its rules", () => {
  const said = textOf(tmaTable({instructions: 1, bytes: 8192, tensor_map: {boxDim: [64, 64]},
    rules: [{subject: "rank", condition: "2 <= 5", proved: true}]}));
  for (const part of ["1 instruction of 8192 bytes", "boxDim(64,64)", "rank2 <= 5holds"]) {
    assert.ok(said.includes(part), part);
  }
});

test("each output bit is the XOR of the input bits of its row", () => {
  const linear = {ins: [["i", [[9], [18]]], ["j", [[1], [2], [4]]]], outs: [["offset", 32]]};
  const matrix =
    [[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 0, 0, 1], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]];
  const equations = equationsOf(linear, matrix);
  for (let bit = 0; bit < 5; ++bit) {
    const ins = [["i bit 0", 9], ["i bit 1", 18], ["j bit 0", 1], ["j bit 1", 2], ["j bit 2", 4]]
      .filter(([, basis]) => (basis >> bit) % 2 === 1).map(([name]) => name);
    assert.deepEqual(equations[bit], {out: `offset bit ${bit}`, ins});
  }
  assert.ok(textOf(equationTable(equations)).startsWith("2 bits are swizzled"));
});

test("code keeps helpers and definitions before the expression of each axis", () => {
  assert.equal(codeOf({helpers: "", definitions: ["const int t = i + j;"],
    results: [{axis: "m", expression: "2 * t"}]}), "const int t = i + j;\n2 * t");
  assert.equal(codeOf({helpers: "", definitions: [],
    results: [{axis: "lane", expression: "i"}, {axis: "m", expression: "j"}]}), "lane: i\nm: j");
});

test("a slider stays within what is known of its size", () => {
  const range = (least, greatest, divisor) => sliderRange({least, greatest, divisor});
  assert.deepEqual(range(128, null, 128), {min: 128, max: 256 * 128, step: 128});
  assert.deepEqual(range(2, 8, 1), {min: 2, max: 8, step: 1});
  assert.deepEqual(range(6, 1023, 4), {min: 8, max: 1020, step: 4});
  assert.deepEqual(range(null, null, 1), {min: 1, max: 256, step: 1});
  assert.deepEqual(range(5000, null, 8), {min: 5000, max: 5000 + 255 * 8, step: 8});
});

test("the kernels of a text are found by their names, not in comments", () => {
  assert.deepEqual(namesOf("# kernel no\nkernel add(A: f32[N])\n  launch\nkernel b_2()"),
    ["add", "b_2"]);
});

test("an operator shows what was taken, what was not, and why", () => {
  const said = textOf(choiceTable({statement: "fill(acc, 0)", candidates: [
    {schedule: "element", taken: true, cost: 8},
    {schedule: "vector of 128 bits", taken: false, reason: "not contiguous"}],
  notes: [{about: "spread", text: "8 threads"}]}, null));
  for (const part of ["fill(acc, 0)", "elementtaken8", "vector of 128 bitsnot taken",
    "not contiguous", "spread: 8 threads"]) assert.ok(said.includes(part), part);
});

test("the layouts that were weighed for shared memory can be drawn", () => {
  const kept = [];
  const tree = choiceTable({statement: "shared tile: f32[32,32]", candidates: [
    {schedule: "SW(0,5,5) o S[(32,32):(32@m,1@m)]: 64 wavefronts", taken: true},
    {schedule: "row-major", taken: false, reason: "1056 wavefronts"}], notes: []},
  (...args) => kept.push(args));
  assert.equal(nodesOf(tree, "button").length, 1);
  press(tree, "draw it");
  assert.deepEqual(kept, [["SW(0,5,5) o S[(32,32):(32@m,1@m)]", "tile"]]);
});

test("tensors with a layout can be drawn, under their names", () => {
  const kept = [];
  const tree = tensorTable([
    {name: "A", space: "global", type: "f32", shape: ["M", "N"]},
    {name: "tile", space: "shared", type: "f16", shape: ["32", "32"], layout: "S[(32,32):(33,1)]"}],
  (...args) => kept.push(args));
  assert.ok(textOf(tree).includes("f32[M,N]not written"));
  press(tree, "draw it");
  assert.deepEqual(kept, [["S[(32,32):(33,1)]", "tile"]]);
});

test("instructions are found by the words of their names, and operands written to be read", () => {
  const list = "SM80_16x8x16_F32F16F16F32_TN SM80_16x8x8_F32F16F16F32_TN SM80_8x8x4_F64F64";
  assert.deepEqual(matching(list, "16x8 f16", 1),
    {names: ["SM80_16x8x16_F32F16F16F32_TN"], left: 1});
  assert.deepEqual(matching(list, "mfma"), {names: [], left: 0});
  assert.equal(operandText("v_mfma", "cdna2", "A"), 'instruction_layout("v_mfma", "A", arch="cdna2")');
});

test("a question that does not go with a layout says which layouts it goes with", () => {
  const refused = (message, code = "call.type") => ({ok: false, error: {code, message}});
  assert.equal(whyLeftOut(refused("argument 1 of max_alignment, layout, is a linear layout; " +
    "a layout or a swizzle is needed")),
  "a CuTe layout or a swizzle is needed, this is a linear layout");
  assert.equal(whyLeftOut(refused("the access maps to 2 axes", "analyze.rank")), null);
  assert.equal(whyLeftOut({ok: true, result: 4}), null);
});

test("a tensor's row-major memory is that of the shape in its type, or of the one it was read with",
  () => {
    assert.equal(rowMajorOf("tensor<4x8x16xf32, #ttg.blocked<{}>>"), "(4,8,16):(128,16,1)");
    assert.equal(rowMajorOf("S[(8,16):(16@m,1@m)]", [8, 16]), "(8,16):(16,1)");
    assert.equal(rowMajorOf("(4,8):(8,1)"), null);
  });
