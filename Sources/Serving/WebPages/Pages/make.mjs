// The maker of quizzes: reads a file, edits and checks questions, shows them as players see them, and writes a file or makes a game. What is made stays in
// this browser until it is written or played.

import { makeAnswers } from "./answers.mjs";
import { call } from "./api.mjs";
import { draftOf, indexOfLine, newDraft, questionOf, textOf } from "./drafts.mjs";
import { edit, openEditor } from "./editor.mjs";
import { ofFile, saveFile } from "./files.mjs";
import { hintOf } from "./kinds.mjs";
import { number, say, translate } from "./messages.mjs";
import { complain, element, part, reveal, sparing, speak, words, write } from "./view.mjs";

const kept = "cuelight-make";
// The host's console leaves the token here for this tab alone.
const keptToken = "cuelight-make-token";
const largest = 1 << 20;
const mostQuestions = 500;

let quiz = { title: "", drafts: [] };
let selected = 0;
// What is wrong, by question; those of no question come first.
let mistakes = { whole: [], byQuestion: new Map() };
let checked = "";
let removed = null;
// What the file that was read last had besides its questions.
let report = [];

// MARK: Keeping

function keep() {
  try {
    localStorage.setItem(kept, JSON.stringify(quiz));
    write("kept", say("makeKept"));
  } catch {
    write("kept", say("makeNotKept"));
  }
}

function remembered() {
  try {
    const before = JSON.parse(localStorage.getItem(kept) ?? "null");
    return typeof before?.title === "string" && Array.isArray(before.drafts) && before.drafts.every((draft) => typeof draft?.text === "string" && Array.isArray(draft.answers)) ? before : null;
  } catch {
    return null;
  }
}

const keepSoon = sparing(400, keep);

// MARK: Checking

const check = sparing(900, async () => {
  const text = textOf(quiz.title, quiz.drafts);
  if (quiz.drafts.length === 0 || text === checked) return drawMistakes();
  try {
    const { object } = await call("POST", "/v1/quiz-files?format=json", { body: text, tries: 2 });
    // What was typed meanwhile is checked next.
    checked = text;
    mistakes = { whole: [], byQuestion: new Map() };
    for (const { line, what } of [...object.mistakes, ...object.notices]) {
      const index = indexOfLine(line);
      if (!quiz.drafts[index]) mistakes.whole.push(what);
      else mistakes.byQuestion.set(index, [...(mistakes.byQuestion.get(index) ?? []), what]);
    }
    drawMistakes();
    drawList();
  } catch (error) {
    write("verdict", say("makeNotChecked", { reason: words(error) }));
  }
});

// The lines of other questions in what the check says are places in this list.
const inWords = (what) => what.replace(/\bline (\d+)(?:, column \d+)?/, (_, line) => say("question", { number: indexOfLine(Number(line)) + 1 }));

function drawMistakes() {
  const own = mistakes.byQuestion.get(selected) ?? [];
  const list = own.map(inWords);
  const place = part("mistakes");
  if ([...place.children].map((line) => line.textContent).join("\n") !== list.join("\n")) place.replaceChildren(...list.map((what) => element("li", { class: "problem", dir: "auto" }, what)));
  const count = mistakes.whole.length + [...mistakes.byQuestion.values()].reduce((sum, all) => sum + all.length, 0);
  write("verdict", quiz.drafts.length === 0 ? "" : count === 0 ? say("makeFine") : say("makeMistakes", { count }));
  part("verdict").classList.toggle("fine", count === 0);
  const all = [...mistakes.whole.map(inWords), ...report];
  part("whole").replaceChildren(...all.map((what) => element("li", { dir: "auto" }, what)));
  reveal("whole-part", all.length > 0);
}

// MARK: The list

