import Basics
import CMAF
import EventReading
import GameEvents
import ID3

/// Fragmented MP4 that is put together box by box: a video track (1, of 12,800 ticks a second) and an audio track (2, of 48,000).
///
/// It holds nothing that a decoder could show.
struct FragmentedSample {
  private(set) var bytes: [UInt8] = []
  /// What a reader should find, where the timeline origin is at `zero`.
  private(set) var items: [StreamItem] = []
  /// The stream time of the timeline origin.
  let zero: MediaTime
  /// Whether the video tells it, or the audio.
  let hasPictureTime: Bool

  init(zero: Int64 = 0, hasPictureTime: Bool = true) {
    self.zero = MediaTime(ticks: zero)
    self.hasPictureTime = hasPictureTime
  }

  static func integer(_ value: UInt64, _ byteCount: Int = 4) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (byteCount - 1 - $0))) }
  }

  static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let payload = parts.flatMap { $0 }
    return integer(UInt64(payload.count + 8)) + Array(type.utf8) + payload
  }

  static let ftyp = box("ftyp", Array("iso6".utf8), integer(512), Array("cmfcaid3".utf8))
  static let styp = box("styp", Array("msdh".utf8), integer(0))
  static let mdat = box("mdat", [UInt8](repeating: 0x47, count: 40))

  private static func track(_ id: UInt64, _ handler: String, timescale: UInt64) -> [UInt8] {
    box(
      "trak", box("tkhd", integer(0, 12), integer(id), integer(0, 60)),
      box(
        "mdia", box("mdhd", integer(0, 12), integer(timescale), integer(0, 8)),
        box("hdlr", integer(0, 8), Array(handler.utf8), integer(0, 13))))
  }

  private static func defaults(_ id: UInt64, duration: UInt64, flags: UInt64) -> [UInt8] {
    box("trex", integer(0), integer(id), integer(1), integer(duration), integer(10), integer(flags))
  }

  /// A movie with video, audio or both; video frames last 512 ticks, frames of audio 1,024.
  static func moov(_ handlers: [String] = ["vide", "soun"], isFragmented: Bool = true) -> [UInt8] {
    let tracks =
      (handlers.contains("soun") ? track(2, "soun", timescale: 48_000) : [])
      + (handlers.contains("vide") ? track(1, "vide", timescale: 12_800) : [])
    let mvex = box("mvex", defaults(1, duration: 512, flags: 0x1_0000), defaults(2, duration: 1_024, flags: 0))
    return box("moov", box("mvhd", integer(0, 12), integer(1_000), integer(0, 84)), tracks, isFragmented ? mvex : [])
  }

  /// A fragment of a number of samples of a track.
  static func moof(track: UInt64, decodeTicks: UInt64, samples: UInt64, isSync: Bool = true) -> [UInt8] {
    box(
      "moof", box("mfhd", integer(0), integer(1)),
      box(
        "traf", box("tfhd", integer(0x2_0000), integer(track)), box("tfdt", integer(0x100_0000), integer(decodeTicks, 8)),
        box("trun", integer(0x5), integer(samples), integer(0), integer(isSync ? 0x200_0000 : 0x101_0000))))
  }

  mutating func add(_ bytes: [UInt8]) { self.bytes += bytes }

  /// Adds a fragment with its media data.
  mutating func addFragment(track: UInt64, decodeTicks: UInt64, samples: UInt64, isSync: Bool = true) {
    add(Self.moof(track: track, decodeTicks: decodeTicks, samples: samples, isSync: isSync) + Self.mdat)
  }

  /// Adds a message with a tag.
  mutating func add(
    _ tag: ID3Tag, at ticks: Int64, id: UInt32 = 7, scheme: BoxText = EventMessageBox.id3Scheme, time: EventMessageBox.Time? = nil
  ) throws {
    let data = try tag.encode()
    let message = EventMessageBox(schemeID: scheme, time: time ?? .absolute(UInt64(ticks)), id: id, messageData: data)
    let presentation = MediaTime(ticks: ticks)
    let place = Place(
      time: presentation - zero, presentationTime: presentation, videoTime: hasPictureTime ? presentation - zero : nil,
      carriage: .eventMessage(id: id), offset: bytes.count,
      byteCount: data.count)
    add(try message.encoded())
    guard message.isID3 else { return }
    if case .success(let copy) = EventCopy.copies(in: tag).first {
      items.append(.copy(copy, place))
    } else {
      items.append(.tag(tag, place))
    }
  }
}
