// Sounds, made here: there is nothing to load. They come only once the player has allowed them.

let audio = null;
let roll = null;

// A browser lets a page sound only after a tap or a key.
export function wake() {
  audio ??= globalThis.AudioContext ? new AudioContext() : null;
  audio?.resume().catch(() => {});
}

export function hush() {
  roll?.stop();
  roll = null;
  audio?.suspend().catch(() => {});
}

// A tone that fades: its frequency, when it begins and how long it is in seconds, and how loud it is.
function tone(frequency, at, length, volume = 0.12, type = "triangle") {
  const [source, gain, start] = [audio.createOscillator(), audio.createGain(), audio.currentTime + at];
  [source.type, source.frequency.value] = [type, frequency];
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(volume, start + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  source.connect(gain).connect(audio.destination);
  source.start(start);
  source.stop(start + length);
}

// A roll of drums that swells for two and a half seconds, or until the result is there.
function drum() {
  const length = 2.5;
  const rate = audio.sampleRate;
  const noise = audio.createBuffer(1, Math.ceil(rate * length), rate);
  const samples = noise.getChannelData(0);
  for (let index = 0; index < samples.length; index += 1) {
    const second = index / rate;
    samples[index] = (Math.random() * 2 - 1) * Math.exp(-((second * 22) % 1) * 5) * (second / length);
  }
  const [source, filter, gain] = [audio.createBufferSource(), audio.createBiquadFilter(), audio.createGain()];
  [source.buffer, filter.type, filter.frequency.value, gain.gain.value] = [noise, "lowpass", 420, 0.35];
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start();
  roll = source;
}

const tunes = {
  choose: () => tone(660, 0, 0.09, 0.08),
  tick: () => tone(990, 0, 0.05, 0.05, "square"),
  drum,
  right: () => [523.25, 659.25, 783.99].forEach((note, index) => tone(note, index * 0.09, 0.4)),
  wrong: () => [220, 174.61].forEach((note, index) => tone(note, index * 0.14, 0.3)),
  finale: () => [523.25, 523.25, 523.25, 698.46, 880].forEach((note, index) => tone(note, [0, 0.14, 0.28, 0.42, 0.7][index], index < 3 ? 0.2 : 0.8)),
};

export function play(name) {
  if (audio?.state !== "running") return;
  roll?.stop();
  roll = null;
  tunes[name]?.();
}
