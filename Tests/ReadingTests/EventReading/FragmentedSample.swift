import Basics
import CMAF
import EventReading
import GameEvents
import ID3
import TestSupport

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

  static let ftyp = BoxSample.ftyp()
  static let styp = BoxSample.styp
  static let mdat = BoxSample.mdat

  /// A movie with video, audio or both; video frames last 512 ticks, frames of audio 1,024.
  static func moov(_ handlers: [String] = ["vide", "soun"], isFragmented: Bool = true) -> [UInt8] {
    let tracks =
      (handlers.contains("soun") ? BoxSample.track(2, "soun", timescale: 48_000) : [])
      + (handlers.contains("vide") ? BoxSample.track(1, "vide", timescale: 12_800) : [])
    let defaults = BoxSample.defaults(1, flags: 0x1_0000) + BoxSample.defaults(2, duration: 1_024)
    return BoxSample.moov(tracks: tracks, defaults: isFragmented ? defaults : [])
  }

  mutating func add(_ bytes: [UInt8]) { self.bytes += bytes }

  /// Adds a fragment with its media data.
  mutating func addFragment(track: UInt64, decodeTicks: UInt64, samples: UInt64, isSync: Bool = true) {
    add(BoxSample.moof(track: track, decodeTicks: decodeTicks, samples: samples, isSync: isSync) + Self.mdat)
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
