// The words of a page, in the language that the viewer prefers, or that the address names with ?lang=.

import english from "./messages.en.mjs";

// The languages that the server has files of messages for.
const languages = document.querySelector('meta[name="cuelight-languages"]')?.content.split(" ") ?? ["en"];

function preferred() {
  const wanted = [new URLSearchParams(location.search).get("lang"), ...navigator.languages];
  for (const tag of wanted) {
    const language = tag?.toLowerCase().split("-")[0];
    if (language && languages.includes(language)) return language;
  }
  return "en";
}

export const language = preferred();
const own = language === "en" ? english : (await import(`./messages.${language}.mjs`)).default;
document.documentElement.lang = language;
document.documentElement.dir = own.direction;

// The keys that choose answers have these digits in every language.
const numbers = new Intl.NumberFormat(language, { numberingSystem: "latn" });
const plurals = new Intl.PluralRules(language);
const englishPlurals = new Intl.PluralRules("en");

export const number = (value) => numbers.format(value);

// A message with its gaps filled. Where it has several forms, `count` decides.
export function say(key, values = {}) {
  let text = own[key] ?? english[key] ?? key;
  if (typeof text === "object") text = text[(own[key] ? plurals : englishPlurals).select(values.count)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (gap, name) => {
    const value = values[name];
    return typeof value === "number" ? number(value) : value === undefined ? gap : isolated(value);
  });
}

// Where the page is written from right to left, names and reasons of another direction keep it to themselves.
const isolated = (text) => (own.direction === "rtl" && text !== "" ? `\u2068${text}\u2069` : text);

export const knows = (key) => Object.hasOwn(english, key);

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
}
