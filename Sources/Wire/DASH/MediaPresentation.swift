package import Basics

/// A complete presentation of one period, and the MPD that lists its segments (ISO/IEC 23009-1, 5.2).
package struct MediaPresentation: Equatable, Sendable {
  /// An adaptation set: players choose one of its representations at a time (5.3.3).
  package struct AdaptationSet: Equatable, Sendable {
    package var content: Content
    /// The language (RFC 5646); `nil` if it is not known.
    package var language: String?
    /// The schemes of the event messages in the segments.
    package var eventSchemes: [String] = []
    /// The transfer characteristics of the video, a code point of ISO/IEC 23091-2; `nil` if players may assume standard dynamic range.
    package var transferCharacteristics: Int?
    /// Whether decoding can start with every segment.
    package var startsWithKeyFrames = true
    /// The date of a time in the segments; `nil` if it is not told.
    package var reference: ProducerReference?
    package var representations: [Representation]

    package init(_ content: Content, representations: [Representation] = []) {
      (self.content, self.representations) = (content, representations)
    }
  }

  /// When an encoder received what is presented at a time (ProducerReferenceTime, 5.12). The segments need not say so themselves.
  package struct ProducerReference: Equatable, Sendable {
    /// The date as XML Schema writes it.
    package var date: String
    /// The time on the timeline of the segments.
    package var presentationTime: MediaTime

    package init(date: String, presentationTime: MediaTime) { (self.date, self.presentationTime) = (date, presentationTime) }
  }

  /// The kind of content.
  package enum Content: String, Sendable {
    case video
    case audio
  }

  /// A representation: one way to code the content (5.3.5).
  package struct Representation: Equatable, Sendable {
    package var id: String
    /// Bits per second.
    package var bandwidth: UInt64
    /// The codecs in the form of RFC 6381; `nil` if there is none for them.
    package var codecs: String?
    /// The picture's size in pixels.
    package var width: Int?
    package var height: Int?
    /// Frames per second, as a number or a fraction: `30000/1001`.
    package var frameRate: String?
    package var channelCount: Int?
    package var segments: SegmentTemplate

    package init(id: String, bandwidth: UInt64, segments: SegmentTemplate) {
      (self.id, self.bandwidth, self.segments) = (id, bandwidth, segments)
    }
  }

  /// Where the segments are and when they are presented (5.3.9.4).
  package struct SegmentTemplate: Equatable, Sendable {
    /// The initialization segment's URI.
    package var initialization: String
    /// The segments' URIs: the text before a segment's number, and after it.
    package var media: Media
    /// When the period starts, on the segments' own timeline.
    package var start: MediaTime
    package var segments: [Segment]

    package struct Media: Equatable, Sendable {
      package var prefix: String
      package var suffix: String
      /// The number of the first segment, and how many digits numbers have at least.
      package var firstNumber: UInt64 = 0
      package var digitCount = 5

      /// The format of numbers in a template.
      fileprivate var format: String { digitCount > 1 ? "%0\(digitCount)d" : "" }

      package init(prefix: String, suffix: String) { (self.prefix, self.suffix) = (prefix, suffix) }
    }

    /// When a segment is presented, on its own timeline.
    package struct Segment: Equatable, Sendable {
      package var start: MediaTime
      package var duration: MediaTime

      package init(start: MediaTime, duration: MediaTime) { (self.start, self.duration) = (start, duration) }
    }

    package init(initialization: String, media: Media, start: MediaTime, segments: [Segment]) {
      (self.initialization, self.media, self.start, self.segments) = (initialization, media, start, segments)
    }
  }

  package var duration: MediaTime
  /// How much a player that has the stated bandwidths loads before it starts.
  package var minimumBuffer: MediaTime
  package var adaptationSets: [AdaptationSet] = []
  /// What happens in it, as far as it is known.
  package var eventStreams: [EventStream] = []

  package init(duration: MediaTime, minimumBuffer: MediaTime) { (self.duration, self.minimumBuffer) = (duration, minimumBuffer) }

  /// The MPD.
  package var text: String {
    var period = LiveMediaPresentation.Period(id: "1", start: .zero, adaptationSets: adaptationSets)
    period.eventStreams = eventStreams
    return LiveMediaPresentation.complete([period], duration: duration, minimumBuffer: minimumBuffer)
  }
}

