// The game of a page: `GameClient` of CuelightClient, compiled to WebAssembly.

// What Embedded Swift takes from the C library: memory, random bytes for its hash tables, and a place to print.
class Library {
  constructor(print) {
    this.print = print;
    this.line = [];
    this.sizes = new Map();
    this.free = new Map();
    this.end = 0;
  }

  get bytes() {
    return new Uint8Array(this.memory.buffer);
  }

  get values() {
    return new DataView(this.memory.buffer);
  }

  start(memory) {
    this.memory = memory;
    this.end = memory.buffer.byteLength;
  }

  // Blocks are powers of two, each at a multiple of its size, and are used again.
  allocate(place, alignment, size) {
    const block = 2 ** Math.ceil(Math.log2(Math.max(size, alignment, 16)));
    let address = this.free.get(block)?.pop();
    if (address === undefined) {
      address = Math.ceil(this.end / block) * block;
      this.end = address + block;
      const missing = this.end - this.memory.buffer.byteLength;
      if (missing > 0) this.memory.grow(Math.ceil(missing / 65536));
    }
    this.sizes.set(address, block);
    this.values.setUint32(place, address, true);
    return 0;
  }

  release(address) {
    if (address === 0) return;
    const block = this.sizes.get(address);
    if (!this.free.has(block)) this.free.set(block, []);
    this.free.get(block).push(address);
  }

  put(byte) {
    if (byte === 10) {
      this.print(new TextDecoder().decode(new Uint8Array(this.line)));
      this.line = [];
    } else {
      this.line.push(byte);
    }
    return byte;
  }

  compare(left, right, count) {
    const bytes = this.bytes;
    for (let index = 0; index < count; index += 1) {
      const difference = bytes[left + index] - bytes[right + index];
      if (difference !== 0) return difference;
    }
    return 0;
  }

  // A product of 128 bits, each number in two halves.
  multiply(place, low, high, otherLow, otherHigh) {
    const number = (lower, upper) => (BigInt.asUintN(64, upper) << 64n) | BigInt.asUintN(64, lower);
    const product = number(low, high) * number(otherLow, otherHigh);
    this.values.setBigUint64(place, BigInt.asUintN(64, product), true);
    this.values.setBigUint64(place + 8, BigInt.asUintN(64, product >> 64n), true);
  }

  get functions() {
    return {
      putchar: (byte) => this.put(byte),
      posix_memalign: (place, alignment, size) => this.allocate(place, alignment, size),
      free: (address) => this.release(address),
      memcmp: (left, right, count) => this.compare(left, right, count),
      arc4random_buf: (address, count) => void crypto.getRandomValues(this.bytes.subarray(address, address + count)),
      __multi3: (...numbers) => this.multiply(...numbers),
      __stack_chk_fail: () => {
        throw new Error("the module's stack is damaged");
      },
    };
  }
}

// Plays the game with the tags of a player. `show` is called with a line for each transition.
export class GameClient {
  static async load(address, show) {
    const library = new Library(show);
    const { instance } = await WebAssembly.instantiateStreaming(fetch(address), { env: library.functions });
    library.start(instance.exports.memory);
    return new GameClient(instance.exports);
  }

  constructor(module) {
    this.module = module;
  }

  // A tag as hls.js hands it over: its bytes, and its time, which may lie ahead.
  receive(tag, presentedAt, now) {
    for (const byte of tag) this.module.push(byte);
    this.module.receive(presentedAt, now);
  }

  advance(now) {
    this.module.advance(now);
  }

  discontinuity(time) {
    this.module.discontinuity(time);
  }

  finish(now) {
    this.module.finish(now);
  }

  // When to advance at the latest; not a number where nothing is known.
  get nextDeadline() {
    return this.module.nextDeadline();
  }
}
