// The panels below the picture, in the order of their tabs. A panel is a module that exports
//
//   {name, title, needsLayout, show(element, state, ask, update)}
//
// A panel that needs a layout is not asked about a text without one. show() fills the element for a
// state, now and after each change. The chosen layout is what is drawn, as `read` gives it: of a
// dump, the layout picked from it; its text is empty if there is none. `state.pasted` is the text
// of the box, `state.kernels` are the names of its kernels, `state.expression` is what is told step
// by step, and `state.named` are the layouts as texts name them, {name, text}. A panel changes the
// state by update({held: 5}) and asks by ask(op, args, kwargs, assume).

import * as code from "heddle/panel_code.js";
import * as costs from "heddle/panel_costs.js";
import * as instructions from "heddle/panel_instructions.js";
import * as kernels from "heddle/panel_kernels.js";
import * as matrix from "heddle/panel_matrix.js";
import * as notations from "heddle/panel_notations.js";
import * as questions from "heddle/panel_questions.js";
import * as steps from "heddle/panel_steps.js";
import * as symbols from "heddle/panel_symbols.js";

export const panels =
  [notations, steps, questions, costs, matrix, symbols, code, kernels, instructions];
