// The part of a question's card where one answers, for each kind of question. `makeAnswers` draws it once; afterwards only its marks change, so that focus
// stays. It returns the nodes and three functions: `mark` shows the player's answer, and whether it can still be changed; `result` shows what is right, and
// returns whether the list of answers has changed; `press` does what the key of an answer does.

import { later } from "./api.mjs";
import { number, say } from "./messages.mjs";
import { indicesOf, isText, kindOf, rightOf } from "./kinds.mjs";
import { element, speak, write } from "./view.mjs";

// The modules of kinds that most games do not have: they are loaded when there is time, or with the first such question.
const modules = { number: "numbers", order: "orders", text: "texts" };
const makers = {};

// The kind that says how one answers: a poll may take texts.
const formOf = (question) => (isText(question) ? "text" : kindOf(question));

// Whether a question can be drawn at once.
export const isReady = (question) => !Object.hasOwn(modules, formOf(question)) || Object.hasOwn(makers, formOf(question));

// Loads what draws a question; without one, what draws any.
export const prepare = (question) => Promise.all((question ? [formOf(question)] : Object.keys(modules)).map(async (kind) => {
  if (modules[kind]) makers[kind] ??= (await later(modules[kind])).make;
}));

export function makeAnswers(question, choose) {
  const kind = formOf(question);
  if (Object.hasOwn(modules, kind)) return makers[kind](question, choose);
  return kind === null ? makeList(question) : makeChoices(question, choose);
}

export const badge = (text) => element("span", { class: "badge", "aria-hidden": "true" }, text);
export const words = (text) => element("span", { class: "answer-text", dir: "auto" }, text);
export const share = () => element("span", { class: "share", "aria-hidden": "true" });

// What stands at the end of an answer's line: signs to look at, and the same to hear.
export function fillMark(line, sign, count, spoken) {
  line.querySelector(".mark").replaceChildren(
    element("b", { "aria-hidden": "true" }, sign),
    element("span", { class: "count", "aria-hidden": "true" }, count === undefined ? "" : number(count)),
    element("span", { class: "spoken" }, [...spoken, count === undefined ? "" : say("chose", { count })].filter(Boolean).join(", ")));
}

export const fillShare = (line, count, most) => {
  line.querySelector(".share").style.transform = `scaleX(${(count ?? 0) / most})`;
};

// MARK: One answer, or several

function makeChoices(question, choose) {
  const isSeveral = kindOf(question) === "multiple";
  const lines = question.answers.map((text, index) => {
    const input = element("input", { type: isSeveral ? "checkbox" : "radio", name: "answer", value: index, id: `answer-${index}` });
    input.addEventListener("change", () => take(index));
    return element(
      "label", { class: `answer hue-${index % 6}${isSeveral ? " several" : ""}`, for: `answer-${index}` }, input, badge(number(index + 1)), words(text),
      element("span", { class: "mark" }), share());
  });
  const inputs = lines.map((line) => line.querySelector("input"));
  const take = (index) => {
    if (!isSeveral) return choose(index);
    const chosen = inputs.flatMap((input, place) => (input.checked ? [place] : []));
    // An answer cannot be taken back, only changed: the last one stays.
    if (chosen.length === 0) {
      inputs[index].checked = true;
      return speak(say("chooseSeveral"));
    }
    choose(chosen);
  };
  return {
    nodes: lines,
    press(index) {
      inputs[index]?.focus();
      if (!inputs[index]) return false;
      inputs[index].checked = isSeveral ? !inputs[index].checked : true;
      take(index);
      return true;
    },
    mark(selected, isOpen) {
      const own = indicesOf(question, selected);
      inputs.forEach((input, index) => {
        // One that is disabled would lose the focus.
        input.setAttribute("aria-disabled", String(!isOpen));
        input.checked = own.includes(index);
        lines[index].classList.toggle("mine", own.includes(index));
      });
    },
    counts(counts) {
      const most = Math.max(1, ...counts);
      lines.forEach((line, index) => {
        if (line.querySelector(".count")?.textContent !== number(counts[index] ?? 0)) fillMark(line, "", counts[index] ?? 0, []);
        fillShare(line, counts[index], most);
      });
    },
    result(result, selected) {
      const most = Math.max(1, ...(result.counts ?? []));
      const right = rightOf(result);
      const [own, all] = [indicesOf(question, selected), indicesOf(question, right)];
      lines.forEach((line, index) => {
        const [isOwn, isRight] = [own.includes(index), all.includes(index)];
        line.classList.toggle("right", isRight);
        // Of several, one sees which of the right ones one has taken.
        line.classList.toggle("missed", isSeveral && isRight && !isOwn);
        line.classList.toggle("wrong", right !== undefined && !isRight && isOwn);
        const sign = isRight ? "✓" : isOwn ? (right === undefined ? "●" : "✗") : "";
        fillMark(line, sign, result.counts?.[index], [isRight ? say("correct") : "", isOwn ? say("yourAnswer") : ""]);
        fillShare(line, result.counts?.[index], most);
      });
    },
  };
}

// MARK: A kind that is not known: the answers can be read

function makeList(question) {
  const lines = (question.answers ?? []).map((text, index) => element("p", { class: `answer plain hue-${index % 6}` }, words(text), element("span", { class: "mark" }), share()));
  return {
    nodes: lines,
    press: () => false,
    mark() {},
    result(result) {
      const { counts } = result;
      const right = [rightOf(result)].flat();
      lines.forEach((line, index) => {
        const isRight = right.includes(index);
        line.classList.toggle("right", isRight);
        fillMark(line, isRight ? "✓" : "", counts?.[index], [isRight ? say("correct") : ""]);
        fillShare(line, counts?.[index], Math.max(1, ...(counts ?? [])));
      });
    },
  };
}

// MARK: More than there is room for

// Says at the lower edge that more follows, as long as the last answer, or the button below it, is not in sight.
export function watchEdge(place, footer) {
  const edge = element("p", { class: "below", "aria-hidden": "true", hidden: true }, `↓ ${say("moreBelow")}`);
  let observer = null;
  return () => {
    observer?.disconnect();
    place.after(edge);
    edge.hidden = true;
    // The card itself may not be there yet.
    const last = [...place.querySelectorAll(".answer, .take")].filter((node) => !place.contains(node.closest("[hidden]"))).at(-1);
    if (!last) return;
    const room = footer?.offsetHeight ?? 0;
    edge.style.setProperty("--room", `${room}px`);
    write(edge, `↓ ${say("moreBelow")}`);
    observer = new IntersectionObserver(([{ isIntersecting, boundingClientRect }]) => {
      edge.hidden = isIntersecting || boundingClientRect.top < 0;
    }, { rootMargin: `0px 0px -${room}px 0px`, threshold: 0.35 });
    observer.observe(last);
  };
}
