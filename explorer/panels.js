// The panels below the picture, in the order of their tabs. A panel is a module that exports
//
//   {name, title, show(element, state, ask, update)}
//
// show() fills the element for a state, now and after each change. The chosen layout's text is what
// is drawn: of a dump, the layout picked from it; `state.pasted` is the text of the box. A panel
// changes the state by update({held: 5}) and asks by ask(op, args, kwargs, assume).

import * as notations from "heddle/panel_notations.js";

export const panels = [notations];
