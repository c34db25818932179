// What panels are told of a text, by what it was read as.
import assert from "node:assert/strict";
import test from "node:test";

import {drawnState} from "../../explorer/explorer.js";
import {pictureArguments, readText, requestPictures} from "../../explorer/requests.js";
import {emptyState} from "../../explorer/session.js";

const stateOf = (text, options = {}) =>
  ({...emptyState, layouts: [{name: "A", text}], options});
const axe = {name: "L1", text: "S[(4,8):(8@m,1@m)]", kind: "an Axe layout", shape: [32]};

test("an Axe layout is asked about on the tensor that it was read with", async () => {
  const asked = [];
  const ask = async (op, args, kwargs) => {
    asked.push([op, kwargs.shape]);
    return {ok: true, result: {}};
  };
  const state = stateOf(axe.text);
  await readText(ask, axe.text, state.options);
  await requestPictures(ask, drawnState(state, {kind: axe.kind, layouts: [axe]}));
  assert.deepEqual(asked, [["read", undefined], ["picture", [32]], ["picture", [32]]]);
});

test("a text that states its shape is asked about without one, whatever was chosen", () => {
  const linear = {...axe, kind: "a linear layout", text: "encoding_to_linear_layout(…, [4, 8])"};
  const {options} = drawnState(stateOf("#ttg.blocked<{…}>", {shape: [4, 8]}),
    {kind: "an encoding", layouts: [linear]});
  assert.equal("shape" in pictureArguments(options), false);
});

test("nothing is asked of a text without layouts, and its kernels are known", async () => {
  const text = "kernel f(X: f32[N]) launch cta N, threads 32 { X[bx] = 1.0 }";
  const drawn = drawnState(stateOf(text), {kind: "a kernel: f", layouts: [], kernels: ["f"]});
  assert.deepEqual(await requestPictures(() => assert.fail("asked"), drawn), []);
  assert.deepEqual([drawn.kernels, drawn.pasted, drawn.expression], [["f"], text, ""]);
});

test("an expression that is no layout is still told step by step", () => {
  const drawn = drawnState(stateOf("size(8:1)"), {kind: "an integer", layouts: [], kernels: []});
  assert.equal(drawn.expression, "size(8:1)");
  assert.equal(drawn.layouts[0].text, "");
});
