// The part of a question's card where one writes a text, and what became of it: see answers.mjs. It is loaded when there is time, or with the first such
// question.

import { fillMark, fillShare, share, words } from "./answers.mjs";
import { gradeOf, rightOf, textsOf, wordsOf } from "./kinds.mjs";
import { number, say } from "./messages.mjs";
import { element, write } from "./view.mjs";

const longestText = 64;

export function make(question, choose) {
  let isOpen = true;
  let shown = null;
  const field = element("input", { type: "text", id: "text-field", class: "text-field", dir: "auto", maxlength: longestText, autocomplete: "off", enterkeyhint: "send", "aria-label": say("yourAnswer"), "aria-describedby": "text-count" });
  const count = element("span", { id: "text-count", class: "text-count", dir: "ltr" });
  const send = element("button", { type: "button", class: "take" }, say("send"));
  const node = element("div", { class: "text-answer" }, field, count, send);
  const outcome = element("div", { class: "number-result", hidden: true });
  // One line without signs that do not show, as the server takes it.
  const text = () => field.value.normalize("NFC").replace(/\s+/g, " ").replace(/\p{C}/gu, "").trim();
  const tell = () => {
    write(count, `${number([...field.value].length)} / ${number(longestText)}`);
    send.setAttribute("aria-disabled", String(!isOpen || text() === "" || text() === shown));
  };
  const take = () => {
    if (!isOpen || text() === "" || text() === shown) return;
    shown = text();
    choose(shown);
    tell();
  };
  field.addEventListener("input", tell);
  field.addEventListener("change", take);
  field.addEventListener("keydown", (event) => event.key === "Enter" && take());
  send.addEventListener("click", take);
  tell();
  let drawn = "";
  return {
    nodes: [node, outcome],
    press: () => false,
    mark(selected, isNowOpen) {
      isOpen = isNowOpen;
      field.readOnly = !isOpen;
      node.classList.toggle("mine", selected !== null);
      if (selected !== shown && (document.activeElement !== field || !isOpen || field.value === "")) field.value = selected ?? "";
      shown = selected;
      tell();
    },
    result(result, selected) {
      const key = JSON.stringify([rightOf(result), selected, result.texts]);
      if (drawn === key) return false;
      drawn = key;
      node.hidden = true;
      outcome.hidden = false;
      const right = rightOf(result);
      const line = (name, value, kind) => element("p", { class: `number-line ${kind}` }, element("span", {}, name), element("b", { dir: "auto" }, value));
      outcome.replaceChildren(
        ...(right === undefined ? [] : [line(say("correct"), wordsOf(question, right), "right")]),
        ...(selected ? [line(say("yourAnswer"), selected, gradeOf(question, result, selected))] : []), ...textBars(result, selected));
      return true;
    },
  };
}

// The texts that most players gave, as bars.
function textBars(result, selected) {
  const all = textsOf(result, selected);
  const most = Math.max(1, ...all.map((entry) => entry.count));
  const lines = all.map((entry, index) => {
    const line = element(
      "p", { class: `answer plain hue-${index % 6}${entry.right ? " right" : ""}${entry.isOwn ? " mine" : ""}` }, words(entry.text), element("span", { class: "mark" }), share());
    fillMark(line, entry.right ? "✓" : "", entry.count, [entry.right ? say("correct") : "", entry.isOwn ? say("yourAnswer") : ""]);
    fillShare(line, entry.count, most);
    return line;
  });
  const others = result.texts?.others ?? 0;
  return others > 0 ? [...lines, element("p", { class: "ends" }, say("otherTexts", { count: others }))] : lines;
}
