import Basics
import EventReading
import GameEvents
import ID3

/// Checks single tags.
struct TagChecker: Sendable {
  private var parser: CopyParser

  /// A checker before the first tag.
  ///
  /// - Parameter signatures: Checks the signature that every event must have; `nil` if signatures are not required.
  init(requiring signatures: SignatureCheck?) { parser = CopyParser(requiring: signatures) }

  /// Checks the tag that `bytes` consist of.
  ///
  /// - Parameter offset: Where the tag, or the packet or box around it, starts in the current resource.
  mutating func check(_ bytes: [UInt8], at offset: Int, carrier: TagObservation.Carrier, _ log: inout FindingLog) -> TagObservation {
    var tag = TagObservation(carrier: carrier, frames: [], copies: [], byteCount: bytes.count, offset: offset)
    guard let layout = TagLayout(bytes) else { return tag }
    tag.hasExtendedHeader = layout.flags & TagLayout.Flag.extendedHeader != 0
    tag.isUnsynchronised =
      layout.flags & TagLayout.Flag.unsynchronisation != 0 || layout.frames.contains { layout.version == 4 && $0.flags & 2 != 0 }
    guard Self.checkSize(layout, bytes, at: offset, &log) else {
      tag.isMisread = true
      return tag
    }
    tag.isMisread = Self.checkVersion(layout, at: offset, &log)
    if tag.hasExtendedHeader { log.add(.extendedHeader, at: offset, "an extended header") }
    if tag.isUnsynchronised { log.add(.unsynchronised, at: offset, "unsynchronisation") }
    Self.checkFooter(layout, bytes, at: offset, &log)
    for frame in layout.frames where frame.content.isEmpty { log.add(.emptyFrame, at: offset, "an empty \(frame.id) frame") }
    let frames = Self.readableFrames(layout, bytes, at: offset, &log)
    tag.isMisread = tag.isMisread || !layout.isComplete
    add(frames, bytes, at: offset, &tag, &log)
    return tag
  }

  /// Whether the size of the tag can be read and is right.
  private static func checkSize(_ layout: TagLayout, _ bytes: [UInt8], at offset: Int, _ log: inout FindingLog) -> Bool {
    guard let length = layout.length else {
      log.add(.tagSynchsafe, at: offset, "the size \(hexadecimal(bytes[6..<10]))")
      return false
    }
    guard length <= bytes.count else {
      log.add(.tagSize, at: offset, "a tag of \(length) bytes, of which \(bytes.count) are there")
      // Frames that are whole are read.
      return layout.isComplete && !layout.frames.isEmpty && layout.flags & TagLayout.Flag.footer == 0
    }
    return true
  }

  /// Whether players that read only ID3v2.4 misread the tag.
  private static func checkVersion(_ layout: TagLayout, at offset: Int, _ log: inout FindingLog) -> Bool {
    if layout.version == 3, let frame = layout.frames.first(where: { $0.bits >= 0x80 }) {
      log.add(.plainSize, at: offset, "a \(frame.id) frame of \(frame.bits) bytes in ID3v2.3")
      return true
    }
    guard layout.version == 4, layout.revision == 0 else {
      log.add(.tagVersion, at: offset, "ID3v2.\(layout.version).\(layout.revision)")
      return layout.version != 3
    }
    return false
  }

  private static func checkFooter(_ layout: TagLayout, _ bytes: [UInt8], at offset: Int, _ log: inout FindingLog) {
    guard layout.flags & TagLayout.Flag.footer != 0, let size = layout.size else { return }
    let start = TagLayout.headerLength + size
    let footer = Array("3DI".utf8) + bytes[3..<TagLayout.headerLength]
    if !bytes[start...].elementsEqual(footer) { log.add(.footer, at: offset, "other bytes where the footer should be") }
  }

