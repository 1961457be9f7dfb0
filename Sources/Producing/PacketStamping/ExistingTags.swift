import ID3
import TransportStream

/// Follows the tags of the ID3 stream that a program has, to insert others only between them.
struct ExistingTags: Sendable {
  /// The beginning of a PES packet, until it tells how long it and its tag are.
  private var beginning: [UInt8] = []
  /// How many bytes of the PES packet are still to come.
  private var missing = 0
  /// How many bytes of the tag are still to come in PES packets after this one.
  private var continued = 0
  /// How many access units have passed since the stream's last packet.
  private var passedUnits = 0

  /// The end of a tag is waited for during so many access units, a second or less.
  private static let patience = 25
  /// A PES header is shorter, and so is what comes before the length of a tag.
  private static let largestBeginning = 512
  /// The length of a tag stands in so many bytes at its start (ID3v2.4, 3.1).
  private static let tagHeader = 10
  /// A larger tag is a damaged length.
  private static let largestTag = 1 << 20

  /// Whether a tag has begun and not ended.
  var isInsideTag: Bool { missing > 0 || continued > 0 || !beginning.isEmpty }

  /// Takes note of an access unit of the program.
  mutating func passUnit() {
    guard isInsideTag else { return }
    passedUnits += 1
    if passedUnits > Self.patience { self = ExistingTags() }
  }

  /// Takes note of a PES packet that starts in `payload`: what has not ended by now never will, but for a tag that goes on in it.
  mutating func startPacket(_ payload: Span<UInt8>) {
    let isContinuation = missing == 0 && beginning.isEmpty && payload.count > 7 && payload[7] & 0x80 == 0
    (beginning, missing) = ([], 0)
    if !isContinuation { continued = 0 }
  }

  /// Takes a packet's payload.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>) {
    passedUnits = 0
    guard missing == 0 else {
      missing = max(0, missing - payload.count)
      return
    }
    guard header.startsUnit || !beginning.isEmpty else { return }
    for index in payload.indices { beginning.append(payload[index]) }
    guard beginning.count >= PESHeader.lengthFieldEnd else { return }
    let stated = Int(beginning[4]) << 8 | Int(beginning[5])
    let isWhole = stated > 0 && beginning.count >= PESHeader.lengthFieldEnd + stated
    guard let header = try? PESHeader(beginning.span), isWhole || beginning.count >= header.size + Self.tagHeader else {
      if isWhole || beginning.count >= Self.largestBeginning { end(packetSize: stated > 0 ? PESHeader.lengthFieldEnd + stated : 0) }
      return
    }
    let tagSize = header.presentationTime == nil ? continued : tagSize(from: header.size)
    continued = header.payloadSize.map { max(0, tagSize - $0) } ?? 0
    // A packet that does not state its length ends with its tag.
    end(packetSize: header.payloadSize.map { header.size + $0 } ?? header.size + tagSize)
  }

  private mutating func end(packetSize: Int) {
    missing = max(0, packetSize - beginning.count)
    beginning = []
  }

  /// The size of the tag that starts the payload; 0 where there is none.
  private func tagSize(from start: Int) -> Int {
    guard let size = ID3Tag.encodedLength(beginning.span.extracting(start...)), size <= Self.largestTag else { return 0 }
    return size
  }
}
