// What <cuelight-game> shows, in its shadow tree: texts of the stream only as text, keys and readers as well as a pointer.

import { wordsFor } from "./cuelight-words.js";

const STYLE = `
:host { display: block; }
:host([hidden]) { display: none; }
video, ::slotted(video) { display: block; inline-size: 100%; block-size: auto; background: #000; }
section {
  font: var(--cuelight-font, 1rem/1.4 system-ui, sans-serif); color: var(--cuelight-text, CanvasText);
  background: var(--cuelight-background, Canvas); padding: var(--cuelight-padding, 1rem);
}
p, ol { margin: 0 0 .5em; }
#question { font-size: 1.25em; font-weight: 600; }
#head { display: flex; justify-content: space-between; gap: 1em; }
#time { font-variant-numeric: tabular-nums; }
#answers { display: grid; gap: .5em; margin-block: .5em; }
img { max-inline-size: 100%; max-block-size: 16em; }
button, input {
  font: inherit; color: inherit; text-align: start; min-block-size: 2.75em; padding: .4em .8em;
  background: var(--cuelight-answer, transparent); border: 2px solid var(--cuelight-border, GrayText); border-radius: var(--cuelight-radius, .5em);
}
button { display: flex; gap: .6em; cursor: pointer; overflow-wrap: anywhere; }
button span:nth-child(2) { flex: 1; }
button[aria-disabled=true] { cursor: default; }
button[aria-pressed=true] { border-color: var(--cuelight-accent, Highlight); box-shadow: inset 0 0 0 2px var(--cuelight-accent, Highlight); }
button[part~=right] { border-color: var(--cuelight-right, #1a7f37); box-shadow: inset 0 0 0 2px var(--cuelight-right, #1a7f37); }
:focus-visible { outline: 3px solid var(--cuelight-accent, Highlight); outline-offset: 2px; }
[hidden] { display: none !important; }
#status { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

let sheet;

/** Makes an element. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Whether players write their answers. */
const isText = (question) => question?.kind === "text" || (question?.kind === "poll" && question.words === true);

export class View {
  /** Called when the page has brought another video. */
  onVideo = () => {};
  #parts = {};
  #select;
  #words = wordsFor("en");
  #language = "en";
  #state = null;
  #guid = null;
  /** The indices that are pressed, for kinds that take several, in their order. */
  #pressed = [];
  #buttons = [];

  constructor(root, select) {
    this.#select = select;
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
    }
    root.adoptedStyleSheets = [sheet];
    this.video = make("video", { part: "video", controls: "", playsinline: "" });
    const slot = make("slot", { name: "video" }, this.video);
    slot.addEventListener("slotchange", () => this.onVideo());
    const part = (id, name = "p", attributes = {}) => (this.#parts[id] = make(name, { id, part: id, dir: "auto", ...attributes }));
    const head = make("div", { id: "head" }, part("number"), part("time", "p", { role: "timer" }));
    const group = make("div", { role: "group", "aria-labelledby": "question" },
      part("question"), part("picture", "img"), part("hint"), part("answers", "div"));
    this.#parts.status = make("p", { id: "status", role: "status" });
    this.section = make("section", { part: "game" },
      part("message"), head, group, part("result"), part("explanation"), part("board", "ol"), part("score"), this.#parts.status);
    root.append(slot, this.section);
    this.show(null);
  }

  set language(language) {
    this.#language = language;
    this.#words = wordsFor(language);
    this.section.lang = this.#words.language;
    this.section.setAttribute("aria-label", this.#words.game);
  }

  /** Takes a key, where it means an answer. */
  press(event) {
    const index = Number(event.key) - 1;
    if (event.ctrlKey || event.altKey || event.metaKey || event.composedPath()[0].localName === "input" || !this.#buttons[index]) return;
    event.preventDefault();
    this.#buttons[index].click();
  }

  fail() {
    this.#text("message", this.#words.failed);
    this.#parts.status.textContent = this.#words.failed;
  }

  /** Shows the seconds that are left; null leaves what is shown. */
  count(seconds) {
    const isAsking = this.#state?.phase === "asking";
    this.#parts.time.hidden = !isAsking;
    if (seconds === null || !isAsking) return;
    const text = this.#seconds(seconds);
    if (this.#parts.time.textContent !== text) this.#parts.time.textContent = text;
  }

  #seconds(seconds) {
    const format = new Intl.NumberFormat(this.#words.language, { style: "unit", unit: "second", unitDisplay: "long" });
    return format.format(Math.max(0, Math.ceil(seconds)));
  }

  #text(id, text) {
    const part = this.#parts[id];
    part.hidden = !text;
    if (part.textContent !== (text ?? "")) part.textContent = text ?? "";
  }

  show(state, transition) {
    this.#state = state;
    const words = this.#words;
    const { phase = "waiting", question = null, title = null, score = 0, answered = 0, ending } = state ?? {};
    const isOver = phase === "ended";
    const shown = isOver ? null : question;
    if (shown?.guid !== this.#guid) this.#begin(shown);
    this.#text("message", isOver ? words.ended : shown ? null : title ?? words.soon);
    this.#text("number", shown && words.question(shown.number, shown.total));
    this.#text("question", shown?.text);
    this.#text("hint", phase === "asking" ? words[shown.kind] : null);
    this.#text("result", shown && this.#verdict());
    this.#text("explanation", phase === "results" ? state.result?.explanation : null);
    this.#text("score", answered > 0 ? words.score(score, answered) : null);
    const board = (isOver && ending?.leaderboard) || [];
    this.#parts.board.replaceChildren(...board.slice(0, 10).map(({ nickname, score }) => make("li", { dir: "auto" }, `${nickname}: ${score}`)));
    this.#parts.board.hidden = board.length === 0;
    if (shown) this.#mark();
    if (transition) this.#announce(transition);
  }

  /** Begins to show another question, or none. */
  #begin(question) {
    this.#guid = question?.guid;
    this.#pressed = [this.#state?.selection ?? []].flat();
    const { picture, answers, time } = this.#parts;
    time.textContent = "";
    // Addresses of a game server's files mean nothing here.
    picture.hidden = !question?.picture?.startsWith("https://");
    if (picture.hidden) picture.removeAttribute("src");
    else Object.assign(picture, { src: question.picture, alt: question.pictureText ?? "" });
    this.#buttons = (question?.answers ?? []).map((text, index) => {
      const button = make("button", { type: "button" }, make("span", {}, `${index + 1}`), make("span", { dir: "auto" }, text), make("span"));
      button.addEventListener("click", () => this.#click(index));
      return button;
    });
    const field = question?.kind === "number" ? this.#field(question) : isText(question) ? this.#textField() : null;
    answers.replaceChildren(...(field ? [field] : this.#buttons));
  }

  /** The field for a number. */
  #field({ least, most, step, unit }) {
    const field = make("input", { type: "number", part: "number-field", "aria-labelledby": "question", step: step ?? 1 });
    if (least !== undefined) field.min = least;
    if (most !== undefined) field.max = most;
    field.addEventListener("change", () => field.value !== "" && this.#select(field.valueAsNumber));
    return make("p", {}, field, ` ${unit ?? ""}`);
  }

  /** The field for a text. */
  #textField() {
    const field = make("input", { type: "text", part: "text-field", "aria-labelledby": "question", maxLength: 64, dir: "auto", autocomplete: "off" });
    field.addEventListener("change", () => field.value.trim() !== "" && this.#select(field.value.trim()));
    return make("p", {}, field);
  }

  #click(index) {
    const { phase, question } = this.#state ?? {};
    if (phase !== "asking") return;
    if (question.kind !== "multiple" && question.kind !== "order") return this.#select(index);
    const others = this.#pressed.filter((other) => other !== index);
    this.#pressed = others.length < this.#pressed.length ? others : [...others, index];
    const isWhole = question.kind === "order" ? this.#pressed.length === question.answers.length : this.#pressed.length > 0;
    if (isWhole) this.#select(question.kind === "order" ? this.#pressed : [...this.#pressed].sort((one, other) => one - other));
    else this.#mark();
  }

  /** Marks what is pressed, what is right, and what takes no answer any more. */
  #mark() {
    const { phase, question, selection, right, result } = this.#state;
    const takesSeveral = question.kind === "multiple" || question.kind === "order";
    const pressed = takesSeveral ? this.#pressed : [selection ?? []].flat();
    const rights = question.kind === "order" || right === undefined ? [] : [right].flat();
    const counts = phase === "results" || question.live ? result?.counts : undefined;
    const sum = counts?.reduce((total, count) => total + count, 0);
    this.#buttons.forEach((button, index) => {
      const [isPressed, isRight] = [pressed.includes(index), rights.includes(index)];
      button.setAttribute("part", ["answer", isPressed && "selected", isRight && "right"].filter(Boolean).join(" "));
      button.setAttribute("aria-pressed", isPressed);
      // Not `disabled`, which would take the focus away.
      button.setAttribute("aria-disabled", phase !== "asking" || this.#state.isQuestionOver);
      const place = question.kind === "order" && isPressed ? `${pressed.indexOf(index) + 1}.` : "";
      const share = sum > 0 ? new Intl.NumberFormat(this.#words.language, { style: "percent" }).format(counts[index] / sum) : "";
      button.lastChild.textContent = [place, isRight ? "✓" : "", share].filter(Boolean).join(" ");
    });
    const field = this.#parts.answers.querySelector("input");
    if (field) field.readOnly = phase !== "asking";
  }

  /** Whether the player was right, and what is right where no answer shows it. */
  #verdict() {
    const { phase, question, selection, right } = this.#state;
    if (phase === "asking") return null;
    if (right === undefined) return phase === "closed" ? this.#words.closed : null;
    // How far a number may be away, and which letters of a text may be wrong, the server knows.
    const isOpen = question.kind === "number" || isText(question);
    const isRight = selection !== undefined && !isOpen && same(selection, right);
    const list = question.kind === "number" ? `${right} ${question.unit ?? ""}`.trim() : isText(question) ? [right].flat()[0]
      : [right].flat().map((index) => question.answers[index]).join(question.kind === "order" ? " → " : ", ");
    const verdict = selection === undefined || isOpen ? "" : isRight ? this.#words.right : this.#words.wrong;
    return `${verdict} ${this.#words.rightAnswer(list)}`.trim();
  }

  /** Tells readers what has changed. */
  #announce({ transition, state: { question } }) {
    const { number, result, message } = this.#parts;
    const text = {
      questionAsked: () => `${number.textContent}: ${question.text} ${this.#seconds(question.closesAt - question.opensAt)}`,
      questionClosed: () => this.#words.closed,
      resultsShown: () => result.textContent,
      gameEnded: () => message.textContent,
    }[transition];
    if (text) this.#parts.status.textContent = text();
  }
}
