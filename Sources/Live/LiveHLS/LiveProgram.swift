package import HLSPlaylist

/// The coding of a live presentation's segments if each stream has a track of its own, until another program follows.
package struct LiveProgram: Equatable, Sendable {
  /// Audio in a track of its own.
  package struct Audio: Equatable, Sendable {
    package var initialization: [UInt8]
    /// The language that the stream states.
    package var language: String?
    package var channelCount: Int?
    /// Its codec in the notation of RFC 6381.
    package var codecs: String
  }

  /// The initialization segment of the main track.
  package var initialization: [UInt8]
  /// The codec of the main track in the notation of RFC 6381.
  package var mainCodecs: String
  package var audio: [Audio] = []
  package var resolution: Resolution?
  package var frameRate: PlaylistDecimal?

  /// Whether these are the initialization segments of its tracks, the main one first. Those of E-AC-3 state a data rate, which may vary.
  func hasInitializations(_ others: [[UInt8]]) -> Bool {
    let own = [(mainCodecs, initialization)] + audio.map { ($0.codecs, $0.initialization) }
    return own.count == others.count && zip(own, others).allSatisfy { own, other in own.0 == "ec-3" || own.1 == other }
  }

  /// The codecs of all tracks, each once.
  package var codecs: String {
    audio.reduce(into: [mainCodecs]) { codecs, audio in
      if !codecs.contains(audio.codecs) { codecs.append(audio.codecs) }
    }.joined(separator: ",")
  }
}

/// A file of a live presentation.
package struct SegmentFile: Equatable, Sendable {
  package var name: String
  package var bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  /// Whether a name is that of an initialization segment.
  package static func isInitialization(_ name: String) -> Bool { name.contains("-init") }

  /// The name of the file with a part of this segment.
  ///
  /// - Parameter number: The number of the part in the segment, from 0.
  package func name(ofPart number: Int) -> String { Self.name(ofPart: number, ofSegment: name) }

  /// The name of the file with a part of the segment that has or gets a name.
  static func name(ofPart number: Int, ofSegment name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return "\(name).\(number)" }
    return "\(name[..<dot]).\(number)\(name[dot...])"
  }
}
