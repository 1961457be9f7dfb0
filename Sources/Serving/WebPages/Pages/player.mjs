// The video: hls.js where the browser has Media Source, else the browser's own player. The game's tags go to the reader.

import { serverNow } from "./api.mjs";
import { loadAhead } from "./media.mjs";

const setting = (name) => document.querySelector(`meta[name="${name}"]`)?.content;

// Why there is no picture or no game; `key` is a message.
export class Missing extends Error {
  constructor(key) {
    super(key);
    this.key = key;
  }
}

// How long a picture may stand while the stream goes on and nothing is being loaded, in milliseconds.
const patience = 5000;

const playlistType = "application/vnd.apple.mpegurl";

export async function loadReader() {
  const address = setting("cuelight-reader");
  if (!address) throw new Missing("missingReader");
  try {
    return await import(address);
  } catch {
    throw new Missing("readerBroken");
  }
}

async function loadLibrary() {
  const address = setting("cuelight-player-library");
  if (!address) return null;
  try {
    const library = await import(address);
    // The script for pages puts itself into `Hls`; the module exports it.
    return library.Hls ?? library.default ?? globalThis.Hls ?? null;
  } catch {
    throw new Missing("playerBroken");
  }
}

// Plays a stream, and the game in it.
export class Player {
  // Opens a stream in a video element, which stands still until `play`. `changed` is called after every transition of the game and where the viewer has
  // moved, and `trouble` with whether the stream is away. `reports` is where the page reports what it has shown, if the server wants to know.
  static async open(video, stream, { changed, trouble, reports = null }) {
    if (!stream) throw new Missing("missingStream");
    const reader = await loadReader();
    const player = new Player();
    player.video = video;
    try {
      player.game = await reader.createGame();
    } catch {
      throw new Missing("readerBroken");
    }
    for (const type of ["*", "seek"]) player.game.addEventListener(type, () => changed());
    const Hls = await loadLibrary();
    if (Hls?.isSupported()) {
      player.openLibrary(Hls, reader, stream, trouble);
    } else if (video.canPlayType(playlistType)) {
      reader.attachTextTracks(player.game, video);
      player.openNatively(stream, trouble);
    } else {
      player.close();
      throw new Missing("missingPlayer");
    }
    video.addEventListener("playing", () => trouble(false), { signal: player.closing.signal });
    reader.follow(player.game, video, { precision: "deadline" });
    // An older package has no reports.
    if (reports) reader.report?.(player.game, video, { url: reports, player: player.hls ? `hls.js ${Hls.version}` : "native", behind: () => player.behind });
    return player;
  }

  closing = new AbortController();
  isPlaying = false;

  openNatively(stream, trouble) {
    const reload = () => {
      trouble(true);
      clearTimeout(this.retry);
      this.retry = setTimeout(() => {
        // What is loaded anew is paused.
        this.video.load();
        if (this.isPlaying) this.play();
      }, 2000 + Math.random() * 2000);
    };
    this.video.addEventListener("error", reload, { signal: this.closing.signal });
    this.video.src = stream;
  }

  openLibrary(Hls, reader, stream, trouble) {
    // A worker would come from a blob, which the page's policy does not allow.
    const hls = new Hls({ enableWorker: false, liveDurationInfinity: true, backBufferLength: 30, enableIMSC1: false });
    this.hls = hls;
    hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { samples }) => loadAhead(samples));
    reader.attachHls(this.game, hls, this.video);
    hls.on(Hls.Events.ERROR, (_, data) => {
      if (!data.fatal) return;
      trouble(true);
      clearTimeout(this.retry);
      this.retry = setTimeout(() => {
        if (data.type === Hls.ErrorTypes.MEDIA_ERROR) {
          this.beginAgain(hls);
        } else if (hls.levels.length > 0) {
          // Goes on where the picture is: what is loaded anew would begin paused.
          hls.startLoad();
        } else {
          hls.loadSource(stream);
        }
      }, 1000 + Math.random() * 2000);
    });
    this.watch(Hls, hls);
    // The picture may have gone on all the time, with what was loaded before.
    hls.on(Hls.Events.FRAG_BUFFERED, () => trouble(false));
    hls.loadSource(stream);
    hls.attachMedia(this.video);
  }

  // A browser may stop taking in what was loaded. hls.js then waits without end: it loads nothing more, and the picture stands although the stream goes on.
  watch(Hls, hls) {
    const loading = new Set();
    let stands = null;
    hls.on(Hls.Events.FRAG_LOADING, (_, data) => loading.add(data.frag.type));
    hls.on(Hls.Events.FRAG_LOADED, (_, data) => loading.delete(data.frag.type));
    hls.on(Hls.Events.ERROR, (_, data) => {
      if (data.frag) loading.delete(data.frag.type);
      if (data.details === Hls.ErrorDetails.BUFFER_STALLED_ERROR) stands ??= performance.now();
    });
    this.video.addEventListener("playing", () => { stands = null; }, { signal: this.closing.signal });
    hls.on(Hls.Events.LEVEL_UPDATED, () => {
      if (stands === null || loading.size > 0 || performance.now() - stands < patience) return;
      stands = null;
      this.beginAgain(hls);
    });
  }

  // Gives the video what is loaded from now on, and plays it: what is loaded anew is paused.
  beginAgain(hls) {
    hls.recoverMediaError();
    if (this.isPlaying) this.play();
  }

  // Plays with sound, or without where the browser wants a tap first. While there is no picture yet, this waits for it.
  async play() {
    this.isPlaying = true;
    try {
      await this.video.play();
    } catch (error) {
      // What is loaded anew meanwhile is played by whoever loads it.
      if (error.name !== "NotAllowedError") return;
      this.video.muted = true;
      await this.video.play().catch(() => {});
    }
  }

  get now() {
    return this.video.currentTime;
  }

  // Where the viewer is in the programme, in seconds; `null` until the stream has told.
  get position() {
    const origin = this.game.origin;
    return origin === null || origin === undefined ? null : this.now - origin;
  }

  // How many seconds the picture is behind the live edge; `null` where nothing tells.
  get behind() {
    const video = this.video;
    const date = this.hls ? this.hls.playingDate : video.getStartDate && new Date(video.getStartDate().getTime() + video.currentTime * 1000);
    if (date && Number.isFinite(date.getTime())) return Math.max(0, (serverNow() - date.getTime()) / 1000);
    if (this.hls?.latency > 0) return this.hls.latency;
    const ranges = video.seekable;
    return ranges.length > 0 ? Math.max(0, ranges.end(ranges.length - 1) - video.currentTime) : null;
  }

  goLive() {
    const ranges = this.video.seekable;
    const edge = this.hls?.liveSyncPosition ?? (ranges.length > 0 ? ranges.end(ranges.length - 1) - 1 : null);
    if (edge !== null && edge !== undefined) this.video.currentTime = edge;
    this.play();
  }

  close() {
    this.closing.abort();
    clearTimeout(this.retry);
    this.hls?.destroy();
    this.game.close();
    this.video.removeAttribute("src");
    this.video.load();
  }
}
