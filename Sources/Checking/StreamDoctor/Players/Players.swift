import EventReading

// How each player's own code handles a tag. scripts/check-players checks hls.js and video.js.

extension PlayerModel {
  private static let script = "scripts/check-players"

  /// hls.js: `tsdemuxer`, `passthrough-remuxer`, `id3`, `id3-track-controller`.
  static let hlsjs = PlayerModel(
    player: .hlsjs, evidence: .checked(version: "1.6.15", script: script), playedContainers: [.transportStream, .fragmentedMP4],
    reasonToDrop: { tag in
      if let reason = malformed(tag, readsShort: true) { return reason }
      guard case .packet(let packet) = tag.carrier else { return nil }
      if !packet.isFirstStream { return "it takes the first ID3 stream of the program only" }
      if packet.isContinued { return "it does not put tags together from several packets" }
      return nil
    },
    verdict: { frame, _ in
      if frame.isTimestamp || (frame.size < 2 && !frame.id.hasPrefix("W")) { return .ignored }
      if frame.id == "TXXX", frame.encoding == 1 || frame.encoding == 2 { return .unreadable("it reads every text as UTF-8") }
      if frame.id == "TXXX", !frame.hasPlainDescription {
        return .unreadable("it looks for the value by the number of characters of the description")
      }
      return .shown(cues: 1)
    })

  /// video.js 7 with mux.js 5: `m2ts`, `metadata-stream`.
  static let videojs = PlayerModel(
    player: .videojs, evidence: .checked(version: "7.5.5", script: script), playedContainers: [.transportStream],
    reasonToDrop: { tag in
      if case .message = tag.carrier { return "it does not read event messages" }
      if let reason = malformed(tag) { return reason }
      if tag.frames.contains(where: { $0.size == 0 }) { return "it drops a tag with an empty frame" }
      guard case .packet(let packet) = tag.carrier else { return nil }
      if !packet.isListed { return "the program map does not list it" }
      if !packet.hasBasicCodecs { return "it knows programs with H.264 or AAC only" }
      if packet.index > 0 { return "it takes the first tag of a packet only" }
      return nil
    },
    verdict: { frame, _ in
      if frame.id == "TXXX", frame.encoding != 3 { return .unreadable("it reads UTF-8 (text encoding 3) only") }
      return .shown(cues: 1)
    })

  /// video.js 8 with mux.js 7: as before in transport streams, and event messages as well (`probe`, `emsg`).
  static let videojs8 = PlayerModel(
    player: .videojs8, evidence: .tried(version: "8.23.7"),
    reasonToDrop: { tag in
      guard case .message = tag.carrier else { return videojs.reasonToDrop(tag) }
      return malformed(tag) ?? (tag.frames.contains { $0.size == 0 } ? "it drops a tag with an empty frame" : nil)
    }, verdict: videojs.verdict)

  /// Shaka Player 5.
  static let shaka = PlayerModel(
    player: .shaka, evidence: .tried(version: "5.0.2"),
    reasonToDrop: { tag in
      switch tag.carrier {
      case .message: return "it tells no event for an `emsg` in HLS"
      case .packedAudio: return nil
      case .packet(let packet): return malformed(tag, readsShort: true) ?? (packet.isListed ? nil : "the program map does not list it")
      }
    },
    verdict: { frame, tag in
      if frame.isTimestamp { return .ignored }
      guard case .packet(let packet) = tag.carrier, packet.isMuxed else { return .shown(cues: 1) }
      return .shown(cues: 2)
    }, reasonToRepeat: "every copy is shown, twice where sound and picture are in one stream (once for each of them)")

  /// media3 (ExoPlayer): `Id3Reader`, `EmsgUnwrappingTrackOutput`, and `DefaultHlsExtractorFactory`, which wants event messages of variants only.
  static let media3 = PlayerModel(
    player: .media3, evidence: .notChecked(version: "1.x"),
    reasonToDrop: { tag in
      if case .message(let message) = tag.carrier, message.isInGroup {
        return "it reads the event messages of variants only, not those of audio renditions"
      }
      guard case .packet(let packet) = tag.carrier else { return tag.frames.isEmpty ? "it finds no frames in the tag" : nil }
      if !packet.isListed { return "the program map does not list it" }
      if packet.isCut || !packet.isWhole { return "the payload holds no whole tag" }
      if !packet.hasTime { return "the packet has no time" }
      if !packet.isAligned { return "it drops packets with data_alignment_indicator 0" }
      if packet.index > 0 { return "it takes the first tag of a packet only" }
      if packet.isContinued { return "it drops a tag whose size differs from its packet's" }
      return tag.frames.isEmpty ? "it finds no frames in the tag" : nil
    })

  /// dash.js, with the segments in a DASH manifest that announces the event stream.
  static let dashjs = PlayerModel(
    player: .dashjs, evidence: .tried(version: "5.1.1"),
    reasonToDrop: { tag in
      guard case .message(let message) = tag.carrier else { return "it reads event messages only" }
      return message.isRepeatedID ? "it keeps the first message of equal scheme, value and id in a period" : nil
    },
    reasonToRepeat: "copies of an event have different ids")

  /// AVFoundation.
  static let avFoundation = PlayerModel(
    player: .avFoundation, evidence: .notChecked(version: "any"),
    reasonToDrop: { tag in
      switch tag.carrier {
      case .message(let message): return message.version == 1 ? malformed(tag) : "it reads version 1 of event messages only"
      case .packedAudio: return malformed(tag)
      case .packet(let packet):
        return malformed(tag) ?? (packet.hasDescriptors ? nil : "the program map lacks one of the descriptors 25 and 26")
      }
    })

  /// Why no player that reads ID3v2.4 can read a tag.
  ///
  /// - Parameter readsShort: Whether it reads the frames of a tag that states more bytes than there are.
  private static func malformed(_ tag: TagObservation, readsShort: Bool = false) -> String? {
    if case .packet(let packet) = tag.carrier {
      if packet.isCut { return "the tag's first five bytes are missing" }
      if !packet.isWhole, !readsShort || tag.frames.isEmpty { return "the tag is cut off" }
      if !packet.hasTime { return "the packet has no time" }
    }
    if tag.frames.isEmpty || tag.isMisread { return "the tag cannot be read as ID3v2.4" }
    if tag.hasExtendedHeader { return "it passes over an extended header wrongly" }
    return tag.isUnsynchronised ? "it does not undo unsynchronisation" : nil
  }
}
