/// Compresses the pages' own files for browsers: gzip (RFC 1952) of one block of DEFLATE (RFC 1951) that has codes of its own.
enum Gzip {
  /// The bytes in this coding; `nil` if that is not smaller.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count < 1 << 24 else { return nil }
    // No name, no time, the greatest compression, and an unknown system.
    var output = BitWriter(bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255])
    DeflateBlock(Repetitions.find(in: bytes)).write(to: &output)
    for value in [checksum(bytes), UInt32(bytes.count)] {
      for shift in [0, 8, 16, 24] as [UInt32] { output.bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    return output.bytes.count < bytes.count ? output.bytes : nil
  }

  /// CRC-32 as gzip has it: the polynomial reflected, the value inverted before and after.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    let table = (0..<256 as Range<UInt32>).map { index in
      (0..<8).reduce(index) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }
    return ~bytes.reduce(~0) { value, byte in table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8 }
  }
}

/// Bytes to which bits are appended, the lowest bit of each byte first.
private struct BitWriter {
  var bytes: [UInt8]
  private var waiting: UInt64 = 0
  private var count = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func append(_ value: Int, bits: Int) {
    waiting |= UInt64(value) << UInt64(count)
    count += bits
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: waiting))
      waiting >>= 8
      count -= 8
    }
  }

  mutating func fillByte() { if count > 0 { append(0, bits: 8 - count) } }
}

/// What a block has: bytes as they are, and repetitions of what was before.
private enum Repetitions {
  enum Piece {
    case byte(UInt8)
    case repetition(length: Int, distance: Int)
  }

  private static let lengths = 3...258
  private static let farthest = 32_768
  /// How many earlier places with the same three bytes are tried.
  private static let tries = 64

  static func find(in bytes: [UInt8]) -> [Piece] {
    var pieces: [Piece] = []
    // The latest place of three bytes, and of each place the one before.
    var latest = [Int](repeating: -1, count: 1 << 15)
    var before = [Int](repeating: -1, count: bytes.count)
    func note(_ place: Int) {
      guard place + lengths.lowerBound <= bytes.count else { return }
      let key = (Int(bytes[place]) << 10 ^ Int(bytes[place + 1]) << 5 ^ Int(bytes[place + 2])) & 0x7FFF
      (before[place], latest[key]) = (latest[key], place)
    }
    func longest(_ place: Int) -> (length: Int, distance: Int) {
      var best = (length: 0, distance: 0)
      var candidate = before[place]
      let most = min(lengths.upperBound, bytes.count - place)
      for _ in 0..<tries {
        guard candidate >= 0, place - candidate <= farthest, best.length < most else { break }
        // A longer one has another byte in common where the best one so far ends.
        if bytes[candidate + best.length] == bytes[place + best.length] {
          var length = 0
          while length < most, bytes[candidate + length] == bytes[place + length] { length += 1 }
          if length > best.length { best = (length, place - candidate) }
        }
        candidate = before[candidate]
      }
      return best
    }
    var place = 0
    while place < bytes.count {
      note(place)
      let found = longest(place)
      guard lengths.contains(found.length) else {
        pieces.append(.byte(bytes[place]))
        place += 1
        continue
      }
      pieces.append(.repetition(length: found.length, distance: found.distance))
      for passed in place + 1..<place + found.length { note(passed) }
      place += found.length
    }
    return pieces
  }
}

/// The last and only block of a stream, with codes made for it (RFC 1951, 3.2.7).
private struct DeflateBlock {
  /// The end of the block, among bytes and lengths.
  private static let end = 256
  /// In which order the lengths of the code for lengths are written.
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// A symbol with the bits that follow it.
  private struct Symbol {
    var value: Int
    var extra = 0
    var bits = 0
  }

  /// Bytes, lengths and the end, and after a length its distance.
  private var symbols: [(Symbol, distance: Symbol?)] = []

  init(_ pieces: [Repetitions.Piece]) {
    for piece in pieces {
      switch piece {
      case .byte(let byte): symbols.append((Symbol(value: Int(byte)), nil))
      case .repetition(let length, let distance): symbols.append((Self.length(length), Self.distance(distance)))
      }
    }
    symbols.append((Symbol(value: Self.end), nil))
  }

  private static func length(_ length: Int) -> Symbol {
    guard length < 258 else { return Symbol(value: 285) }
    return step(length - 3, from: 257, perBit: 4)
  }

  private static func distance(_ distance: Int) -> Symbol { step(distance - 1, from: 0, perBit: 2) }

