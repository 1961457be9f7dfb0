// The events of a stream on a line, and in a list below it. A mark tells its type by letter, shape and colour.

import { clock, knows, say } from "./messages.mjs";
import { element, part, reveal, write } from "./view.mjs";

// Each type's letter, shape, colour and row. What is none of the game's types comes last.
const looks = {
  startGame: { letter: "S", shape: "round", hue: 3, row: 0 },
  askQuestion: { letter: "Q", shape: "diamond", hue: 0, row: 1 },
  adjustTime: { letter: "T", shape: "tall", hue: 4, row: 1 },
  showResults: { letter: "R", shape: "square", hue: 2, row: 2 },
  periodicInfo: { letter: "I", shape: "small", hue: 5, row: 0 },
  endGame: { letter: "E", shape: "round", hue: 1, row: 0 },
};
const otherLook = { letter: "X", shape: "tall", hue: 5, row: 0 };

const look = (type) => (Object.hasOwn(looks, type) ? looks[type] : otherLook);

// A type in words; the type of another system is what it is.
const label = (type) => (knows(`type-${type}`) ? say(`type-${type}`) : type);

// A time as `cuelight inspect` prints it.
export function exact(seconds) {
  const thousandths = Math.max(0, Math.round(seconds * 1000));
  return `${clock(Math.floor(thousandths / 1000))}.${String(thousandths % 1000).padStart(3, "0")}`;
}

const badge = (type) => {
  const { letter, shape, hue } = look(type);
  return element("span", { class: `glyph ${shape} hue-${hue}`, "aria-hidden": "true" }, element("b", {}, letter));
};

export class Timeline {
  // `jump` is told the event that was chosen, and `seek` the programme time.
  constructor({ jump, seek }) {
    this.jump = jump;
    this.events = [];
    [this.first, this.last] = [0, 1];
    this.current = -1;
    const slider = part("seek");
    slider.addEventListener("input", () => seek(this.first + Number(slider.value)));
    part("marks").addEventListener("keydown", (event) => this.step(event));
  }

  // Shows the events; those that were there stay, with the focus.
  show(events) {
    if (events.length === this.events.length && events.every((event, index) => event.guid === this.events[index].guid)) return;
    const focused = document.activeElement?.dataset?.guid;
    const place = document.activeElement?.closest("#marks") ? "marks" : "list";
    this.events = events;
    part("marks").replaceChildren(...events.flatMap((event, index) => this.mark(event, index)));
    part("list").replaceChildren(...events.map((event) => this.line(event)));
    const types = [...new Set(events.map((event) => event.type))];
    part("legend").replaceChildren(...types.map((type) => element("li", {}, badge(type), element("span", { dir: "auto" }, label(type)))));
    this.arrange();
    this.rove(0);
    if (focused) part(place).querySelector(`[data-guid="${CSS.escape(focused)}"]`)?.focus();
    this.current = -1;
  }

  mark(event, index) {
    const { row } = look(event.type);
    const button = element(
      "button", { type: "button", class: `event-mark row-${row}`, "data-guid": event.guid, tabindex: "-1", "aria-label": this.words(event), title: this.words(event) },
      badge(event.type));
    button.addEventListener("click", () => {
      this.rove(index);
      this.jump(event);
    });
    // How long a question takes answers.
    return event.allottedTime ? [element("span", { class: "span-mark", "aria-hidden": "true" }), button] : [button];
  }

  words(event) {
    return `${exact(event.time)} ${label(event.type)}${event.text ? `: ${event.text}` : ""}`;
  }

  line(event) {
    const button = element(
      "button", { type: "button", class: "event-line", "data-guid": event.guid },
      badge(event.type), element("span", { class: "event-time", dir: "ltr" }, exact(event.time)),
      element("span", { class: "event-type", dir: "auto" }, label(event.type)),
      element("span", { class: "event-text", dir: "auto" }, event.text));
    button.addEventListener("click", () => this.jump(event));
    return element("li", {}, button, element("code", { class: "event-guid", dir: "ltr" }, event.guid));
  }

