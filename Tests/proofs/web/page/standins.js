// Players that this project cannot load, as far as their documentation and sources say what an application sees of them.

const ID3 = "https://aomedia.org/emsg/ID3";

/** The event messages of a segment of fragmented MP4: version 1 of the box. */
function eventMessages(segment) {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  const messages = [];
  for (let at = 0; at + 8 <= segment.length; at += view.getUint32(at)) {
    const size = view.getUint32(at);
    if (new TextDecoder().decode(segment.subarray(at + 4, at + 8)) !== "emsg") continue;
    if (segment[at + 8] !== 1) throw new Error("an event message of another version");
    const time = Number(view.getBigUint64(at + 16)) / view.getUint32(at + 12);
    const text = (from) => {
      const end = segment.indexOf(0, from);
      return [new TextDecoder().decode(segment.subarray(from, end)), end + 1];
    };
    const [schemeIdUri, next] = text(at + 32);
    const [value, data] = text(next);
    messages.push({ schemeIdUri, value, id: view.getUint32(at + 28), time, messageData: segment.slice(data, at + size) });
  }
  return messages;
}

const bytes = async (address) => new Uint8Array(await (await fetch(address)).arrayBuffer());

/** What the MPD says of its video: the codec, the number of segments, and the time of its media, in seconds, at which the presentation begins. */
async function describe(source) {
  const document = new DOMParser().parseFromString(await (await fetch(source)).text(), "application/xml");
  const template = document.querySelector("[contentType=video] SegmentTemplate");
  const begins = template.getAttribute("presentationTimeOffset") / template.getAttribute("timescale");
  const count = [...template.querySelectorAll("S")].reduce((sum, each) => sum + 1 + Number(each.getAttribute("r") ?? 0), 0);
  return { count, codec: document.querySelector("[contentType=video] [codecs]").getAttribute("codecs"), begins };
}

/** The segments of a presentation, one after the other, as far ahead as its stand-in asks for them. */
async function* segments(source, count) {
  const base = source.replace(/\.\w+$/, "");
  yield await bytes(`${base}-segment-init.mp4`);
  for (let number = 0; number < count; number += 1) yield await bytes(`${base}-segment-${String(number).padStart(5, "0")}.m4s`);
}

/** All event messages of a presentation, with their times on the axis of a video that plays it. */
export async function allMessages(source) {
  const { begins, count } = await describe(source);
  const messages = [];
  for await (const segment of segments(source, count)) messages.push(...eventMessages(segment));
  return messages.map(({ time, ...message }) => ({ ...message, time: time - begins }));
}

/** Plays the video of fragmented MP4, and tells of each segment that is appended. */
async function playSegments(video, source, append) {
  const { codec, begins, count } = await describe(source);
  const media = new MediaSource();
  video.src = URL.createObjectURL(media);
  await new Promise((resolve) => media.addEventListener("sourceopen", resolve, { once: true }));
  const buffer = media.addSourceBuffer(`video/mp4; codecs="${codec}"`);
  buffer.timestampOffset = -begins;
  for await (const segment of segments(source, count)) {
    if (media.readyState !== "open") return;
    append(segment, begins);
    buffer.appendBuffer(segment);
    await new Promise((resolve) => buffer.addEventListener("updateend", resolve, { once: true }));
  }
}

/**
 * dash.js, versions 4 and 5: listeners of a scheme are called in the mode they asked for, or else when the event starts; an event message is handed
 * over once, with its bytes, and with its time on the axis of the video.
 */
export function dashPlayer() {
  let listeners = [];
  const trigger = (type, event, mode) => {
    for (const { listener, scope } of listeners.filter((each) => each.type === type && each.mode === mode)) listener.call(scope, { type, event });
  };
  const player = {
    on(type, listener, scope, options = {}) {
      if (player.isInitialized) throw new Error("listeners come too late for the first events");
      listeners.push({ type, listener, scope, mode: options.mode ?? "eventModeOnStart" });
    },
    off(type, listener, scope) {
      listeners = listeners.filter((each) => each.type !== type || each.listener !== listener || (scope && each.scope !== scope));
    },
    initialize(video, source) {
      player.isInitialized = true;
      playSegments(video, source, (segment, begins) => {
        for (const { schemeIdUri, value, id, time, messageData } of eventMessages(segment)) {
          const event = { id, duration: 0, calculatedPresentationTime: time - begins, messageData, eventStream: { schemeIdUri, value } };
          trigger(schemeIdUri, event, "eventModeOnReceive");
        }
        // An event of the MPD has a text.
        trigger(ID3, { id: 1, calculatedPresentationTime: 0, messageData: "text", eventStream: { schemeIdUri: ID3 } }, "eventModeOnReceive");
      });
    },
    destroy() {
      player.isDestroyed = true;
    },
    isInitialized: false,
    isDestroyed: false,
    count: () => listeners.length,
  };
  return player;
}

/**
 * Shaka Player 4.3 to 4.10: an event message fires `emsg`, and if its default is not prevented, `metadata` for each frame with the time at which the segment
 * starts.
 */
export class ShakaPlayer extends EventTarget {
  #video = null;

  async attach(video) {
    this.#video = video;
  }

  async load(source) {
    let start = 0;
    await playSegments(this.#video, source, (segment, begins) => {
      const messages = eventMessages(segment);
      for (const { schemeIdUri, id, time, messageData } of messages) {
        const detail = { schemeIdUri, value: "", id, startTime: time - begins, endTime: time - begins, timescale: 90000, messageData };
        const event = Object.assign(new Event("emsg", { cancelable: true }), { detail });
        this.dispatchEvent(event);
        if (event.defaultPrevented) continue;
        const text = new TextDecoder().decode(messageData);
        const payload = { key: "TXXX", description: "", data: text.slice(text.indexOf('{"'), text.lastIndexOf("}") + 1) };
        this.dispatchEvent(Object.assign(new Event("metadata"), { startTime: start, endTime: start + 6, payload }));
      }
      // The initialization comes first.
      if (messages.length > 0) start += 6;
    });
  }
}

/**
 * The Amazon IVS player: `PlayerTextMetadataCue` when the position passes the start of a cue, and the states as events. The position begins at 0 where the
 * viewer has joined, whatever the video's own clock says.
 */
export function ivsPlayer() {
  let video = null;
  const listeners = new Map();
  const of = (type) => listeners.get(type) ?? listeners.set(type, new Set()).get(type);
  return {
    position: 0,
    getPosition() {
      return this.position;
    },
    attachHTMLVideoElement: (element) => (video = element),
    getHTMLVideoElement: () => video,
    load: (source) => (video.source = source),
    addEventListener: (type, listener) => of(type).add(listener),
    removeEventListener: (type, listener) => of(type).delete(listener),
    emit(type, payload) {
      for (const listener of of(type)) listener(payload);
    },
    cue(text, startTime) {
      this.emit("PlayerTextMetadataCue", { type: "TextMetadataCue", text, description: "", owner: "", startTime, endTime: startTime + 1 });
    },
    count: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
  };
}
