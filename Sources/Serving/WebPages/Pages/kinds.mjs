// What questions of each kind ask for, and how an answer is compared with the right one. An answer is an index, a list of indices, a number, or a text, as in
// the stream. Nothing here draws.

import { decimal, say } from "./messages.mjs";

const known = ["single", "multiple", "poll", "prediction", "number", "order", "text"];

// The kind of a question; `null` for one that these pages do not know, which takes no answer.
export function kindOf(question) {
  const kind = question.kind ?? "single";
  return known.includes(kind) ? kind : null;
}

// Whether a question has a right answer as soon as its result is shown.
export const hasRight = (question) => ["single", "multiple", "number", "order", "text"].includes(kindOf(question));

// Whether a player takes one of the answers, or several.
export const isChoice = (question) => ["single", "multiple", "poll", "prediction"].includes(kindOf(question)) && !question.words;

// Whether a player writes a text.
export const isText = (question) => kindOf(question) === "text" || (kindOf(question) === "poll" && question.words === true);

// What texts have in common that surely count as the same. The server knows more: letters that look alike, and some that may be wrong.
export const keyOf = (text) => text.normalize("NFKD").toLowerCase().replace(/[\p{M}\p{P}\p{Z}\p{C}]/gu, "") || text;

// The texts that most players gave, each with whether it is the own one.
export const textsOf = (result, own) => (result.texts?.most ?? []).map((entry) => ({ ...entry, isOwn: typeof own === "string" && keyOf(own) === keyOf(entry.text) }));

// Whether two answers, of which each may be none, are the same.
export const same = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

// The right answer of a result, or of a screen's question; `undefined` where there is none.
export const rightOf = (result) => result.correctAnswer ?? result.correctAnswers ?? result.correctOrder ?? result.correctNumber ?? result.correctTexts;

// The answers that a right answer, or a player's, names.
export function indicesOf(question, answer) {
  if (answer === null || answer === undefined || !isChoice(question)) return [];
  return Array.isArray(answer) ? answer : [answer];
}

// A number with at most six digits behind the point, as answers have them.
export const rounded = (value) => Number(value.toFixed(6));

// A number with its unit.
export function measured(question, value) {
  const text = decimal(value);
  return question.unit ? `${text} ${question.unit}` : text;
}

// An answer in words.
export function wordsOf(question, answer) {
  if (answer === null || answer === undefined) return "";
  if (kindOf(question) === "number") return measured(question, answer);
  if (isText(question)) return Array.isArray(answer) ? answer[0] ?? "" : answer;
  const texts = (Array.isArray(answer) ? answer : [answer]).map((index) => question.answers?.[index] ?? "");
  return texts.join(kindOf(question) === "order" ? " → " : ", ");
}

// What an answer is worth: "right", "partly" or "wrong"; "near" for a number of which the others decide whether it is the nearest one; "none" where no answer
// is right, and "later" where that is not known yet. The points are the server's business.
export function gradeOf(question, result, answer) {
  const right = rightOf(result);
  if (right === undefined || right === null) return kindOf(question) === "prediction" ? "later" : "none";
  if (answer === null || answer === undefined) return "wrong";
  switch (kindOf(question)) {
    case "multiple": {
      if (same([...answer].sort(compare), [...right].sort(compare))) return "right";
      const found = answer.filter((index) => right.includes(index)).length;
      return question.partial && found > answer.length - found ? "partly" : "wrong";
    }
    case "order":
      if (same(answer, right)) return "right";
      return pairs(answer, right) > 0 ? "partly" : "wrong";
    case "number": {
      const away = distance(answer, right);
      if (away === 0) return "right";
      if (question.within === undefined) return "near";
      return away <= question.within ? "right" : "wrong";
    }
    case "text":
      if (right.some((text) => keyOf(text) === keyOf(answer)) || textsOf(result, answer).some((entry) => entry.isOwn && entry.right)) return "right";
      return question.tolerance ? "near" : "wrong";
    default: return answer === right ? "right" : "wrong";
  }
}

export const distance = (answer, right) => rounded(Math.abs(answer - right));

const compare = (one, other) => one - other;

// How many pairs of items are in their right order.
function pairs(answer, right) {
  let count = 0;
  for (let first = 0; first < right.length; first += 1) {
    for (let second = first + 1; second < right.length; second += 1) {
      if (answer.indexOf(right[first]) < answer.indexOf(right[second])) count += 1;
    }
  }
  return count;
}

// The bars of a histogram: from where to where each goes, and how many players gave a number of it.
export function barsOf(question, histogram) {
  const step = question.step ?? 1;
  return histogram.counts.map((count, index) => {
    const from = rounded(histogram.from + index * histogram.width);
    const to = Math.min(question.most ?? Infinity, rounded(from + histogram.width - step));
    return { from, to: Math.max(from, to), end: rounded(from + histogram.width), count };
  });
}

// Where in a histogram a number lies, as a share of its width.
export function placeIn(histogram, value) {
  const whole = histogram.width * histogram.counts.length;
  return Math.min(1, Math.max(0, (value - histogram.from) / whole));
}

// What there is to do.
export function hintOf(question) {
  if (isText(question)) return say("chooseText");
  switch (kindOf(question)) {
    case "single": case "poll": return say("choose");
    case "prediction": return say("choosePrediction");
    case "multiple": return say("chooseSeveral");
    case "number": return say("chooseNumber");
    case "order": return say("chooseOrder");
    default: return say("unknownKind");
  }
}

// A question with its answers, as it is read out.
export function spokenOf(question) {
  const texts = (question.answers ?? []).map((text, index) => (isChoice(question) ? `${index + 1}: ${text}` : text));
  const range = kindOf(question) === "number" ? say("range", { least: measured(question, question.least ?? 0), most: measured(question, question.most) }) : "";
  return [question.text, question.pictureText ?? "", texts.join(". "), range, kindOf(question) === "single" ? "" : hintOf(question)].filter(Boolean).join(" ");
}

// What is said of a result: whether the own answer is right, if it counts, and what is right.
export function verdictOf(question, result, answer, doesCount) {
  const grade = gradeOf(question, result, answer);
  if (grade === "none") return { grade, text: say((result.counts?.length || result.texts?.most.length) && !hasRight(question) ? "pollResult" : "resultTitle") };
  if (grade === "later") return { grade, text: say("knownLater") };
  if (!doesCount) return { grade: "none", text: say("resultTitle") };
  if (grade === "near" && isText(question)) return { grade: "none", text: say("resultTitle") };
  if (grade === "near") return { grade, text: say("away", { distance: measured(question, distance(answer, rightOf(result))) }) };
  return { grade, text: say({ right: "right", partly: "partly", wrong: "wrong" }[grade]) };
}

// A result, as it is read out.
export function spokenResult(question, result, answer, doesCount) {
  const right = rightOf(result);
  const { grade, text } = verdictOf(question, result, answer, doesCount);
  const isOwn = doesCount || ["later", "none"].includes(grade) && right === undefined;
  const most = result.counts?.length ? result.counts.indexOf(Math.max(...result.counts)) : -1;
  const frequent = right !== undefined ? null : question.answers?.[most] ? { text: question.answers[most], count: result.counts[most] } : result.texts?.most[0];
  return [
    isOwn ? text : "", right === undefined ? "" : say("rightAnswer", { answer: wordsOf(question, right) }),
    frequent ? `${frequent.text}: ${say("chose", { count: frequent.count })}.` : "", result.explanation ?? "",
  ].filter(Boolean).join(" ");
}