function drawList() {
  const focused = document.activeElement?.dataset?.place;
  part("list").replaceChildren(...quiz.drafts.map((draft, index) => {
    const isWrong = mistakes.byQuestion.has(index);
    const text = draft.text.trim() || say("makeEmpty");
    const button = element(
      "button", { type: "button", class: isWrong ? "wrong" : "", "data-place": index, "aria-current": index === selected ? "true" : "false" },
      element("span", { class: "place", "aria-hidden": "true" }, number(index + 1)), element("span", { class: "name", dir: "auto" }, text),
      isWrong ? element("span", { class: "flag" }, element("span", { "aria-hidden": "true" }, "⚠"), element("span", { class: "spoken" }, say("makeHasMistake"))) : null);
    button.addEventListener("click", () => select(index));
    return element("li", {}, button);
  }));
  if (focused !== undefined) part("list").querySelector(`[data-place="${focused}"]`)?.focus();
  write("count", say("makeCount", { count: quiz.drafts.length }));
  const hasQuestion = quiz.drafts.length > 0;
  reveal("editor", hasQuestion);
  reveal("preview", hasQuestion);
  reveal("empty", !hasQuestion);
  for (const name of ["save-yaml", "save-csv", "start", "clear"]) part(name).disabled = !hasQuestion;
  part("add").disabled = quiz.drafts.length >= mostQuestions;
  reveal("undo", removed !== null);
  if (!hasQuestion) return;
  write("editor-title", say("questionOf", { number: selected + 1, total: quiz.drafts.length }));
  part("up").disabled = selected === 0;
  part("down").disabled = selected + 1 >= quiz.drafts.length;
}

function select(index, hasFocus = true) {
  selected = Math.min(Math.max(0, index), Math.max(0, quiz.drafts.length - 1));
  edit(quiz.drafts[selected] ?? null);
  draw();
  if (hasFocus && quiz.drafts.length > 0) part("text").focus();
}

function draw() {
  drawList();
  drawMistakes();
  drawPreview();
}

function changed() {
  drawList();
  drawPreview();
  keepSoon();
  check();
}

// MARK: As players see it

let shown = "";

function drawPreview() {
  const made = quiz.drafts[selected] && questionOf(quiz.drafts[selected]);
  const key = JSON.stringify([made ?? null, document.documentElement.lang]);
  if (key === shown) return;
  shown = key;
  reveal("preview-card", Boolean(made));
  reveal("preview-none", !made);
  if (!made) return;
  const { question, right } = made;
  write("preview-text", question.text);
  write("preview-hint", hintOf(question));
  // Whoever makes the quiz chooses what is right.
  let own = right.correctAnswer ?? right.correctAnswers ?? right.correctOrder ?? right.correctNumber ?? null;
  const answers = makeAnswers(question, (answer) => {
    own = answer;
    answers.mark(own, true);
  });
  part("preview-answers").className = `answers ${question.kind}-kind`;
  part("preview-answers").replaceChildren(...answers.nodes);
  answers.mark(own, true);
}

// MARK: What the maker does

part("title").addEventListener("input", () => {
  quiz.title = part("title").value;
  changed();
});
part("add").addEventListener("click", () => {
  const kind = quiz.drafts[selected]?.kind;
  quiz.drafts.push(newDraft(kind === "poll" ? kind : "single"));
  select(quiz.drafts.length - 1);
  changed();
});
part("copy").addEventListener("click", () => {
  quiz.drafts.splice(selected + 1, 0, structuredClone(quiz.drafts[selected]));
  select(selected + 1);
  changed();
});
part("remove").addEventListener("click", () => {
  removed = { draft: quiz.drafts[selected], place: selected };
  quiz.drafts.splice(selected, 1);
  select(selected, false);
  changed();
  part("undo").focus();
  speak(say("makeRemoved"));
});
part("undo").addEventListener("click", () => {
  quiz.drafts.splice(removed.place, 0, removed.draft);
  const { place } = removed;
  removed = null;
  select(place);
  changed();
});
for (const [name, by] of [["up", -1], ["down", 1]]) {
  part(name).addEventListener("click", () => {
    quiz.drafts.splice(selected + by, 0, ...quiz.drafts.splice(selected, 1));
    select(selected + by, false);
    changed();
    if (part(name).disabled) part(name === "up" ? "down" : "up").focus();
    speak(say("questionOf", { number: selected + 1, total: quiz.drafts.length }));
  });
}
part("clear").addEventListener("click", async () => {
  if ((await ask("makeConfirmClear", ["no", "yes"])) !== "yes") return;
  [quiz, removed, report, checked] = [{ title: "", drafts: [] }, null, [], ""];
  mistakes = { whole: [], byQuestion: new Map() };
  part("title").value = "";
  select(0, false);
  keep();
  part("add").focus();
});

