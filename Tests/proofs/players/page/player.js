// Plays a presentation of HLS or MPEG-DASH with one of the players and reports what an application on the same page can see of the timed metadata.

// The text of an ID3 tag with one TXXX frame of JSON.
function textOfTag(bytes) {
  const text = new TextDecoder().decode(bytes);
  return text.slice(text.indexOf("{"));
}

// Reads the clock in the picture, where there is one: milliseconds since 1970 as squares, and their opposites below them (Tests/proofs/live/clock.py).
class PictureClock {
  static bits = 40;
  static side = 8;
  static row = 24;

  constructor(video) {
    this.video = video;
    const canvas = Object.assign(document.createElement("canvas"), { width: PictureClock.bits * PictureClock.side, height: 2 * PictureClock.row });
    this.context = canvas.getContext("2d", { willReadFrequently: true });
  }

  // The time in the picture that is shown, within the years around now; `null` where the picture has none.
  read() {
    const { bits, side, row } = PictureClock;
    const width = bits * side;
    this.context.drawImage(this.video, 0, 0, width, 2 * row, 0, 0, width, 2 * row);
    const { data } = this.context.getImageData(0, 0, width, 2 * row);
    const isWhite = (x, y) => data[4 * (y * width + x)] > 127;
    let time = 0;
    for (let bit = 0; bit < bits; bit++) {
      const x = bit * side + side / 2;
      const value = isWhite(x, row / 2);
      if (value === isWhite(x, row + row / 2)) return null;
      time = time * 2 + (value ? 1 : 0);
    }
    return Math.floor(Date.now() / 2 ** bits) * 2 ** bits + time;
  }
}

// Acts once on each event, by its GUID, as an application does.
class Events {
  constructor(report) {
    this.report = report;
    this.known = new Set();
  }

  take(text) {
    const { guid } = JSON.parse(text);
    if (this.known.has(guid)) return;
    this.known.add(guid);
    this.report.events.push(guid);
    this.report.taken[guid] = Date.now();
  }
}

// Collects the cues of every metadata track. They are looked for often, since a player may take away what it has played.
class Cues {
  constructor(tracks, video, report, events, clock) {
    this.tracks = tracks;
    this.video = video;
    this.clock = clock;
    this.report = report;
    this.events = events;
    this.known = new Set();
    this.active = new Set();
    this.listening = new Set();
    this.ranges = [];
    this.acted = new Set();
  }

  look() {
    for (const track of Array.from(this.tracks)) {
      if (track.kind !== "metadata") continue;
      if (!this.listening.has(track)) {
        this.listening.add(track);
        track.addEventListener("cuechange", () => this.change(track));
      }
      for (const cue of Array.from(track.cues ?? [])) this.take(cue);
    }
  }