  // Says from which programme time to which the line goes.
  extend(first, last) {
    if (first === this.first && last === this.last) return;
    [this.first, this.last] = [first, Math.max(last, first + 1)];
    part("seek").max = String(this.last - this.first);
    this.arrange();
  }

  share(time) {
    return Math.min(1, Math.max(0, (time - this.first) / (this.last - this.first))) * 100;
  }

  // Puts the marks where their times are. Each has the room to the middle between it and its neighbours in the row.
  arrange() {
    let index = 0;
    const rooms = this.rooms();
    for (const mark of part("marks").children) {
      const event = this.events[index];
      mark.style.insetInlineStart = `${this.share(event.time)}%`;
      if (mark.classList.contains("span-mark")) {
        mark.style.inlineSize = `${this.share(event.time + event.allottedTime) - this.share(event.time)}%`;
      } else {
        mark.style.setProperty("--room", `${rooms[index]}%`);
        index += 1;
      }
    }
  }

  // For each event, how much of the line is nearer to it than to others of its row.
  rooms() {
    const rooms = this.events.map(() => 100);
    const before = new Map();
    this.events.forEach((event, index) => {
      const { row } = look(event.type);
      const other = before.get(row);
      if (other !== undefined) {
        const room = this.share(event.time) - this.share(this.events[other].time);
        [rooms[index], rooms[other]] = [room, Math.min(rooms[other], room)];
      }
      before.set(row, index);
    });
    return rooms;
  }

  // Shows where the picture is, and which event came last.
  move(time) {
    part("head").style.insetInlineStart = `${this.share(time)}%`;
    const slider = part("seek");
    if (document.activeElement !== slider || Math.abs(Number(slider.value) - (time - this.first)) > 0.2) slider.value = String(time - this.first);
    slider.setAttribute("aria-valuetext", clock(time));
    const current = this.latest(time);
    if (current === this.current) return;
    this.current = current;
    for (const place of ["marks", "list"]) {
      part(place).querySelector("[aria-current]")?.removeAttribute("aria-current");
      if (current >= 0) this.button(place, current)?.setAttribute("aria-current", "true");
    }
  }

  button(place, index) {
    return part(place).querySelectorAll("button")[index];
  }

  // The index of the last event up to a time; -1 before the first.
  latest(time) {
    let index = -1;
    while (index + 1 < this.events.length && this.events[index + 1].time <= time) index += 1;
    return index;
  }

  // One mark is reached with Tab, the others from it with the arrow keys.
  rove(index) {
    const buttons = part("marks").querySelectorAll("button");
    buttons.forEach((button, other) => button.setAttribute("tabindex", other === index ? "0" : "-1"));
    return buttons[index];
  }

  step(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const buttons = [...part("marks").querySelectorAll("button")];
    const index = buttons.indexOf(document.activeElement);
    if (index < 0) return;
    const forth = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forth === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const next = { [forth]: index + 1, [back]: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.rove(Math.min(buttons.length - 1, Math.max(0, next)))?.focus();
  }

  // What is said where there are no events, or more than are shown.
  say(document, isComplete) {
    const isEmpty = this.events.length === 0 && isComplete;
    reveal("no-events", isEmpty);
    if (isEmpty) write("no-events", say("noEvents"));
    reveal("left-out", document.leftOut > 0);
    if (document.leftOut > 0) write("left-out", say("leftOut", { count: document.leftOut }));
    reveal("damage", document.damages > 0);
    if (document.damages > 0) write("damage-title", say("damages", { count: document.damages }));
    const more = document.damages - document.notes.length;
    part("notes").replaceChildren(
      ...document.notes.map((note) => element("li", {}, note)), ...(more > 0 ? [element("li", {}, `+ ${more}`)] : []));
  }
}
