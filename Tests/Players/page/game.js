// Plays an HLS presentation with hls.js and the game in it with a `GameClient`, and reports what the game showed when.

import { GameClient } from "./client.js";
import { Hls } from "/library/hls.js";

// Advances a game with the clock of a video: at its deadlines, and four times a second.
class Clock {
  constructor(game, video) {
    this.game = game;
    this.video = video;
    this.ticks = setInterval(() => this.advance(), 250);
  }

  advance() {
    clearTimeout(this.timer);
    this.game.advance(this.video.currentTime);
    const wait = this.game.nextDeadline - this.video.currentTime;
    if (wait >= 0) this.timer = setTimeout(() => this.advance(), wait * 1000);
  }

  stop() {
    clearInterval(this.ticks);
    clearTimeout(this.timer);
  }
}

// Plays to the end, or as far as it goes within the seconds given, and returns the report. Where ads are announced, the game is told when
// the video comes to another part of the playlist.
window.playGame = async (url, areAnnounced, seconds) => {
  const video = document.getElementById("video");
  const report = { transitions: [], errors: [], tags: 0, parts: [], ended: false };
  const game = await GameClient.load("/client/client.wasm", (line) => {
    const [kind, time, guid] = line.split(" ");
    report.transitions.push({ kind, time: Number(time), guid, now: video.currentTime });
  });
  const clock = new Clock(game, video);
  const hls = new Hls();
  hls.on(Hls.Events.ERROR, (_, { type, details, fatal, error }) => {
    if (fatal) report.errors.push(`${type} ${details}: ${error?.message ?? ""}`);
  });
  hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { samples }) => {
    report.tags += samples.length;
    for (const sample of samples) game.receive(sample.data, sample.pts, video.currentTime);
    clock.advance();
  });
  hls.on(Hls.Events.FRAG_CHANGED, (_, { frag }) => {
    const last = report.parts.at(-1);
    if (last?.part === frag.cc) return;
    report.parts.push({ part: frag.cc, start: frag.start });
    if (areAnnounced && last) game.discontinuity(frag.start);
  });
  hls.loadSource(url);
  hls.attachMedia(video);
  const end = new Promise((resolve) => {
    video.addEventListener("ended", () => resolve(true));
    setTimeout(() => resolve(false), seconds * 1000);
  });
  await Promise.race([video.play(), end]);
  report.ended = await end;
  clock.stop();
  game.finish(video.currentTime);
  return report;
};
