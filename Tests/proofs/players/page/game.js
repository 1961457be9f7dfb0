// Plays an HLS presentation with hls.js and the game in it with the package for the web, and reports what the game showed when.

import { attachHls, createGame, follow } from "/client/cuelight-client.js";
import { Hls } from "/library/hls.js";

// Hands over the tags of hls.js and tells nothing of ads.
function attachWithoutAds(game, hls, video) {
  hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { samples }) => {
    for (const { data, pts } of samples) game.tag(data, pts, video.currentTime);
  });
}

// Plays to the end, or as far as it goes within the seconds given, and returns the report. Where ads are announced, the game is told when
// the video comes to another part of the playlist.
window.playGame = async (url, areAnnounced, seconds) => {
  const video = document.getElementById("video");
  const report = { transitions: [], errors: [], tags: 0, parts: [], ended: false };
  const game = await createGame();
  game.addEventListener("*", ({ detail: { transition, guid } }) => report.transitions.push({ transition, guid, now: video.currentTime }));
  const hls = new Hls();
  hls.on(Hls.Events.ERROR, (_, { type, details, fatal, error }) => {
    if (fatal) report.errors.push(`${type} ${details}: ${error?.message ?? ""}`);
  });
  hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { samples }) => {
    report.tags += samples.length;
  });
  hls.on(Hls.Events.FRAG_CHANGED, (_, { frag }) => {
    if (report.parts.at(-1)?.part !== frag.cc) report.parts.push({ part: frag.cc, start: frag.start });
  });
  (areAnnounced ? attachHls : attachWithoutAds)(game, hls, video);
  follow(game, video);
  hls.loadSource(url);
  hls.attachMedia(video);
  const end = new Promise((resolve) => {
    video.addEventListener("ended", () => resolve(true));
    setTimeout(() => resolve(false), seconds * 1000);
  });
  await Promise.race([video.play(), end]);
  report.ended = await end;
  game.finish(video.currentTime);
  game.close();
  return report;
};

// hls.js up to 1.6.15 starts no interstitial of a live stream if the playlist was so short that the player began at its first segment. So it loads such a
// stream again once the playlist is longer.
function loadAgain(hls, url, video) {
  let wasShort = false;
  hls.on(Hls.Events.LEVEL_UPDATED, (_, { details }) => {
    const isShort = details.live && !(hls.liveSyncPosition > 0);
    if (wasShort && !isShort) {
      hls.loadSource(url);
      hls.once(Hls.Events.MANIFEST_PARSED, () => video.play());
    }
    wasShort = isShort;
  });
}

// Plays a presentation with interstitials to its end, and returns what the game showed when, by the time of the programme, and during which breaks. A page
// that is early comes when the playlist is short.
window.playInterstitials = async (url, seconds, isEarly = false) => {
  const video = document.getElementById("video");
  const report = { transitions: [], errors: [], breaks: [], ended: false };
  const game = await createGame();
  const hls = new Hls();
  const position = () => hls.interstitialsManager?.primary.currentTime ?? video.currentTime;
  const open = () => report.breaks.at(-1)?.end === null;
  game.addEventListener("*", ({ detail: { transition, guid } }) => report.transitions.push({ transition, guid, now: position(), inBreak: open() }));
  hls.on(Hls.Events.ERROR, (_, { type, details, fatal, error }) => {
    if (fatal) report.errors.push(`${type} ${details}: ${error?.message ?? ""}`);
  });
  const moment = () => ({ wall: performance.now() / 1000, now: position(), programme: game.programmeTime });
  hls.on(Hls.Events.INTERSTITIAL_STARTED, () => report.breaks.push({ start: moment(), end: null }));
  hls.on(Hls.Events.INTERSTITIAL_ENDED, () => {
    if (open()) report.breaks.at(-1).end = moment();
  });
  if (isEarly) loadAgain(hls, url, video);
  attachHls(game, hls, video);
  follow(game, video);
  hls.loadSource(url);
  hls.attachMedia(video);
  const end = new Promise((resolve) => {
    hls.on(Hls.Events.MEDIA_ENDED, () => resolve(true));
    setTimeout(() => resolve(false), seconds * 1000);
  });
  await Promise.race([video.play(), end]);
  report.ended = await end;
  game.finish(position());
  game.close();
  return report;
};