  /// Symbols whose ranges double every `perBit` symbols.
  private static func step(_ value: Int, from first: Int, perBit: Int) -> Symbol {
    guard value >= perBit * 2 else { return Symbol(value: first + value) }
    let bits = Int.bitWidth - 1 - (value / perBit).leadingZeroBitCount
    return Symbol(value: first + perBit * bits + value >> bits, extra: value & (1 << bits - 1), bits: bits)
  }

  func write(to output: inout BitWriter) {
    let main = PrefixCode(symbols.map { $0.0.value }, count: 286, longest: 15)
    let distances = PrefixCode(symbols.compactMap { $0.distance?.value }, count: 30, longest: 15)
    let (mainLengths, distanceLengths) = (main.lengths.trimmed(to: 257), distances.lengths.trimmed(to: 1))
    let runs = Self.runs(mainLengths + distanceLengths)
    let code = PrefixCode(runs.map(\.value), count: 19, longest: 7)
    let codeLengths = Self.order.map { code.lengths[$0] }.trimmed(to: 4)
    // The last block, and of codes of its own.
    output.append(0b101, bits: 3)
    output.append(mainLengths.count - 257, bits: 5)
    output.append(distanceLengths.count - 1, bits: 5)
    output.append(codeLengths.count - 4, bits: 4)
    for length in codeLengths { output.append(length, bits: 3) }
    for run in runs { Self.write(run, code, to: &output) }
    for (symbol, distance) in symbols {
      Self.write(symbol, main, to: &output)
      if let distance { Self.write(distance, distances, to: &output) }
    }
    output.fillByte()
  }

  private static func write(_ symbol: Symbol, _ code: PrefixCode, to output: inout BitWriter) {
    output.append(code.codes[symbol.value], bits: code.lengths[symbol.value])
    output.append(symbol.extra, bits: symbol.bits)
  }

  /// Lengths of codes, of which equal ones that follow each other are one symbol.
  private static func runs(_ lengths: [Int]) -> [Symbol] {
    var runs: [Symbol] = []
    var place = 0
    while place < lengths.count {
      let length = lengths[place]
      let count = lengths[place...].prefix { $0 == length }.count
      if length == 0, count >= 3 {
        let taken = min(count, 138)
        runs.append(taken < 11 ? Symbol(value: 17, extra: taken - 3, bits: 3) : Symbol(value: 18, extra: taken - 11, bits: 7))
        place += taken
      } else if length > 0, count >= 4 {
        let taken = min(count - 1, 6)
        runs += [Symbol(value: length), Symbol(value: 16, extra: taken - 3, bits: 2)]
        place += taken + 1
      } else {
        runs.append(Symbol(value: length))
        place += 1
      }
    }
    return runs
  }
}

/// A code whose frequent symbols are short (RFC 1951, 3.2.2).
private struct PrefixCode {
  /// The number of bits of each symbol; 0 for those that do not occur.
  let lengths: [Int]
  /// The bits of each symbol, in the order in which they are written.
  let codes: [Int]

  init(_ symbols: [Int], count: Int, longest: Int) {
    var frequencies = [Int](repeating: 0, count: count)
    for symbol in symbols { frequencies[symbol] += 1 }
    var lengths = Self.lengths(frequencies)
    // Frequencies that are more alike make codes less long.
    while lengths.contains(where: { $0 > longest }) {
      frequencies = frequencies.map { ($0 + 1) / 2 }
      lengths = Self.lengths(frequencies)
    }
    var codes = [Int](repeating: 0, count: count)
    var code = 0
    for length in 1...longest {
      for symbol in 0..<count where lengths[symbol] == length {
        codes[symbol] = (0..<length).reduce(0) { $0 << 1 | code >> $1 & 1 }
        code += 1
      }
      code <<= 1
    }
    (self.lengths, self.codes) = (lengths, codes)
  }

  /// Huffman's lengths: the two rarest go together, again and again.
  private static func lengths(_ frequencies: [Int]) -> [Int] {
    var lengths = [Int](repeating: 0, count: frequencies.count)
    var trees = frequencies.indices.filter { frequencies[$0] > 0 }.map { (weight: frequencies[$0], symbols: [$0]) }
    // A single symbol has one bit.
    if trees.count == 1 { lengths[trees[0].symbols[0]] = 1 }
    while trees.count > 1 {
      trees.sort { $0.weight > $1.weight }
      let (one, other) = (trees.removeLast(), trees.removeLast())
      let symbols = one.symbols + other.symbols
      for symbol in symbols { lengths[symbol] += 1 }
      trees.append((one.weight + other.weight, symbols))
    }
    return lengths
  }
}

extension [Int] {
  /// The values without the zeros at the end, but at least this many.
  fileprivate func trimmed(to least: Int) -> [Int] {
    Array(prefix(Swift.max(least, (lastIndex { $0 != 0 } ?? -1) + 1)))
  }
}
