// The questions on the host's console: the next one with its right answer, those that come after it, and what the host changes of them.

import { call } from "./api.mjs";
import { drawMedia, mediaAddress } from "./media.mjs";
import { say } from "./messages.mjs";
import { complain, element, part, reveal, sparing, write } from "./view.mjs";

// What the console gives this part of it: `path` and `token` for calls, `send` for commands, whose refusals it throws, `command` for those that complain
// by themselves, `leads`, and `changed` for the rest of the console.
let host;
let plan = { upcoming: [], skipped: [], asked: [] };
let isLoaded = false;
// Whether the right answer is in sight: whoever stands beside the host sees the screen, too.
let isShown = false;
// The number of the question that is edited; `null` for a new one.
let edited = null;

const mostAnswers = 6;

export function openQuestions(theHost) {
  host = theHost;
  loadQuestions();
}

export const loadQuestions = sparing(200, async () => {
  try {
    plan = (await call("GET", host.path("/questions"), { token: host.token(), tries: 3 })).object;
    isLoaded = true;
    drawQuestions();
    host.changed();
  } catch {
    // The next message asks again.
  }
});

// What the host has written of a question that was asked: the picture says it later.
export const textsOf = (guid) => {
  const content = plan.asked.find((entry) => entry.guid === guid)?.content;
  return content && { text: content.question, answers: content.answers ?? [] };
};

// Whether no question is left.
export const hasAskedAll = () => isLoaded && plan.upcoming.length === 0;

// The right answers as texts, whatever kind of question it is.
const rightOf = ({ correct }) => (correct === undefined || correct === null ? [] : [correct].flat().map(String));

// MARK: What is shown

export function drawQuestions() {
  const [next] = plan.upcoming;
  const total = plan.asked.length + plan.upcoming.length;
  write("coming-number", next ? say("questionOf", { number: plan.asked.length + 1, total }) : "");
  write("coming-text", next?.content.question ?? (isLoaded ? say("noneComing") : ""));
  drawComingMedia(next?.content);
  const right = next ? rightOf(next.content) : [];
  const answers = next?.content.answers ?? [];
  const texts = isShown ? [...answers, ...right.filter((text) => !answers.includes(text))] : answers;
  part("coming-answers").replaceChildren(...texts.map((text) => {
    const isRight = isShown && right.includes(text);
    return element(
      "li", { class: isRight ? "right" : "" }, element("span", { dir: "auto" }, text),
      isRight ? element("b", {}, "✓", element("span", { class: "spoken" }, say("correct"))) : null);
  }));
  write("coming-more", [next?.content.category, isShown ? next?.content.explanation : ""].filter(Boolean).join(" · "));
  write("show-answer-text", say(isShown ? "hideAnswer" : "showAnswer"));
  part("show-answer").setAttribute("aria-pressed", String(isShown));
  reveal("show-answer", right.length > 0);
  keepingFocus(() => {
    part("to-come").replaceChildren(...plan.upcoming.map((entry, index) => line(entry, [
      ["up", "earlier", index > 0, () => move(entry, index - 1)],
      ["down", "later", index + 1 < plan.upcoming.length, () => move(entry, index + 1)],
      ["edit", "edit", true, () => edit(entry)],
      ["skip", "skipQuestion", true, () => host.command("skip", { question: entry.question })],
    ])));
    part("skipped").replaceChildren(...plan.skipped.map((entry) => line(entry, [["back", "putBack", true, () => move(entry, 0)]])));
  });
  reveal("skipped-title", plan.skipped.length > 0);
  drawPredictions();
}

// Predictions whose results are shown, and of which the host says what was right as soon as that is known.
let drawn = "";

function drawPredictions() {
  const open = plan.asked.filter((entry) => entry.unsettled);
  const key = JSON.stringify([open.map(({ guid }) => guid), host.leads(), say("settle")]);
  // A host who chooses just now keeps the choice.
  if (key === drawn) return;
  drawn = key;
  reveal("predictions-title", open.length > 0);
  part("predictions").replaceChildren(...open.map(({ guid, content }) => {
    const choice = element(
      "select", { "aria-label": content.question }, element("option", { value: "" }, "–"),
      ...content.answers.map((text, index) => element("option", { value: index }, text)));
    const button = element("button", { type: "button", "aria-disabled": String(!host.leads()) }, say("settle"));
    button.addEventListener("click", async () => {
      if (choice.value === "" || !host.leads()) return;
      await host.command("settle", { question: guid, answer: Number(choice.value) });
      loadQuestions();
    });
    return element("li", {}, element("span", { dir: "auto" }, content.question), element("span", { class: "actions" }, choice, button));
  }));
}

let drawnMedia = "";

// Not loaded again with each change of the plan.
function drawComingMedia(content) {
  const key = JSON.stringify([content?.picture, content?.pictureText, content?.pictureSize, content?.sound, content?.soundText]);
  if (key === drawnMedia) return;
  drawnMedia = key;
  drawMedia(part("coming-media"), content);
  if (content?.pictureText) part("coming-media").append(element("p", { class: "muted", dir: "auto" }, content.pictureText));
}

const signs = { up: "↑", down: "↓" };

