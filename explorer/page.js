// A page of one picture, as `heddle draw -o layout.html` writes it: the model is in the page.
//
//   <script type="application/json" id="model">{"title": …, "panels": […]}</script>
//   <script type="module">import "heddle/page.js";</script>

import {h, put} from "heddle/dom.js";
import {createSession} from "heddle/session.js";
import {Views} from "heddle/views.js";

/** Shows a model, or a list of models of one layout, which are linked, in an element. */
export function showPicture(element, models) {
  const list = Array.isArray(models) ? models : [models];
  put(element,
    h("main", {}, h("h1", {class: "picture"}, list[0].title), h("section", {class: "alone"})),
    h("footer", {}, h("div", {id: "facts", role: "status"})));
  const session = createSession();
  const views = new Views(element.querySelector(".alone"), element.querySelector("#facts"),
    session);
  session.subscribe((state) => views.follow(state));
  views.show(list.map((model) => ({view: null, model})));
}

if (typeof document !== "undefined") {
  showPicture(document.body, JSON.parse(document.getElementById("model").textContent));
}
