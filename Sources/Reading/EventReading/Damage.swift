import Basics
import ID3
import TransportStream

/// Something in a stream that could not be read.
public struct Damage: Equatable, Sendable {
  /// Where it starts, in bytes from the start of the stream.
  public var offset: Int
  /// What is wrong.
  public var reason: String

  /// Damage at an offset.
  public init(offset: Int, reason: String) { (self.offset, self.reason) = (offset, reason) }
}

extension Damage {
  /// A tag that could not be decoded.
  init(brokenTag error: ParseError, offset: Int) {
    self.init(offset: offset, reason: "broken ID3 tag: \(error.reason), at byte \(error.offset) of the tag")
  }

  /// A tag whose end is missing.
  init(cutOffTagAt offset: Int, size: Int, count: Int) {
    self.init(offset: offset, reason: "ID3 tag is cut off: \(size) bytes needed, \(count) there")
  }

  /// A tag that is too large.
  init(largeTagAt offset: Int) {
    self.init(offset: offset, reason: "ID3 tag is larger than \(TimedMetadataAssembler.largestTag) bytes")
  }

  /// The damage in an event of the assembler; `nil` if there is none.
  init?(_ event: TimedMetadataAssembler.Event) {
    switch event {
    case .packet, .tag: return nil
    case .damaged(let offset, let reason): self.init(offset: offset, reason: reason)
    case .cutOff(let tag): self.init(cutOffTagAt: tag.offset, size: tag.size, count: tag.bytes.count)
    case .rest(let rest):
      if rest.header.presentationTime == nil {
        self.init(offset: rest.offset, reason: "metadata without a presentation time")
      } else if rest.bytes.isEmpty || rest.isStuffing {
        return nil
      } else if ID3Tag.encodedLength(rest.bytes.span) != nil {
        self.init(largeTagAt: rest.offset)
      } else {
        self.init(offset: rest.offset, reason: "no ID3 tag where one should start")
      }
    }
  }
}
