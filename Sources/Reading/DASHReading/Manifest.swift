package import Basics
import HLSPlaylist
import XML

/// An MPD as it was read (ISO/IEC 23009-1, 5): a snapshot with each segment that it lists.
///
/// SegmentTemplate (with `$Number$`, `$Time$` and SegmentTimeline), SegmentList, SegmentBase and BaseURL are read. URIs are relative to the MPD.
package struct Manifest: Equatable, Sendable {
  /// A stream of events that an MPD announces for the segments, or holds itself (5.10).
  package struct EventStream: Hashable, Sendable {
    /// The scheme of the events.
    package var scheme: String
    /// The value, which may be empty.
    package var value: String

    package init(scheme: String, value: String) { (self.scheme, self.value) = (scheme, value) }
  }

  /// An event that an MPD holds itself (5.10.2).
  package struct Event: Equatable, Sendable {
    package var stream: EventStream
    /// When it happens, on the timeline of the segments of the period's first representation.
    package var presentationTime: MediaTime
    /// What it says: its text, or what this encodes in base64.
    package var content: [UInt8]
  }

  /// A piece of a file.
  struct Location: Equatable, Sendable {
    var uri: String
    var range: ByteRange?
  }

  /// A segment.
  struct Segment: Equatable, Sendable {
    var location: Location
    var duration: MediaTime
  }

  /// One way to code the content, in one period.
  struct Representation: Equatable, Sendable {
    var id: String
    var content: String
    var language: String?
    var bandwidth: UInt64
    var codecs: String?
    var size: (width: Int, height: Int)?
    var inband: [EventStream]
    var initialization: Location?
    var segments: [Segment]

    static func == (left: Self, right: Self) -> Bool {
      left.id == right.id && left.content == right.content && left.language == right.language && left.bandwidth == right.bandwidth
        && left.codecs == right.codecs && left.size?.width == right.size?.width && left.size?.height == right.size?.height
        && left.inband == right.inband && left.initialization == right.initialization && left.segments == right.segments
    }
  }

  /// The representations of each adaptation set, period by period.
  var periods: [[[Representation]]]
  /// Whether it may change (`type="dynamic"`).
  package var isDynamic: Bool
  /// Whether it says where players get the time (UTCTiming).
  package var hasClock: Bool
  /// The events that it holds itself, and how many there are of each stream.
  package var eventStreams: [EventStream: Int]
  /// Those of them that have no other elements inside, in the order of the MPD.
  package var events: [Event]

  /// Reads an MPD.
  ///
  /// - Parameter now: The time of day in milliseconds since 1970, on which it depends what a dynamic MPD without a timeline lists.
  /// - Throws: ``ManifestError``.
  package init(_ bytes: [UInt8], now: Int64) throws(ManifestError) {
    let root = try ManifestElement(bytes)
    isDynamic = root["type"] == "dynamic"
    hasClock = root.first("UTCTiming") != nil
    eventStreams = [:]
    events = []
    periods = []
    let total = try root["mediaPresentationDuration"].map { text throws(ManifestError) in
      try Self.duration(text, "MPD", "mediaPresentationDuration")
    }
    let elements = root.all("Period")
    var start = MediaTime.zero
    var count = 0
    for (index, period) in elements.enumerated() {
      if let text = period["start"] { start = try Self.duration(text, "Period", "start") }
      var end: MediaTime?
      if let text = period["duration"] { end = start + (try Self.duration(text, "Period", "duration")) }
      if end == nil, elements.indices.contains(index + 1), let next = elements[index + 1]["start"] {
        end = try Self.duration(next, "Period", "start")
      }
      end = end ?? total
      for stream in period.all("EventStream") {
        eventStreams[EventStream(stream), default: 0] += stream.all("Event").count
        events += Self.events(of: stream, in: period)
      }
      let context = SegmentContext(
        duration: end.map { $0 - start }, elapsed: try Self.elapsed(root, since: start, now: now),
        depth: try root["timeShiftBufferDepth"].map { text throws(ManifestError) in
          try Self.duration(text, "MPD", "timeShiftBufferDepth")
        })
      periods.append(try Self.sets(of: period, bases: [root, period], context, &count))
      start = end ?? start
    }
    guard periods.contains(where: { $0.contains { $0.contains { !$0.segments.isEmpty } } }) else { throw .empty }
  }

  /// The adaptation sets of a period.
  private static func sets(
    of period: ManifestElement, bases: [ManifestElement], _ context: SegmentContext, _ count: inout Int
  ) throws(ManifestError) -> [[Representation]] {
    var sets: [[Representation]] = []
    for set in period.all("AdaptationSet") {
      var representations: [Representation] = []
      for element in set.all("Representation") {
        var lister = SegmentLister(levels: [period, set, element], context: context)
        lister.base = base(of: bases + [set, element])
        let (initialization, segments) = try lister.list()
        count += segments.count
        guard count <= SegmentLister.mostSegments else { throw .tooLarge }
        let type = element["mimeType"] ?? set["mimeType"] ?? ""
        representations.append(
          Representation(
            id: element["id"] ?? "", content: set["contentType"] ?? String(type.prefix { $0 != "/" }), language: set["lang"],
            bandwidth: element["bandwidth"].flatMap(UInt64.init) ?? 1, codecs: element["codecs"] ?? set["codecs"],
            size: size(element, set), inband: (set.all("InbandEventStream") + element.all("InbandEventStream")).map(EventStream.init),
            initialization: initialization, segments: segments))
      }
      sets.append(representations)
    }
    return sets
  }

  private static func size(_ element: ManifestElement, _ set: ManifestElement) -> (width: Int, height: Int)? {
    guard let width = (element["width"] ?? set["width"]).flatMap(Int.init),
      let height = (element["height"] ?? set["height"]).flatMap(Int.init)
    else { return nil }
    return (width, height)
  }

  /// The base of the URIs in an element: each level's first BaseURL is relative to that of the level above (5.6.4).
  private static func base(of levels: [ManifestElement]) -> URIReference {
    levels.reduce(URIReference("")) { base, level in
      guard let text = level.first("BaseURL")?.text else { return base }
      return URIReference(text.trimmedForXML).resolve(base: base)
    }
  }

  /// How long a period runs; `nil` if the MPD does not change.
  private static func elapsed(_ root: ManifestElement, since start: MediaTime, now: Int64) throws(ManifestError) -> MediaTime? {
    guard root["type"] == "dynamic", let text = root["availabilityStartTime"] else { return nil }
    guard let date = PlaylistDate(text) else { throw .value(element: "MPD", attribute: "availabilityStartTime", text) }
    return MediaTime(milliseconds: now.subtractingSaturated(date.milliseconds)) - start
  }

  /// A duration of XML Schema, such as `PT1H2M3.5S`, without years and months.
  static func duration(_ text: String, _ element: String, _ attribute: String) throws(ManifestError) -> MediaTime {
    let mistake = ManifestError.value(element: element, attribute: attribute, text)
    var rest = text[...]
    guard rest.popFirst() == "P" else { throw mistake }
    var (seconds, isTime) = (0.0, false)
    while let first = rest.first {
      if first == "T", !isTime {
        isTime = true
        rest.removeFirst()
        continue
      }
      let number = rest.prefix { $0.isNumber || $0 == "." }
      rest = rest.dropFirst(number.count)
      let unit = rest.popFirst()
      let factors: [Character: Double] = isTime ? ["H": 3_600, "M": 60, "S": 1] : ["D": 86_400, "W": 604_800, "Y": 0, "M": 0]
      guard let value = Double(number), let unit, let factor = factors[unit], factor > 0 || value == 0 else { throw mistake }
      seconds += value * factor
    }
    guard seconds < 1e9 else { throw mistake }
    return MediaTime(seconds: seconds)
  }
}

extension Manifest.EventStream {
  init(_ element: ManifestElement) { self.init(scheme: element["schemeIdUri"] ?? "", value: element["value"] ?? "") }
}

extension String {
  /// The text without the white space around it.
  var trimmedForXML: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
