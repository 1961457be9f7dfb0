// The part of a question's card where one puts items in order: see answers.mjs. It is loaded when there is time, or with the first such question.

import { badge, fillMark, fillShare, share, words } from "./answers.mjs";
import { rightOf, same } from "./kinds.mjs";
import { number, say } from "./messages.mjs";
import { element, speak, write } from "./view.mjs";

export function make(question, choose) {
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