function line({ question, content }, actions) {
  const buttons = actions.map(([name, key, isAllowed, act]) => {
    const attributes = { type: "button", "data-action": `${name} ${question}`, "aria-label": `${say(key)}: ${content.question}`, title: say(key) };
    const button = element("button", { ...attributes, "aria-disabled": String(!isAllowed || !host.leads()) }, signs[name] ?? say(key));
    button.addEventListener("click", async () => {
      if (button.getAttribute("aria-disabled") === "true") return;
      await act();
      loadQuestions();
    });
    return button;
  });
  return element("li", {}, element("span", { dir: "auto" }, content.question), element("span", { class: "actions" }, ...buttons));
}

// Lines are made again: the button that had the focus has it again, or the one beside it.
function keepingFocus(change) {
  const action = document.activeElement?.dataset?.action;
  change();
  if (!action || document.activeElement !== document.body) return;
  const [name, question] = action.split(" ");
  const same = document.querySelector(`[data-action="${action}"]`) ?? document.querySelector(`[data-action$=" ${question}"]`);
  (same ?? document.querySelector(`#to-come [data-action^="${name} "]`) ?? part("write-question")).focus();
}

const move = ({ question }, to) => host.command("move", { question, to });

export function toggleAnswer() {
  isShown = !isShown;
  drawQuestions();
}

// MARK: Writing

const mark = (index, label, isRight) => element("label", { class: "check" }, element("input", {
  type: "radio", name: "right", value: index, checked: isRight, "aria-label": `${label}: ${say("correct")}`,
}));

const field = (label, text) => element("input", {
  class: "answer-field", dir: "auto", maxlength: 120, value: text, "aria-label": label, placeholder: label, autocomplete: "off",
});

// The form for a new question, or for one that was not asked.
function edit(entry) {
  edited = entry ?? null;
  const content = entry?.content ?? { question: "", answers: [] };
  const right = rightOf(content);
  // What other kinds of questions have as their right answer stays as it is.
  const isChoice = !content.kind || content.kind === "single";
  // Right spellings are lines like answers.
  const isText = content.kind === "text";
  write("writing-title", say(entry ? "editQuestion" : "writeQuestion"));
  part("writing-text").value = content.question;
  const texts = isText ? right : content.answers ?? [];
  const count = entry ? texts.length : 4;
  part("writing-answers").replaceChildren(...Array.from({ length: count }, (_, index) => {
    const text = texts[index] ?? "";
    const label = say("answerNumber", { number: index + 1 });
    return element(
      "li", {},
      isChoice ? mark(index, label, entry ? right.includes(text) : index === 0) : null, field(label, text));
  }));
  for (const key of mediaKeys) part(`writing-${key}`).value = content[key] ?? "";
  reveal("writing-next-label", !entry);
  part("writing-next").checked = true;
  reveal("more-answers", isChoice);
  complain("writing-problem", null);
  part("writing").showModal();
  part("writing-text").focus();
}

export const writeQuestion = () => host.leads() && edit(null);

function addAnswer() {
  const list = part("writing-answers");
  if (list.childElementCount >= mostAnswers) return;
  const label = say("answerNumber", { number: list.childElementCount + 1 });
  const text = field(label, "");
  list.append(element("li", {}, mark(list.childElementCount, label, false), text));
  text.focus();
}

// The question as the form has it; fields that it does not show stay as they are.
function written() {
  const lines = [...part("writing-answers").children].map((item) => ({
    text: item.querySelector(".answer-field").value.trim(), isRight: item.querySelector("input[type=radio]")?.checked ?? false,
  }));
  const content = { ...edited?.content, question: part("writing-text").value.trim() };
  for (const key of mediaKeys) {
    const text = part(`writing-${key}`).value.trim();
    if (key === "picture" && text !== content.picture) delete content.pictureSize;
    if (text) content[key] = text;
    else delete content[key];
  }
  // A new question with one answer asks for it as a text.
  if (!edited && lines.filter(({ text }) => text).length === 1) content.kind = "text";
  if (lines.length > 0 && content.kind === "text") content.correct = lines.map(({ text }) => text).filter(Boolean);
  else if (lines.length > 0) content.answers = lines.map(({ text }) => text).filter(Boolean);
  if (lines.length > 0 && (!content.kind || content.kind === "single")) content.correct = lines.find(({ isRight }) => isRight)?.text ?? "";
  return content;
}

const mediaKeys = ["picture", "pictureText", "sound", "soundText"];

// The size of a picture in pixels; `undefined` where it cannot be loaded within three seconds.
async function sizeOf(text) {
  const [image, address] = [new Image(), mediaAddress(text)];
  if (!address) return undefined;
  image.src = address;
  await Promise.race([image.decode().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 3000))]);
  return image.naturalWidth > 0 ? [image.naturalWidth, image.naturalHeight] : undefined;
}

async function save() {
  const content = written();
  if (content.picture && !content.pictureSize) content.pictureSize = await sizeOf(content.picture);
  try {
    if (edited) await host.send("edit", { question: edited.question, content });
    else await host.send("write", part("writing-next").checked ? { content, to: 0 } : { content });
    part("writing").close();
    loadQuestions();
  } catch (error) {
    complain("writing-problem", error);
  }
}

part("write-question").addEventListener("click", writeQuestion);
part("show-answer").addEventListener("click", toggleAnswer);
part("more-answers").addEventListener("click", addAnswer);
part("writing-cancel").addEventListener("click", () => part("writing").close());
part("writing-form").addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
