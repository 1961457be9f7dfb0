import Basics
import CMAF
import ID3

/// The format that holds video, audio and metadata.
public enum Container: Equatable, Sendable {
  /// An MPEG transport stream (ISO/IEC 13818-1).
  case transportStream
  /// Fragmented MP4: a file, or segments of CMAF (ISO/IEC 14496-12 and 23000-19).
  case fragmentedMP4
  /// Frames of AAC, MP3, AC-3 or E-AC-3 after a tag with their timestamp (RFC 8216, 3.4).
  case packedAudio
}

extension Container {
  /// The maximum size of a tag at the start of packed audio, in bytes.
  private static let largestFirstTag = 65_536

  /// The container of an input that starts with `prefix`: a transport stream if it is nothing else; `nil` if more bytes are needed.
  public init?(startingWith prefix: Span<UInt8>) {
    guard prefix.count >= BoxHeader.smallestLength else { return nil }
    if Self.startsWithBox(prefix) {
      self = .fragmentedMP4
    } else if Self.startsWithIdentifier(prefix) {
      guard prefix.count >= 10 else { return nil }
      guard let size = ID3Tag.encodedLength(prefix), size <= Self.largestFirstTag else {
        self = .transportStream
        return
      }
      guard prefix.count >= size else { return nil }
      let tag = try? ID3Tag.decode(prefix.extracting(..<size))
      self = tag?.transportStreamTimestamp == nil ? .transportStream : .packedAudio
    } else {
      self = .transportStream
    }
  }

  /// The container of an input that starts with `prefix`: a transport stream if it is nothing else; `nil` if more bytes are needed.
  public init?(startingWith prefix: [UInt8]) { self.init(startingWith: prefix.view) }

  /// Whether the first box is one with which fragmented MP4 or a segment of it starts.
  private static func startsWithBox(_ prefix: Span<UInt8>) -> Bool {
    var reader = ByteReader(prefix)
    guard let size = try? reader.readUInt32(), let type = try? reader.readUInt32() else { return false }
    let types: [BoxType] = [.ftyp, .styp, .moov, .emsg, .sidx, .moof]
    // A size of 0 or 1 has a meaning of its own (ISO/IEC 14496-12, 4.2.2); other sizes include the header.
    return types.contains(BoxType(rawValue: type)) && (size <= 1 || size >= UInt32(BoxHeader.smallestLength))
  }

  private static func startsWithIdentifier(_ prefix: Span<UInt8>) -> Bool {
    prefix[0] == UInt8(ascii: "I") && prefix[1] == UInt8(ascii: "D") && prefix[2] == UInt8(ascii: "3")
  }
}