  take(cue) {
    if (!this.known.has(cue) && cue.value?.key === "X-COM-CUELIGHT-EVENT") this.takeRange(cue);
    if (this.known.has(cue) || cue.value?.key !== "TXXX") return;
    this.known.add(cue);
    // Of a cue that is shorter than a browser looks, `cuechange` may come when it is over; `enter` comes for each. What video.js 7.5 hands out only looks
    // like a cue: no event comes to it.
    try {
      cue.addEventListener("enter", () => this.enter(cue));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    this.report.cues.push({ start: cue.startTime, text: cue.value.data });
    this.events.take(cue.value.data);
  }

  // A date range with an event: an application acts when the cue begins, or with the first picture on one that is active then, as for a viewer who joins
  // late. Every cue counts, so that one that a player makes a second time shows.
  takeRange(cue) {
    this.known.add(cue);
    this.ranges.push(cue);
    cue.addEventListener("enter", () => this.act(cue));
    this.act(cue);
  }

  // Before the first picture a player is at another time than the viewer will be.
  act(cue) {
    const { firstPicture } = this.report;
    if (firstPicture === null || this.acted.has(cue) || !this.isActive(cue)) return;
    this.acted.add(cue);
    this.report.ranges.push({
      id: cue.id, data: cue.value.data, start: cue.startTime, end: cue.endTime, seen: this.video.currentTime, isLate: cue.startTime < firstPicture,
    });
  }

  isActive(cue) {
    return cue.startTime <= this.video.currentTime && this.video.currentTime < cue.endTime;
  }

  // Looks at the date ranges that are active with the first picture.
  begin() {
    for (const cue of this.ranges) this.act(cue);
  }

  // What an application sees that waits for each cue.
  enter(cue) {
    this.report.entered.push({
      start: cue.startTime, text: cue.value.data, seen: this.video.currentTime, date: Date.now(), clock: this.clock.read(),
    });
  }

  // What an application sees that waits for `cuechange` alone.
  change(track) {
    for (const cue of Array.from(track.activeCues ?? [])) {
      if (this.active.has(cue) || cue.value?.key !== "TXXX") continue;
      this.active.add(cue);
      this.report.active.push({ start: cue.startTime, text: cue.value.data, seen: this.video.currentTime, date: Date.now() });
    }
  }
}

// Reads the tags out of the event messages of a segment (ISO/IEC 23009-1, 5.10.3.3, version 1), each with its seconds behind the decoding time of the
// segment's first frame. The track has the time scale of the messages, as all of ours do.
function messagesOf(buffer) {
  const view = new DataView(buffer);
  const messages = [];
  let decoded = 0n;
  const look = (from, to) => {
    for (let place = from; place < to; place += view.getUint32(place)) {
      const end = place + view.getUint32(place);
      switch (String.fromCharCode(...new Uint8Array(buffer, place + 4, 4))) {
        case "moof":
        case "traf":
          look(place + 8, end);
          break;
        case "tfdt":
          decoded ||= view.getBigUint64(place + 12);
          break;
        case "emsg":
          messages.push({ scale: view.getUint32(place + 12), time: view.getBigUint64(place + 16), text: textOfTag(new Uint8Array(buffer, place + 32, end - place - 32)) });
      }
    }
  };
  look(0, buffer.byteLength);
  return messages.map(({ scale, time, text }) => ({ seconds: Number(time - decoded) / scale, text }));
}

// Makes cues of the event messages of fragmented MP4, which video.js 7 passes over: it says which segments it has appended, and when they begin, in a
// track of its own, and an application that wants the messages has to read these segments.
class SegmentMessages {
  constructor(tracks, video, report) {
    this.tracks = tracks;
    this.report = report;
    this.track = video.addTextTrack("metadata", "event messages");
    this.known = new Set();
    setInterval(() => this.look(), 20);
  }

  look() {
    for (const track of Array.from(this.tracks).filter(({ label }) => label === "segment-metadata")) {
      for (const { value } of Array.from(track.cues ?? [])) {
        if (this.known.has(value.uri)) continue;
        this.known.add(value.uri);
        this.read(value).catch((error) => this.report.errors.push(`${value.uri}: ${error.message}`));
      }
    }
  }

