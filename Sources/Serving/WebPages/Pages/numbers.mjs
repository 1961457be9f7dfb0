// The part of a question's card where one gives a number, and what became of it: see answers.mjs. It is loaded when there is time, or with the first such
// question.

import { barsOf, distance, gradeOf, measured, placeIn, rightOf, rounded, same } from "./kinds.mjs";
import { number, say } from "./messages.mjs";
import { element } from "./view.mjs";

export function make(question, choose) {
  const [least, most, step] = [question.least ?? 0, question.most, question.step ?? 1];
  const range = say("range", { least: measured(question, least), most: measured(question, most) });
  const middle = rounded(least + Math.round((most - least) / step / 2) * step);
  // The keys of telephones for whole numbers have no sign.
  const keys = least < 0 ? "text" : Number.isInteger(step) && Number.isInteger(least) ? "numeric" : "decimal";
  const field = element("input", { type: "number", id: "number-field", inputmode: keys, min: least, max: most, step, autocomplete: "off", dir: "ltr", "aria-label": question.unit ? `${say("yourNumber")} (${question.unit})` : say("yourNumber"), "aria-describedby": "number-range" });
  const slider = element("input", { type: "range", id: "number-slider", min: least, max: most, step, value: middle, "aria-label": say("yourNumber"), dir: "ltr", tabindex: "0" });
  const problem = element("p", { class: "problem", role: "alert", hidden: true }, range);
  const button = (sign, name, by) => {
    const made = element("button", { type: "button", class: "step", "aria-label": say(name) }, sign);
    made.addEventListener("click", () => go(by));
    return made;
  };
  const show = (value) => {
    field.value = value === null ? "" : String(value);
    slider.value = String(value ?? middle);
    tell(value);
  };
  const tell = (value) => {
    slider.setAttribute("aria-valuetext", value === null ? range : measured(question, value));
    problem.hidden = true;
    slider.classList.toggle("empty", value === null);
    slider.style.setProperty("--at", value === null ? 0 : (value - least) / (most - least));
  };
  const go = (by) => {
    if (!isOpen) return;
    const now = field.value === "" ? null : Number(field.value);
    // The first step shows where one is.
    const value = now === null ? middle : Math.min(most, Math.max(least, rounded(now + by * step)));
    show(value);
    choose(value);
  };
  let isOpen = true;
  // What is shown: the own answer as it was told last.
  let shown;
  field.addEventListener("input", () => {
    if (!isOpen || field.value === "" || !field.validity.valid) return;
    const value = rounded(Number(field.value));
    slider.value = String(value);
    tell(value);
    shown = value;
    choose(value);
  });
  field.addEventListener("change", () => {
    problem.hidden = !isOpen || field.validity.valid;
    if (!isOpen) show(shown ?? null);
  });
  slider.addEventListener("input", () => {
    if (!isOpen) return show(shown ?? null);
    const value = rounded(Number(slider.value));
    field.value = String(value);
    tell(value);
    shown = value;
    choose(value);
  });
  const node = element(
    "div", { class: "number" },
    element("div", { class: "number-row", dir: "ltr" }, button("−", "smaller", -1), field, question.unit ? element("span", { class: "unit", dir: "auto" }, question.unit) : null, button("+", "larger", 1)),
    slider,
    element("p", { class: "ends", dir: "ltr", "aria-hidden": "true" }, element("span", {}, measured(question, least)), element("span", {}, measured(question, most))),
    element("span", { id: "number-range", class: "spoken" }, range), problem);
  const outcome = element("div", { class: "number-result", hidden: true });
  tell(null);
  let drawn = "";
  return {
    nodes: [node, outcome],
    press: () => false,
    mark(selected, isNowOpen) {
      isOpen = isNowOpen;
      for (const part of [field, slider, ...node.querySelectorAll("button")]) part.setAttribute("aria-disabled", String(!isOpen));
      field.readOnly = !isOpen;
      node.classList.toggle("mine", selected !== null);
      // What one is typing stays until it is an answer.
      if (shown !== undefined && same(selected, shown) && isOpen) return;
      shown = selected;
      if (!isOpen || document.activeElement !== field || field.value === "") show(selected);
    },
    result(result, selected) {
      const key = JSON.stringify([rightOf(result), selected, result.histogram]);
      if (drawn === key) return;
      drawn = key;
      node.hidden = true;
      outcome.hidden = false;
      outcome.replaceChildren(...numberResult(question, result, selected));
    },
  };
}

// The right number, the own one, and how many gave which.
export function numberResult(question, result, selected) {
  const right = rightOf(result);
  const line = (name, value, note, kind) =>
    element(
      "p", { class: `number-line ${kind}` }, element("span", {}, name), element("b", { dir: "auto" }, measured(question, value)),
      note ? element("small", { dir: "auto" }, note) : null);
  const parts = [];
  if (right !== undefined) parts.push(line(say("correct"), right, "", "right"));
  if (selected !== null && selected !== undefined) {
    const away = right === undefined ? 0 : distance(selected, right);
    parts.push(line(say("yourNumber"), selected, away > 0 ? say("away", { distance: measured(question, away) }) : "", gradeOf(question, result, selected)));
  }
  if (result.histogram) parts.push(histogram(question, result.histogram, right, selected));
  return parts;
}

export function histogram(question, data, right, selected) {
  const most = Math.max(1, ...data.counts);
  const isIn = (bar, value) => value !== undefined && value !== null && value >= bar.from && value < bar.end;
  const bars = barsOf(question, data).map((bar) => {
    const name = bar.from === bar.to ? measured(question, bar.from) : `${measured(question, bar.from)} – ${measured(question, bar.to)}`;
    const made = element(
      "li", { class: [isIn(bar, right) ? "right" : "", isIn(bar, selected) ? "mine" : "", bar.count === most ? "top" : ""].join(" ").trim(), title: name },
      element("span", { class: "spoken" }, `${name}: ${say("chose", { count: bar.count })}`),
      element("span", { class: "bar-count", "aria-hidden": "true" }, bar.count > 0 ? number(bar.count) : ""),
      element("span", { class: "column", "aria-hidden": "true" }));
    made.style.setProperty("--share", bar.count / most);
    return made;
  });
  const needle = right === undefined ? null : element("span", { class: "needle", "aria-hidden": "true" });
  needle?.style.setProperty("--at", placeIn(data, right));
  return element(
    "div", { class: `histogram${bars.length > 10 ? " dense" : ""}`, dir: "ltr" }, element("div", { class: "plot" }, element("ol", {}, ...bars), needle),
    element("p", { class: "ends", "aria-hidden": "true" }, element("span", {}, measured(question, question.least ?? data.from)), element("span", {}, measured(question, question.most ?? rounded(data.from + data.width * data.counts.length)))));
}
