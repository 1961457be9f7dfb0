// The part of a question's card where one answers, for each kind of question. `makeAnswers` draws it once; afterwards only its marks change, so that focus
// stays. It gives the nodes and these functions: `mark` is told the own answer and whether another one can be given; `result` shows what is right; and
// `press` does what the key of an answer does.

import { number, say } from "./messages.mjs";
import { barsOf, distance, gradeOf, indicesOf, kindOf, measured, placeIn, rightOf, rounded, same } from "./kinds.mjs";
import { element, speak, write } from "./view.mjs";

export function makeAnswers(question, choose) {
  switch (kindOf(question)) {
    case "number": return makeNumber(question, choose);
    case "order": return makeOrder(question, choose);
    case null: return makeList(question);
    default: return makeChoices(question, choose);
  }
}

const badge = (text) => element("span", { class: "badge", "aria-hidden": "true" }, text);
const words = (text) => element("span", { class: "answer-text", dir: "auto" }, text);
const share = () => element("span", { class: "share", "aria-hidden": "true" });

// What stands at the end of an answer's line: signs to look at, and the same to hear.
function fillMark(line, sign, count, spoken) {
  line.querySelector(".mark").replaceChildren(
    element("b", { "aria-hidden": "true" }, sign),
    element("span", { class: "count", "aria-hidden": "true" }, count === undefined ? "" : number(count)),
    element("span", { class: "spoken" }, [...spoken, count === undefined ? "" : say("chose", { count })].filter(Boolean).join(", ")));
}

const fillShare = (line, count, most) => {
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

// MARK: A number

function makeNumber(question, choose) {
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

// MARK: An order

function makeOrder(question, choose) {
  let isOpen = true;
  let isMoving = false;
  let isDone = false;
  const count = question.answers.length;
  const list = element("ol", { class: "order-list" });
  const items = question.answers.map((text, index) => {
    const move = (name, by, sign) => {
      const made = element("button", { type: "button", class: "move", "aria-label": say(name, { answer: text }) }, sign);
      made.addEventListener("click", () => go(index, by));
      return made;
    };
    const item = element(
      "li", { class: `answer hue-${index % 6}`, "data-index": index }, badge(""), element("span", { class: "grip", "aria-hidden": "true" }, "⠿"), words(text),
      element("span", { class: "mark" }), element("span", { class: "moves" }, move("moveUp", -1, "↑"), move("moveDown", 1, "↓")), share());
    item.addEventListener("pointerdown", (event) => drag(event, item));
    return item;
  });
  list.append(...items);
  const send = element("button", { type: "button", class: "take" }, say("send"));
  send.addEventListener("click", () => {
    if (isOpen && send.getAttribute("aria-disabled") !== "true") choose(order());
  });

  const order = () => [...list.children].map((item) => Number(item.dataset.index));
  const label = () => {
    [...list.children].forEach((item, place) => {
      write(item.querySelector(".badge"), number(place + 1));
      const [up, down] = item.querySelectorAll(".move");
      up.setAttribute("aria-disabled", String(!isOpen || place === 0));
      down.setAttribute("aria-disabled", String(!isOpen || place === count - 1));
    });
  };
  // Moves the neighbour, so that what is moved keeps the focus, and the pointer.
  const swap = (item, by) => {
    const other = by < 0 ? item.previousElementSibling : item.nextElementSibling;
    if (!other) return false;
    if (by < 0) item.after(other);
    else item.before(other);
    label();
    return true;
  };
  const placeOf = (item) => say("placeOf", { answer: question.answers[item.dataset.index], place: [...list.children].indexOf(item) + 1, all: count });
  const go = (index, by) => {
    if (!isOpen || !swap(items[index], by)) return;
    items[index].scrollIntoView({ block: "nearest" });
    speak(placeOf(items[index]));
    choose(order());
  };
  // A finger drags by the grip, since elsewhere it scrolls the page; a mouse drags anywhere.
  const drag = (event, item) => {
    if (!isOpen || event.button !== 0 || event.target.closest("button")) return;
    if (event.pointerType !== "mouse" && !event.target.closest(".grip, .badge")) return;
    event.preventDefault();
    const before = order();
    isMoving = true;
    item.setPointerCapture(event.pointerId);
    item.classList.add("dragged");
    let start = event.clientY;
    const moved = ({ clientY }) => {
      for (;;) {
        const box = item.getBoundingClientRect();
        const [previous, next] = [item.previousElementSibling, item.nextElementSibling];
        const middle = (other) => other.offsetTop + other.offsetHeight / 2;
        const at = item.offsetTop + box.height / 2 + clientY - start;
        const by = previous && at < middle(previous) ? -1 : next && at > middle(next) ? 1 : 0;
        if (by === 0) break;
        const top = item.offsetTop;
        swap(item, by);
        start += item.offsetTop - top;
      }
      item.style.translate = `0 ${clientY - start}px`;
    };
    const end = () => {
      for (const [name, listener] of Object.entries(listeners)) item.removeEventListener(name, listener);
      item.classList.remove("dragged");
      item.style.translate = "";
      isMoving = false;
      if (same(before, order()) || !isOpen) return;
      speak(placeOf(item));
      choose(order());
    };
    const listeners = { pointermove: moved, pointerup: end, pointercancel: end };
    for (const [name, listener] of Object.entries(listeners)) item.addEventListener(name, listener);
  };
  label();
  return {
    nodes: [list, send],
    press: () => false,
    mark(selected, isNowOpen) {
      isOpen = isNowOpen;
      if (isDone) return;
      list.classList.toggle("mine", selected !== null);
      if (Array.isArray(selected) && selected.length === count && !isMoving && !same(selected, order())) {
        const focused = document.activeElement;
        list.append(...selected.map((index) => items[index]));
        if (list.contains(focused)) focused.focus();
      }
      send.setAttribute("aria-disabled", String(!isOpen || same(selected, order())));
      label();
    },
    result(result, selected) {
      const right = rightOf(result) ?? question.answers.map((_, index) => index);
      const most = Math.max(1, ...(result.counts ?? []));
      send.hidden = true;
      if (!same(right, order())) list.append(...right.map((index) => items[index]).filter(Boolean));
      [isOpen, isDone] = [false, true];
      label();
      right.forEach((index, place) => {
        const item = items[index];
        if (!item) return;
        const own = selected ? selected.indexOf(index) : -1;
        const isKnown = rightOf(result) !== undefined;
        item.classList.toggle("right", isKnown && own === place);
        item.classList.toggle("wrong", isKnown && own >= 0 && own !== place);
        for (const button of item.querySelectorAll(".move")) button.hidden = true;
        const note = own >= 0 && own !== place ? say("yourPlace", { place: own + 1 }) : "";
        fillMark(item, own === place ? "✓" : "", result.counts?.[index], [own === place ? say("correct") : ""]);
        if (note) item.querySelector(".mark").prepend(element("small", {}, note));
        fillShare(item, result.counts?.[index], most);
      });
    },
  };
}

// MARK: More than there is room for

// Says at the lower edge that more answers follow, as long as the last one is not in sight.
export function watchEdge(place, footer) {
  const edge = element("p", { class: "below", "aria-hidden": "true", hidden: true }, `↓ ${say("moreBelow")}`);
  let observer = null;
  return () => {
    observer?.disconnect();
    place.after(edge);
    edge.hidden = true;
    const nodes = place.querySelectorAll(".answer");
    const last = nodes[nodes.length - 1];
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
