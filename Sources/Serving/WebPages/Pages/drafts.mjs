// Questions while they are made: what each kind has, and how a draft becomes a question of a quiz file and of a stream, and comes from one.
// Nothing here draws.

// By kind: how many answers it has, how a right one is marked, and which further fields there are. A new kind is a line here.
export const kinds = {
  single: { answers: [2, 12], right: "one", fields: [] },
  multiple: { answers: [2, 12], right: "several", fields: ["partial"] },
  poll: { answers: [2, 12], right: "none", fields: ["live", "words"] },
  prediction: { answers: [2, 12], right: "none", fields: [] },
  number: { answers: null, right: "field", fields: ["correct", "least", "most", "step", "unit", "within"] },
  order: { answers: [3, 8], right: "order", fields: [] },
  text: { answers: [1, 16], right: "all", fields: ["tolerance"], longest: 64 },
};

// By name: what a field takes. Those of all kinds come last.
export const fields = {
  partial: { type: "checkbox" }, live: { type: "checkbox" }, words: { type: "checkbox" }, tolerance: { type: "number" },
  correct: { type: "number" }, least: { type: "number" }, most: { type: "number" }, step: { type: "number" }, unit: { type: "text", longest: 40 },
  within: { type: "number" },
  seconds: { type: "number" }, points: { type: "number" }, category: { type: "text", longest: 100 }, explanation: { type: "long", longest: 400 }, link: { type: "text", longest: 200 },
};
export const common = ["seconds", "points", "category", "explanation", "link"];

export const kindOf = (draft) => kinds[draft.kind] ?? null;

// Whether players write their answers, so that there are none to choose from.
export const takesWords = (draft) => draft.kind === "poll" && draft.values.words === true;

// Whether answers are written in the form: those of players, or the right texts.
export const hasAnswers = (draft) => Boolean(kindOf(draft)?.answers) && !takesWords(draft);

export const newAnswer = (text = "") => ({ text, isRight: false });

export function newDraft(kind = "single") {
  const draft = { text: "", kind, answers: [], values: {}, rest: {} };
  return changeKind(draft, kind);
}

// Another kind: what both have stays.
export function changeKind(draft, kind) {
  draft.kind = kind;
  const [least] = kinds[kind].answers ?? [0];
  while (draft.answers.length < least) draft.answers.push(newAnswer());
  if (kinds[kind].right === "one") {
    const right = Math.max(0, draft.answers.findIndex((answer) => answer.isRight));
    draft.answers.forEach((answer, index) => {
      answer.isRight = index === right;
    });
  }
  return draft;
}

// A draft of a question in a quiz file. What is not known here stays as it is.
export function draftOf(content) {
  const { question, kind = "single", ...others } = content;
  const known = kinds[kind];
  if (!known) return { text: question ?? "", kind, answers: [], values: {}, rest: others };
  const draft = { text: question ?? "", kind, answers: [], values: {}, rest: {} };
  const { answers = [], correct, points, ...rest } = others;
  const right = [correct ?? []].flat();
  // The right order is that of the lines.
  const isRightOnly = known.right === "all" || (known.right === "order" && right.length === answers.length);
  const texts = isRightOnly ? right : answers;
  draft.answers = known.answers ? texts.map((text, index) => ({ ...newAnswer(String(text)), isRight: right.includes(text), points: pointsOf(points, answers.indexOf(text), index) })) : [];
  if (points !== undefined && !Array.isArray(points)) draft.values.points = String(points);
  if (known.right === "field" && correct !== undefined) draft.values.correct = String(correct);
  for (const [name, value] of Object.entries(rest)) {
    if (known.fields.includes(name) || common.includes(name)) draft.values[name] = fields[name].type === "checkbox" ? value === true : String(value);
    else draft.rest[name] = value;
  }
  return draft;
}

const pointsOf = (points, place, index) => (Array.isArray(points) ? points[place < 0 ? index : place] : undefined);

// A number where it is one; anything else stays a text, of which the check says what is wrong.
const valueOf = (name, value) => {
  if (fields[name].type !== "number") return value;
  const text = value.trim().replace(",", ".");
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : value;
};

// The question as a quiz file has it.
export function contentOf(draft) {
  const known = kindOf(draft);
  const content = { question: draft.text.trim() };
  if (draft.kind !== "single") content.kind = draft.kind;
  if (!known) return { ...content, ...draft.rest };
  const answers = draft.answers.filter(({ text }) => text.trim());
  if (known.right === "all") content.correct = answers.map(({ text }) => text.trim());
  else if (hasAnswers(draft)) content.answers = answers.map(({ text }) => text.trim());
  const right = answers.flatMap(({ text, isRight }) => (isRight ? [text.trim()] : []));
  if (known.right === "one" && right.length > 0) [content.correct] = right;
  if (known.right === "several") content.correct = right;
  if (content.answers && !draft.values.points?.trim() && answers.some(({ points }) => points !== undefined)) content.points = answers.map(({ points }) => points ?? 0);
  for (const name of [...known.fields, ...common]) {
    const value = draft.values[name];
    if (typeof value === "string" ? value.trim() : value) content[name] = typeof value === "string" ? valueOf(name, value) : value;
  }
  return { ...content, ...draft.rest };
}

// The quiz with a question a line: the line of a mistake says which question has it.
export function textOf(title, drafts) {
  const head = JSON.stringify(title.trim() ? { title: title.trim() } : {}).slice(0, -1);
  const rows = drafts.map((draft) => JSON.stringify(contentOf(draft)));
  return `${head}${title.trim() ? "," : ""}"questions":[\n${rows.join(",\n")}\n]}`;
}

export const indexOfLine = (line) => line - 2;

// The question as players get it, with the right answers among the answers; `null` where it cannot be shown yet.
export function questionOf(draft) {
  if (!kindOf(draft)) return null;
  const { question, kind, answers = [], correct, partial, live, words, least, most, step, unit, within } = contentOf(draft);
  const shown = { text: question, kind: kind ?? "single", answers, partial, live, words, least, most, step, unit, within };
  if (words) return { question: shown, right: {} };
  if (shown.kind === "text") return correct.length > 0 ? { question: shown, right: { correctTexts: correct } } : null;
  if (shown.kind === "number") {
    const [low, high, by] = [least ?? 0, most, step ?? 1];
    return typeof high === "number" && typeof low === "number" && typeof by === "number" && by > 0 && high > low && (high - low) / by <= 1e6
      ? { question: shown, right: { correctNumber: correct } } : null;
  }
  if (answers.length < 2) return null;
  // Players do not get the items in their right order.
  if (shown.kind === "order") {
    const mixed = [...answers].sort((one, other) => one.localeCompare(other));
    return { question: { ...shown, answers: mixed }, right: { correctOrder: answers.map((text) => mixed.indexOf(text)) } };
  }
  const indices = [correct ?? []].flat().map((text) => answers.indexOf(text));
  return { question: shown, right: shown.kind === "multiple" ? { correctAnswers: indices } : indices.length > 0 ? { correctAnswer: indices[0] } : {} };
}