function ask(key, answers) {
  const dialog = part("confirm");
  write("confirm-text", say(key));
  for (const button of dialog.querySelectorAll("button")) reveal(button, answers.includes(button.value));
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

// Reads a file on the server, as the command line reads it.
async function open(file) {
  if (file.size > largest) throw new Error(say("makeTooLarge"));
  const format = ofFile(file.name);
  const { object } = await call("POST", `/v1/quiz-files${format ? `?format=${format}` : ""}`, { body: file, type: "application/octet-stream", tries: 3 });
  const unit = say(object.unit === "row" ? "makeRow" : "makeLine");
  report = [...object.mistakes, ...object.notices].map(({ line, what }) => `${file.name}, ${unit} ${number(line)}: ${what}`);
  const found = object.quiz.questions.map(draftOf);
  if (found.length > 0) {
    const how = quiz.drafts.length === 0 ? "yes" : await ask("makeConfirmOpen", ["no", "append", "replace"]);
    if (how === "no") return;
    if (how === "append") quiz.drafts.push(...found);
    else quiz = { title: object.quiz.title ?? "", drafts: found };
    quiz.drafts.length = Math.min(quiz.drafts.length, mostQuestions);
    part("title").value = quiz.title;
    select(how === "append" ? quiz.drafts.length - found.length : 0, false);
  }
  speak(say("makeRead", { count: found.length }));
  write("opened", say("makeRead", { count: found.length }));
  changed();
  drawMistakes();
}

part("file").addEventListener("change", async () => {
  const [file] = part("file").files;
  if (!file) return;
  complain("problem", null);
  try {
    await open(file);
  } catch (error) {
    complain("problem", error.status === undefined && !error.kind ? error.message : error);
  } finally {
    // The same file can be read again.
    part("file").value = "";
  }
});

for (const format of ["yaml", "csv"]) {
  part(`save-${format}`).addEventListener("click", async () => {
    complain("problem", null);
    try {
      const { blob } = await call("POST", `/v1/quiz-files/${format}`, { body: textOf(quiz.title, quiz.drafts), tries: 2, isFile: true });
      saveFile(blob, `${quiz.title.trim() || "quiz"}.${format}`);
    } catch (error) {
      refuse("problem", error);
    }
  });
}

// What the server finds wrong is said at its question.
function refuse(place, error) {
  if (error.kind !== "invalid") return complain(place, error);
  const wrong = [...mistakes.byQuestion.keys()][0];
  complain(place, say("makeMistakesFirst"));
  if (wrong !== undefined && place === "problem") select(wrong);
  check();
}

part("start").addEventListener("click", () => {
  complain("start-problem", null);
  part("token").value = sessionStorage.getItem(keptToken) ?? "";
  part("starting").showModal();
});
part("start-cancel").addEventListener("click", () => part("starting").close());
part("start-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  complain("start-problem", null);
  part("start-now").disabled = true;
  const token = part("token").value.trim();
  try {
    // One try: a second one might make a second game.
    const { object } = await call("POST", "/v1/games?format=json", { body: textOf(quiz.title, quiz.drafts), token, tries: 1 });
    sessionStorage.setItem("cuelight-host", JSON.stringify({ token: object.token, game: object.id, client: "" }));
    location.assign(`/host?game=${encodeURIComponent(object.id)}`);
  } catch (error) {
    if (error.status === 401 || error.status === 403) complain("start-problem", say("makeWrongToken"));
    else refuse("start-problem", error);
  } finally {
    part("start-now").disabled = false;
  }
});

translate();
openEditor({ changed });
quiz = remembered() ?? quiz;
part("title").value = quiz.title;
select(0, false);
check();
// Another language.
new MutationObserver(() => select(selected, false)).observe(document.documentElement, { attributeFilter: ["lang"] });
// A press before this point would be lost, so the page is shown only now.
reveal("make", true);
