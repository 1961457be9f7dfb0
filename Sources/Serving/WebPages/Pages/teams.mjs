// The field for a team, where one joins and in the menu.

import { say } from "./messages.mjs";
import { element, reveal } from "./view.mjs";

// A list where the host has made the teams, a text where players make them up, and none in a game without teams.
export function drawTeamField(place, teams, own) {
  const key = JSON.stringify([teams ?? null, own ?? null]);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  reveal(place, Boolean(teams));
  if (!teams) return place.replaceChildren();
  const id = `${place.id}-team`;
  const field = teams.names.length > 0
    ? element("select", { id, name: "team", required: true }, new Option("–", ""), ...teams.names.map((name) => new Option(name, name, false, name === own)))
    : element("input", { id, name: "team", maxlength: 40, dir: "auto", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": `${id}-hint` });
  if (teams.names.length === 0) field.value = own ?? "";
  place.replaceChildren(
    element("label", { for: id, "data-say": "team" }, say("team")), field,
    teams.names.length === 0 ? element("p", { id: `${id}-hint`, class: "hint", "data-say": "teamHint" }, say("teamHint")) : "");
}
