// The form of one question in the maker of quizzes: its text, its kind, its answers and which are right, and what else its kind has.

import { changeKind, common, fields, hasAnswers, kindOf, kinds, newAnswer } from "./drafts.mjs";
import { say } from "./messages.mjs";
import { element, part, speak } from "./view.mjs";

// The page, whose function `changed` is called after each change of a draft.
let page;
let draft = null;

export function openEditor(thePage) {
  page = thePage;
  part("kind").replaceChildren(...Object.keys(kinds).map((kind) => element("option", { value: kind, "data-say": `kind-${kind}` }, say(`kind-${kind}`))));
  part("text").addEventListener("input", () => {
    draft.text = part("text").value;
    page.changed();
  });
  part("kind").addEventListener("change", () => {
    changeKind(draft, part("kind").value);
    drawForm();
    page.changed();
  });
  part("add-answer").addEventListener("click", () => {
    draft.answers.push(newAnswer());
    drawForm();
    part("answer-list").lastElementChild.querySelector(".answer-field").focus();
    page.changed();
  });
}

export function edit(theDraft) {
  draft = theDraft;
  if (draft) drawForm();
}

function drawForm() {
  const known = kindOf(draft);
  part("text").value = draft.text;
  // A kind that is not known stays as it is.
  part("kind").disabled = !known;
  part("kind").value = known ? draft.kind : "";
  part("kind-note").hidden = Boolean(known);
  drawAnswers();
  part("kind-fields").replaceChildren(...(known?.fields ?? []).map(fieldOf));
  part("common-fields").replaceChildren(...(known ? common : []).map(fieldOf));
}

function drawAnswers() {
  const known = kindOf(draft);
  part("answer-part").hidden = !hasAnswers(draft);
  if (hasAnswers(draft)) {
    part("right-note").textContent = say({ one: "rightMark", several: "makeRightSeveral", none: "makeRightNone", order: "makeRightOrder", all: "makeRightTexts" }[known.right]);
    part("answer-list").replaceChildren(...draft.answers.map((answer, index) => answerLine(answer, index, known)));
    part("add-answer").setAttribute("aria-disabled", String(draft.answers.length >= known.answers[1]));
    part("add-answer").disabled = draft.answers.length >= known.answers[1];
  }
}

function answerLine(answer, index, known) {
  const label = say("answerNumber", { number: index + 1 });
  const isMarked = known.right === "one" || known.right === "several";
  const mark = isMarked ? element("input", { type: known.right === "one" ? "radio" : "checkbox", name: "right", checked: answer.isRight, "aria-label": `${label}: ${say("correct")}` }) : null;
  mark?.addEventListener("change", () => {
    if (known.right === "one") for (const other of draft.answers) other.isRight = false;
    answer.isRight = mark.checked;
    page.changed();
  });
  const text = element("input", { class: "answer-field", dir: "auto", maxlength: known.longest ?? 120, value: answer.text, "aria-label": label, placeholder: label, autocomplete: "off" });
  text.addEventListener("input", () => {
    answer.text = text.value;
    page.changed();
  });
  // Enter goes on to the next answer, and makes one after the last.
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const next = part("answer-list").children[index + 1]?.querySelector(".answer-field");
    if (next) next.focus();
    else if (!part("add-answer").disabled) part("add-answer").click();
  });
  const button = (sign, name, isAllowed, act) => {
    const made = element("button", { type: "button", class: "small", "aria-label": `${say(name)}: ${label}`, title: say(name), disabled: !isAllowed, "data-act": name }, sign);
    made.addEventListener("click", act);
    return made;
  };
  const move = (by) => () => {
    draft.answers.splice(index + by, 0, ...draft.answers.splice(index, 1));
    drawForm();
    const line = part("answer-list").children[index + by];
    (line.querySelector(`[data-act=${by < 0 ? "earlier" : "later"}]:not(:disabled)`) ?? line.querySelector(".answer-field")).focus();
    speak(say("placeOf", { answer: answer.text, place: index + by + 1, all: draft.answers.length }));
    page.changed();
  };
  const remove = () => {
    draft.answers.splice(index, 1);
    drawForm();
    part("answer-list").children[Math.min(index, draft.answers.length - 1)]?.querySelector(".answer-field").focus();
    page.changed();
  };
  return element(
    "li", {}, mark && element("label", { class: "check" }, mark), text,
    element(
      "span", { class: "tools" }, button("↑", "earlier", index > 0, move(-1)), button("↓", "later", index + 1 < draft.answers.length, move(1)),
      button("✕", "makeRemove", draft.answers.length > known.answers[0], remove)));
}

function fieldOf(name) {
  const { type, longest } = fields[name];
  const key = name === "correct" ? "makeRightNumber" : `make-${name}`;
  if (type === "checkbox") {
    const box = element("input", { type: "checkbox", id: `field-${name}`, checked: draft.values[name] === true });
    box.addEventListener("change", () => {
      draft.values[name] = box.checked;
      drawAnswers();
      page.changed();
    });
    return element("label", { class: "check" }, box, element("span", { "data-say": key }, say(key)));
  }
  const attributes = { id: `field-${name}`, maxlength: longest ?? 24, dir: type === "number" || name === "link" ? "ltr" : "auto", autocomplete: "off" };
  const field = type === "long" ? element("textarea", { ...attributes, rows: 3 }) : element("input", { ...attributes, inputmode: type === "number" ? "decimal" : name === "link" ? "url" : "text" });
  field.value = draft.values[name] ?? "";
  field.addEventListener("input", () => {
    draft.values[name] = field.value;
    page.changed();
  });
  return element("div", { class: type === "long" || name === "link" ? "whole" : "" }, element("label", { for: `field-${name}`, "data-say": key }, say(key)), field);
}
