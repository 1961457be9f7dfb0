// The words of a page: in the language that the address names with ?lang=, that the viewer has chosen before, or that the browser prefers.

// The languages that the server has files of messages for.
const languages = document.querySelector('meta[name="cuelight-languages"]')?.content.split(" ") ?? ["en"];
// Where the browser keeps the viewer's choice.
const chosen = "cuelight-language";

function preferred() {
  const wanted = [new URLSearchParams(location.search).get("lang"), remembered(), ...navigator.languages];
  for (const tag of wanted) {
    const language = tag?.toLowerCase().split("-")[0];
    if (language && languages.includes(language)) return language;
  }
  return "en";
}

function remembered() {
  try {
    return localStorage.getItem(chosen);
  } catch {
    // A browser that keeps nothing.
    return null;
  }
}

export let language;
let own;
let numbers;
let decimals;
let plurals;

function take(tag, messages) {
  [language, own, plurals] = [tag, messages, new Intl.PluralRules(tag)];
  // The keys that choose answers have these digits in every language.
  numbers = new Intl.NumberFormat(tag, { numberingSystem: "latn" });
  // Numbers that are answers: a year has no separator.
  decimals = new Intl.NumberFormat(tag, { numberingSystem: "latn", maximumFractionDigits: 6, useGrouping: "min2" });
  document.documentElement.lang = tag;
  document.documentElement.dir = own.direction;
}

// Pages that few people see have words of their own, in files of this name.
const others = document.querySelector('meta[name="cuelight-words"]')?.content;

// Each language has every message: only the own one is loaded, or English where it cannot be.
const wordsOf = async (name, tag) => (await import(`./${name}.${tag}.mjs`)).default;
const load = async (tag) => ({ ...(await wordsOf("messages", tag)), ...(others ? await wordsOf(others, tag) : {}) });

const first = preferred();
await load(first).then((messages) => take(first, messages), async () => take("en", await load("en")));

export const number = (value) => numbers.format(value);
export const decimal = (value) => decimals.format(value);

// A message with its gaps filled. Where it has several forms, `count` decides.
export function say(key, values = {}) {
  let text = own[key] ?? key;
  if (typeof text === "object") text = text[plurals.select(values.count)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (gap, name) => {
    const value = values[name];
    return typeof value === "number" ? number(value) : value === undefined ? gap : isolated(value);
  });
}

// Where the page is written from right to left, names and reasons of another direction keep it to themselves.
const isolated = (text) => (own.direction === "rtl" && text !== "" ? `\u2068${text}\u2069` : text);

export const knows = (key) => Object.hasOwn(own, key);

// Seconds as a clock shows them.
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return (parts[0] > 0 ? parts : parts.slice(1)).map((part) => String(part).padStart(2, "0")).join(":");
}

// Fills the texts of the page's own elements.
export function translate(root = document) {
  for (const element of root.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
  for (const element of root.querySelectorAll("[data-say-label]")) element.setAttribute("aria-label", say(element.dataset.sayLabel));
  for (const element of root.querySelectorAll("[data-say-hint]")) element.placeholder = say(element.dataset.sayHint);
  for (const select of root.querySelectorAll("select[data-languages]")) offer(select);
}

// Each language by its own name.
function offer(select) {
  const options = languages.map((tag) => {
    const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag);
    const option = new Option(name.charAt(0).toLocaleUpperCase(tag) + name.slice(1), tag, tag === language, tag === language);
    option.lang = tag;
    return option;
  });
  select.replaceChildren(...options.sort((one, other) => one.text.localeCompare(other.text)));
  select.onchange = () => choose(select);
}

// The page changes its words where it is: nothing that was typed is lost, and the video goes on.
async function choose(select) {
  const tag = select.value;
  const messages = await load(tag).catch(() => null);
  // Another choice has come meanwhile.
  if (select.value !== tag) return;
  if (messages) {
    take(tag, messages);
    keep(tag);
  }
  translate();
}

// What the viewer chooses holds from now on, whatever the address has named.
function keep(tag) {
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  history.replaceState(history.state, "", address);
  try {
    localStorage.setItem(chosen, tag);
  } catch {
    // Then it holds until the page is closed.
  }
}
