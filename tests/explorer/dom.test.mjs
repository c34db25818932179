// Trees of the page are values: what is left out, and what their texts are.
import assert from "node:assert/strict";
import test from "node:test";

import {h, nodesOf, textOf} from "../../explorer/dom.js";

test("children are flattened, and what is not there is left out", () => {
  const tree = h("p", {}, "a", [null, ["b", false, undefined]], 0);
  assert.deepEqual(tree.children, ["a", "b", 0]);
  assert.equal(textOf(tree), "ab0");
});

test("nodes are found in the order of the page", () => {
  const tree = h("ul", {}, h("li", {}, "1", h("ul", {}, h("li", {}, "2"))), h("li", {}, "3"));
  assert.deepEqual(nodesOf(tree, "li").map(textOf), ["12", "2", "3"]);
});