extension MediaPresentation.AdaptationSet {
  func write(id: Int, to writer: inout XMLWriter) {
    var attributes = [
      ("id", String(id)), ("contentType", content.rawValue), ("mimeType", "\(content.rawValue)/mp4"), ("segmentAlignment", "true"),
    ]
    if startsWithKeyFrames { attributes.append(("startWithSAP", "1")) }
    if let language { attributes.append(("lang", language)) }
    writer.element("AdaptationSet", attributes) { writer in
      if let transferCharacteristics {
        let scheme = "urn:mpeg:mpegB:cicp:TransferCharacteristics"
        writer.element("SupplementalProperty", [("schemeIdUri", scheme), ("value", String(transferCharacteristics))])
      }
      for scheme in eventSchemes { writer.element("InbandEventStream", [("schemeIdUri", scheme), ("value", "")]) }
      if let reference {
        writer.element(
          "ProducerReferenceTime",
          [
            ("id", LiveMediaPresentation.Latency.referenceID), ("inband", "false"), ("type", "encoder"), ("wallClockTime", reference.date),
            ("presentationTime", String(reference.presentationTime.ticks)),
          ])
      }
      for representation in representations { representation.write(to: &writer) }
    }
  }
}

extension MediaPresentation.Representation {
  private static var channelScheme: String { "urn:mpeg:dash:23003:3:audio_channel_configuration:2011" }

  fileprivate func write(to writer: inout XMLWriter) {
    var attributes = [("id", id), ("bandwidth", String(bandwidth))]
    if let codecs { attributes.append(("codecs", codecs)) }
    if let width, let height { attributes += [("width", String(width)), ("height", String(height))] }
    if let frameRate { attributes.append(("frameRate", frameRate)) }
    writer.element("Representation", attributes) { writer in
      if let channelCount {
        writer.element("AudioChannelConfiguration", [("schemeIdUri", Self.channelScheme), ("value", String(channelCount))])
      }
      segments.write(to: &writer)
    }
  }
}

extension MediaPresentation.SegmentTemplate {
  /// Literal text within a template, where a dollar sign would begin an identifier (5.3.9.4.4).
  private static func literal(_ text: String) -> String {
    text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
  }

  fileprivate func write(to writer: inout XMLWriter) {
    let attributes = [
      ("timescale", String(MediaTime.ticksPerSecond)), ("presentationTimeOffset", String(start.ticks)),
      ("startNumber", String(media.firstNumber)),
      ("initialization", Self.literal(initialization)),
      ("media", "\(Self.literal(media.prefix))$Number\(media.format)$\(Self.literal(media.suffix))"),
    ]
    writer.element("SegmentTemplate", attributes) { writer in
      writer.element("SegmentTimeline", []) { writer in writeTimeline(to: &writer) }
    }
  }

  /// Segments of one duration that follow each other are one entry (5.3.9.6).
  private func writeTimeline(to writer: inout XMLWriter) {
    var index = 0
    var end: MediaTime?
    while index < segments.count {
      let first = segments[index]
      var last = index
      while last + 1 < segments.count, segments[last + 1] == .init(start: segments[last].start + first.duration, duration: first.duration) {
        last += 1
      }
      var attributes: [(String, String)] = []
      if end != first.start { attributes.append(("t", String(first.start.ticks))) }
      attributes.append(("d", String(first.duration.ticks)))
      if last > index { attributes.append(("r", String(last - index))) }
      writer.element("S", attributes)
      end = segments[last].start + first.duration
      index = last + 1
    }
  }
}

extension MediaTime {
  /// A duration as XML Schema writes it, to the nearest millisecond.
  var durationText: String {
    let milliseconds = (max(ticks, 0) + 45) / 90
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    return rest == 0 ? "PT\(seconds)S" : "PT\(seconds).\(Int(rest).digits(3))S"
  }
}
