// Quiz files: what they are written in, and files for the browser to keep.

import { element } from "./view.mjs";

const formats = {
  json: "json", yaml: "yaml", yml: "yaml", csv: "csv", tsv: "csv", tab: "csv", gift: "gift", aiken: "aiken", xlsx: "xlsx", xlsm: "xlsx", ods: "ods",
};

// What a file is written in, by the ending of its name; `undefined` where that says nothing.
export const ofFile = (name) => formats[name.toLowerCase().split(".").pop()];

// What a text is written in, as it looks.
export function ofText(text) {
  if (/^\s*[[{]/.test(text)) return "json";
  return /^[^\n:]*[,;\t][^\n]*\n/.test(text) ? "csv" : "yaml";
}

export const types = { json: "application/json", csv: "text/csv", yaml: "application/yaml" };

// Gives the browser a file to keep.
export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = element("a", { href: address, download: name.replace(/[\\/:*?"<>|]/g, "-") });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
