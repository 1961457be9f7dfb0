/// The four-character code of a box, a brand, a handler or a sample entry (ISO/IEC 14496-12, 4.2).
package struct BoxType: RawRepresentable, Hashable, Sendable {
  /// The four bytes, the first one most significant.
  package var rawValue: UInt32

  /// The code of these four bytes.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The code of the first four bytes of `text` in UTF-8; spaces if it is shorter.
  package init(_ text: String) {
    var bytes = text.utf8.makeIterator()
    rawValue = (0..<4).reduce(UInt32(0)) { code, _ in code << 8 | UInt32(bytes.next() ?? UInt8(ascii: " ")) }
  }
}

extension BoxType: CustomStringConvertible {
  /// The four characters; those that are not printable ASCII are shown as `?`.
  package var description: String {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }
    return String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}

extension BoxType {
  /// File type and compatibility.
  package static let ftyp = BoxType("ftyp")
  /// Segment type.
  package static let styp = BoxType("styp")
  /// The movie, which is the content of an initialization segment.
  package static let moov = BoxType("moov")
  /// A movie fragment.
  package static let moof = BoxType("moof")
  /// Media data.
  package static let mdat = BoxType("mdat")
  /// An event message.
  package static let emsg = BoxType("emsg")
  /// A segment index.
  package static let sidx = BoxType("sidx")
  /// A box whose type is a UUID.
  package static let uuid = BoxType("uuid")

  /// The handler of a video track.
  package static let vide = BoxType("vide")
  /// The handler of an audio track.
  package static let soun = BoxType("soun")

  /// H.264 with its parameter sets in the sample entry.
  package static let avc1 = BoxType("avc1")
  /// H.264 with parameter sets in the samples too.
  package static let avc3 = BoxType("avc3")
  /// HEVC with its parameter sets in the sample entry.
  package static let hvc1 = BoxType("hvc1")
  /// HEVC with parameter sets in the samples too.
  package static let hev1 = BoxType("hev1")
  /// MPEG-4 audio. Its `esds` states the codec: AAC or MP3.
  package static let mp4a = BoxType("mp4a")
  /// AC-3.
  package static let ac3 = BoxType("ac-3")
  /// Enhanced AC-3.
  package static let ec3 = BoxType("ec-3")
  /// Opus.
  package static let opus = BoxType("Opus")

  /// The brand of files with ID3 event messages (AOMedia, "Carriage of ID3 Timed Metadata in CMAF").
  package static let aid3 = BoxType("aid3")
}
