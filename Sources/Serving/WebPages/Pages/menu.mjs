// The viewer's menu: sound, full screen, what moves and sounds, another name before the show, and leaving.

import { effects } from "./effects.mjs";
import { say } from "./messages.mjs";
import { drawTeamField } from "./teams.mjs";
import { complain, part, reveal, teamOf, write } from "./view.mjs";

const dialog = part("menu");
const video = part("video");
const page = document.documentElement;

// `mayRename` tells whether the name can still be changed, `rename` changes it, and `leave` gives up the seat; both throw what is to be said.
export function openMenu({ me, teams, mayRename, rename, mayAdd, add, leave, isOver }) {
  const draw = () => {
    write("mute", say(video.muted ? "soundOn" : "soundOff"));
    write("fullscreen", say(document.fullscreenElement ? "fullscreenEnd" : "fullscreen"));
    reveal("fullscreen", document.fullscreenEnabled === true);
    part("effects").checked = effects.on;
    part("sounds").checked = effects.sounds;
    part("sounds").disabled = !effects.on;
    reveal("rename", mayRename());
    reveal("add", mayAdd());
  };
  const ask = (isAsked) => {
    reveal("leaving", isAsked);
    reveal("leave", !isAsked);
    if (isAsked) part("leave-no").focus();
  };
  part("new-name").value = me().nickname;
  drawTeamField(part("new-team"), teams(), me().team);
  part("add-name").value = "";
  drawTeamField(part("add-team"), teams(), null);
  for (const name of ["rename", "add", "leave"]) complain(`${name}-problem`, null);
  ask(false);
  draw();
  dialog.showModal();
  part("menu-title").focus();

  part("mute").onclick = () => {
    video.muted = !video.muted;
    draw();
  };
  part("fullscreen").onclick = async () => {
    // The page goes to full screen, with the game: the video alone would hide it.
    await (document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen({ navigationUI: "hide" })).catch(() => {});
    draw();
  };
  part("effects").onchange = () => {
    effects.choose({ on: part("effects").checked });
    draw();
  };
  part("sounds").onchange = () => {
    effects.choose({ sounds: part("sounds").checked });
    draw();
  };
  // A form with a name and a team, which does something with them.
  const submit = (form, prefix, act) => {
    part(form).onsubmit = async (event) => {
      event.preventDefault();
      const [name, team, button] = [part(`${prefix}-name`), part(`${prefix}-team`), part(form).querySelector("button")];
      complain(`${form}-problem`, null);
      if (!name.value.trim()) return name.focus();
      if (teams() && !teamOf(team)) {
        complain(`${form}-problem`, say("chooseTeam"));
        return team.querySelector("[name=team]").focus();
      }
      button.disabled = true;
      try {
        await act(name.value.trim(), teamOf(team));
        dialog.close();
      } catch (error) {
        complain(`${form}-problem`, error);
        name.focus();
      } finally {
        button.disabled = false;
      }
    };
  };
  submit("rename", "new", rename);
  submit("add", "add", add);
  // After the show nothing is given up: the results stay.
  part("leave").onclick = () => (isOver() ? leave() : ask(true));
  part("leave-no").onclick = () => {
    ask(false);
    part("leave").focus();
  };
  part("leave-yes").onclick = async () => {
    part("leave-yes").disabled = true;
    try {
      await leave();
    } catch (error) {
      complain("leave-problem", error);
    } finally {
      part("leave-yes").disabled = false;
    }
  };
}

part("menu-close").addEventListener("click", () => dialog.close());
// A tap beside the menu closes it.
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