  async read({ uri, start }) {
    const response = await fetch(uri);
    for (const { seconds, text } of messagesOf(await response.arrayBuffer())) {
      const cue = new VTTCue(start + seconds, start + seconds + 0.5, "");
      cue.value = { key: "TXXX", data: text };
      this.track.addCue(cue);
    }
  }
}

// A logger in the shape of `console` that keeps warnings and errors.
function logger(report) {
  const keep = (level) => (...words) => report.log.push(`${level}: ${words.map(String).join(" ")}`);
  return { trace() {}, debug() {}, log() {}, info() {}, warn: keep("warning"), error: keep("error") };
}

async function hlsPlayer(video, url, report, events, settings) {
  const { Hls } = await import("/library/hls.js");
  report.version = Hls.version;
  const hls = new Hls({ debug: logger(report), ...settings });
  hls.on(Hls.Events.ERROR, (_, { type, details, fatal, error }) => {
    report.errors.push(`${type} ${details}${fatal ? ", fatal" : ""}: ${error?.message ?? ""}`);
  });
  hls.on(Hls.Events.FRAG_PARSING_METADATA, (_, { samples }) => {
    for (const sample of samples) {
      const text = textOfTag(sample.data);
      report.samples.push({ start: sample.pts, text });
      events.take(text);
    }
  });
  // How far the picture is behind the date at which it was made, by the clock of this machine; the player's own delay, its aim, and its rate.
  setInterval(() => {
    if (hls.playingDate && !video.paused) report.delays.push([(Date.now() - hls.playingDate.getTime()) / 1000, hls.latency, hls.targetLatency, video.playbackRate]);
  }, 100);
  hls.loadSource(url);
  hls.attachMedia(video);
  return video.textTracks;
}

async function videojsPlayer(video, url, report) {
  await new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: "/library/video.js", onload: resolve, onerror: reject });
    document.head.append(script);
  });
  const { videojs } = window;
  report.version = videojs.VERSION;
  const { warn, error } = logger(report);
  Object.assign(videojs.log, { warn, error });
  // Chromium plays HLS by itself, and then video.js would leave it to Chromium. The engine has got another name.
  const html5 = { [videojs.Vhs ? "vhs" : "hls"]: { overrideNative: true }, nativeTextTracks: false, nativeAudioTracks: false, nativeVideoTracks: false };
  const player = videojs(video, { html5 });
  player.on("error", () => report.errors.push(`${player.error().code}: ${player.error().message}`));
  const isDASH = url.endsWith(".mpd");
  player.src({ src: url, type: isDASH ? "application/dash+xml" : "application/x-mpegURL" });
  if (!isDASH) return player.textTracks();
  new SegmentMessages(player.textTracks(), video, report);
  return video.textTracks;
}

const players = { "hls.js": hlsPlayer, "video.js": videojsPlayer };

// Plays to the end, or as far as it goes within the seconds given, and returns the report. Of what is live, players load nothing before they play.
// The settings are those of hls.js.
window.play = async (name, url, seconds, isLive = false, settings = {}) => {
  const video = document.getElementById("video");
  const report = {
    version: "", cues: [], samples: [], active: [], events: [], errors: [], log: [], firstPicture: null, buffered: [], ended: false,
    loaded: [], played: 0, taken: {}, delays: [], entered: [], clocks: [], ranges: [],
  };
  const events = new Events(report);
  performance.setResourceTimingBufferSize(10_000);
  video.addEventListener("error", () => report.errors.push(`video element: ${video.error.code} ${video.error.message}`));
  // The clock of the player at the first video frame, which the frame itself tells.
  const picture = new Promise((resolve) => video.requestVideoFrameCallback((_, { mediaTime }) => resolve(mediaTime)));
  const end = new Promise((resolve) => {
    video.addEventListener("ended", () => resolve(true));
    setTimeout(() => resolve(false), seconds * 1000);
  });
  const clock = new PictureClock(video);
  const cues = new Cues(await players[name](video, url, report, events, settings), video, report, events, clock);
  const looking = setInterval(() => cues.look(), 20);

  // How old the picture is that is shown.
  const pictures = isLive && setInterval(() => {
    const time = video.paused ? null : clock.read();
    if (time !== null) report.clocks.push([Date.now(), time]);
  }, 200);

  // Where it cannot begin yet, or not at all, that shows in the report.
  if (isLive) video.play().catch((error) => report.log.push(`play: ${error.message}`));
  report.firstPicture = await Promise.race([picture, end.then(() => null)]);
  if (report.firstPicture !== null) {
    cues.begin();
    await video.play();
    report.ended = await end;
  }
  clearInterval(looking);
  clearInterval(pictures);
  cues.look();
  report.buffered = Array.from(video.buffered, (_, i) => [video.buffered.start(i), video.buffered.end(i)]);
  report.played = Array.from(video.played, (_, i) => video.played.end(i) - video.played.start(i)).reduce((sum, length) => sum + length, 0);
  // The files that came, in order.
  report.loaded = performance.getEntriesByType("resource").filter(({ responseStatus }) => responseStatus === 200).map((entry) => entry.name);
  return report;
};
