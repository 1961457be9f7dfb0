import Basics

/// Finds the first slice of an access unit whose bytes arrive in chunks. What precedes it describes the picture, and contains SEI messages.
///
/// It keeps those bytes, 64 KiB at most.
package struct AccessUnitHead: Sendable {
  /// How NAL units are separated.
  package enum Framing: Equatable, Sendable {
    /// Each follows a start code (ISO/IEC 14496-10, Annex B).
    case startCodes
    /// Each follows its length, of this number of bytes (ISO/IEC 14496-15, 4.3.3).
    case lengths(Int)
  }

  /// What is known so far.
  package enum Progress: Equatable, Sendable {
    /// More bytes are needed.
    case incomplete
    /// The first slice was found, and its start code or its length starts here. If the bytes begin within a picture, or within a NAL unit, no SEI
    /// messages may be put in front of it.
    case found(slice: Int, startsPicture: Bool)
    /// There is no slice within the bytes that are searched.
    case none
  }

  /// The bytes so far.
  package private(set) var bytes: [UInt8] = []
  package let codec: NALUnitCodec
  private let framing: Framing
  /// The bytes before this index were searched.
  private var position = 0
  /// The NAL units in front of the first slice, headers included. Zero bytes of the next start code may follow the last byte of each.
  package private(set) var units: [Range<Int>] = []
  /// The start of the last one, until its end is known.
  private var unitStart: Int?

  /// The maximum number of bytes that are kept.
  package static let largest = 64 << 10

  /// Starts at the first byte of an access unit.
  package init(_ codec: NALUnitCodec, _ framing: Framing) { (self.codec, self.framing) = (codec, framing) }

  /// Receives the next bytes.
  package mutating func push(_ part: Span<UInt8>) -> Progress {
    bytes.append(copying: part.extracting(first: Self.largest - bytes.count))
    let found: Progress
    switch framing {
    case .startCodes: found = findStartCode()
    case .lengths(let size): found = findLength(of: size)
    }
    return found == .incomplete && bytes.count >= Self.largest ? .none : found
  }

  /// The events' tags in front of the first slice, once it was found.
  package var tags: [TagMessage] {
    units.filter { codec.isMessage(bytes[$0.lowerBound]) }.flatMap { TagMessage.messages(in: bytes.view.extracting($0), codec) }
  }

  /// The byte after the header of a slice tells whether it is the first one.
  private mutating func findStartCode() -> Progress {
    while let code = ByteStream.firstStartCode(in: bytes.view, from: position), code + 3 < bytes.count {
      position = code
      let header = bytes[position + 3]
      let isSlice = codec.isSlice(header)
      guard !isSlice || position + 3 + codec.headerSize < bytes.count else { return .incomplete }
      if let unitStart { units.append(unitStart..<max(position, unitStart + 1)) }
      if isSlice {
        let startsUnit = units.isEmpty ? bytes[..<position].allSatisfy { $0 == 0 } : firstUnitIsFirst
        let startsPicture = startsUnit && codec.isFirstSlice(header, bytes[position + 3 + codec.headerSize])
        return .found(slice: position, startsPicture: startsPicture)
      }
      unitStart = position + 3
      position += 3
    }
    // A start code may begin in the last two bytes, or its header may be missing.
    position = max(position, bytes.count - 3)
    return .incomplete
  }

  /// Whether nothing but the zero bytes of a start code lies in front of the first NAL unit.
  private var firstUnitIsFirst: Bool { units.first.map { bytes[..<($0.lowerBound - 1)].allSatisfy { $0 == 0 } } ?? false }

  private mutating func findLength(of size: Int) -> Progress {
    while position + size + codec.headerSize < bytes.count {
      let length = bytes[position..<position + size].reduce(0) { $0 << 8 | Int($1) }
      let start = position + size
      if length > codec.headerSize, codec.isSlice(bytes[start]) {
        return .found(slice: position, startsPicture: codec.isFirstSlice(bytes[start], bytes[start + codec.headerSize]))
      }
      // Where Int has 32 bits, a length may not fit.
      guard (0...Self.largest - start).contains(length) else { return .none }
      let end = start + length
      guard end <= bytes.count else { return .incomplete }
      if length > 0 { units.append(start..<end) }
      position = end
    }
    return .incomplete
  }
}