  /// The frames. Sizes are read as plain integers if only that leads to the end.
  private static func readableFrames(_ layout: TagLayout, _ bytes: [UInt8], at offset: Int, _ log: inout FindingLog) -> [TagLayout.Frame] {
    guard !layout.isComplete else {
      if layout.version == 4, let frame = layout.frames.first(where: { $0.bits & 0x8080_8080 != 0 }) {
        log.add(.frameSize, at: offset, "a \(frame.id) frame with the size \(hexadecimal(bytes[frame.offset + 4..<frame.offset + 8]))")
      }
      return layout.frames
    }
    guard layout.version == 4, let plain = layout.plainFrames(bytes), let frame = plain.first(where: { $0.bits > 0x7F }) else {
      log.add(.frames, at: offset, "no frame after \(layout.frames.count) frames")
      return layout.frames
    }
    log.add(.frameSize, at: offset, "a \(frame.id) frame of \(frame.bits) bytes with a plain size")
    return plain
  }

  /// Reports the flags for which readers leave a frame out (ID3v2.3, section 3.3.1; ID3v2.4 structure, section 4.1.2).
  private static func checkFlags(_ frame: TagLayout.Frame, version: UInt8, at offset: Int, _ log: inout FindingLog) {
    let (compressed, encrypted, undefined): (UInt16, UInt16, UInt16) =
      switch version {
      case 4: (0x0008, 0x0004, 0x00B0)
      case 3: (0x0080, 0x0040, 0x001F)
      default: (0, 0, 0)
      }
    let reasons = [
      frame.flags & compressed != 0 ? "compressed" : nil, frame.flags & encrypted != 0 ? "encrypted" : nil,
      frame.flags & undefined != 0 ? "with flags that ID3v2.\(version) does not define" : nil,
    ].compactMap(\.self)
    guard !reasons.isEmpty else { return }
    log.add(.frames, at: offset, "a \(frame.id) frame at byte \(frame.offset) of the tag: it is \(reasons.joined(separator: ", "))")
  }

  /// Checks the frames, and adds them with the events that a strict reader finds.
  private mutating func add(
    _ frames: [TagLayout.Frame], _ bytes: [UInt8], at offset: Int, _ tag: inout TagObservation, _ log: inout FindingLog
  ) {
    let shortened = ID3Tag.shortened(bytes.span) ?? bytes
    let decoded = (try? ID3Tag.decode(shortened.span))?.frames ?? []
    for (index, frame) in frames.enumerated() {
      var seen = TagObservation.Frame(id: frame.id, size: frame.content.count)
      let content = bytes[frame.content]
      if frame.id == "TXXX" || frame.id == "TXX", let encoding = content.first {
        seen.encoding = encoding
        if encoding != 3 { log.add(.encoding, at: offset, "text encoding \(encoding)") }
        let description = content.dropFirst().prefix { $0 != 0 }
        seen.hasPlainDescription = encoding == 1 || encoding == 2 || description.allSatisfy { $0 < 0x80 }
        if !seen.hasPlainDescription {
          log.add(.description, at: offset, "the description \(String(decoding: description, as: UTF8.self))")
        }
      }
      Self.checkFlags(frame, version: bytes[3], at: offset, &log)
      if decoded.count == frames.count, case .unreadable(_, _, _, let error) = decoded[index] {
        log.add(.frames, at: offset, "a \(frame.id) frame at byte \(frame.offset) of the tag: \(error.reason), at byte \(error.offset)")
      } else if decoded.count == frames.count {
        switch parser.copies(in: ID3Tag(frames: [decoded[index]])).first {
        case .success(let copy):
          seen.event = copy.event.guid
          tag.copies.append(copy)
        case .failure(let error): log.add(.unusable(error, otherwise: .damaged), at: offset, "\(error)")
        case nil: break
        }
      }
      seen.isTimestamp = frame.id == "PRIV" && content.starts(with: Array(ID3Tag.timestampOwner.utf8) + [0])
      tag.frames.append(seen)
    }
  }
}

/// Bytes in hexadecimal, for example `00 00 01 80`.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { $0.digits(2, radix: 16) }.joined(separator: " ")
}
