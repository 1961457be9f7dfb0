import Basics
import HLSPlaylist

/// What the segments of a representation depend on besides its own elements.
struct SegmentContext {
  /// How long the period is; `nil` if that is not known.
  var duration: MediaTime?
  /// How long the period runs already; `nil` if the MPD does not change.
  var elapsed: MediaTime?
  /// How much of a live presentation is there.
  var depth: MediaTime?
}

/// Lists the segments of a representation (ISO/IEC 23009-1, 5.3.9).
struct SegmentLister {
  /// The period, the adaptation set and the representation.
  let levels: [ManifestElement]
  let context: SegmentContext
  /// What URIs are relative to.
  var base = URIReference("")

  /// The maximum number of segments in an MPD.
  static let mostSegments = 200_000

  init(levels: [ManifestElement], context: SegmentContext) { (self.levels, self.context) = (levels, context) }

  /// The initialization segment and the segments.
  func list() throws(ManifestError) -> (initialization: Manifest.Location?, segments: [Manifest.Segment]) {
    if hasAny("SegmentTemplate") { return try template() }
    if hasAny("SegmentList") { return try segmentList() }
    // SegmentBase, or a BaseURL alone: the whole file is one segment. Its index is not needed to read it.
    guard levels.last?.first("BaseURL") != nil || hasAny("SegmentBase") else { return (nil, []) }
    guard !base.text.isEmpty else { return (nil, []) }
    return (nil, [Manifest.Segment(location: .init(uri: base.text), duration: context.duration ?? .zero)])
  }

  private func hasAny(_ name: String) -> Bool { levels.contains { $0.first(name) != nil } }

  /// An attribute of an element that each level may have; the innermost counts (5.3.9.1).
  private func attribute(_ name: String, of element: String) -> String? {
    levels.reversed().lazy.compactMap { $0.first(element)?[name] }.first
  }

  private func child(_ name: String, of element: String) -> ManifestElement? {
    levels.reversed().lazy.compactMap { $0.first(element)?.first(name) }.first
  }

  private func number(_ name: String, of element: String) throws(ManifestError) -> UInt64? {
    guard let text = attribute(name, of: element) else { return nil }
    guard let value = UInt64(text) else { throw .value(element: element, attribute: name, text) }
    return value
  }

  private func timescale(of element: String) throws(ManifestError) -> UInt64 {
    let value = try number("timescale", of: element) ?? 1
    guard value > 0, value <= UInt64(UInt32.max) else { throw .value(element: element, attribute: "timescale", String(value)) }
    return value
  }

  /// A duration of a timescale.
  static func time(_ value: UInt64, _ timescale: UInt64) throws(ManifestError) -> MediaTime {
    let (high, low) = value.multipliedFullWidth(by: UInt64(MediaTime.ticksPerSecond))
    guard high < timescale, let ticks = Int64(exactly: timescale.dividingFullWidth((high, low)).quotient) else {
      throw .value(element: "S", attribute: "d", String(value))
    }
    return MediaTime(ticks: ticks)
  }

  private func resolved(_ uri: String) -> String { URIReference(uri.trimmedForXML).resolve(base: base).text }

  // MARK: SegmentTemplate

  private func template() throws(ManifestError) -> (Manifest.Location?, [Manifest.Segment]) {
    let element = "SegmentTemplate"
    guard let media = attribute("media", of: element) else { throw .value(element: element, attribute: "media", nil) }
    let timescale = try timescale(of: element)
    let first = try number("startNumber", of: element) ?? 1
    let initialization = try attribute("initialization", of: element).map { text throws(ManifestError) in
      Manifest.Location(uri: resolved(try expand(text, number: nil, time: nil)))
    }
    var segments: [Manifest.Segment] = []
    func add(_ number: UInt64, _ time: UInt64, _ duration: UInt64) throws(ManifestError) {
      guard segments.count < Self.mostSegments else { throw .tooLarge }
      let uri = resolved(try expand(media, number: number, time: time))
      segments.append(.init(location: .init(uri: uri), duration: try Self.time(duration, timescale)))
    }
    if let timeline = child("SegmentTimeline", of: element) {
      for (index, entry) in try entries(of: timeline, timescale).enumerated() {
        try add(first.addingSaturated(UInt64(index)), entry.time, entry.duration)
      }
    } else {
      guard let duration = try number("duration", of: element), duration > 0 else {
        throw .value(element: element, attribute: "duration", attribute("duration", of: element))
      }
      for index in try numbers(each: try Self.time(duration, timescale)) {
        try add(first.addingSaturated(index), index.multipliedReportingOverflow(by: duration).partialValue, duration)
      }
    }
    return (initialization, segments)
  }

  /// Which segments of one duration there are, counted from 0.
  private func numbers(each duration: MediaTime) throws(ManifestError) -> Range<UInt64> {
    guard duration > .zero else { throw .value(element: "SegmentTemplate", attribute: "duration", nil) }
    if let elapsed = context.elapsed {
      let end = max(min(elapsed, context.duration ?? elapsed).ticks, 0) / duration.ticks
      let depth = context.depth.map { max($0.ticks, 0) / duration.ticks } ?? end
      let start = max(end.subtractingSaturated(depth), 0)
      guard end - start <= Int64(Self.mostSegments) else { throw .tooLarge }
      return UInt64(start)..<UInt64(max(end, start))
    }
    guard let total = context.duration else { throw .value(element: "Period", attribute: "duration", nil) }
    let count = max(total.ticks, 0).addingSaturated(duration.ticks - 1) / duration.ticks
    guard count <= Int64(Self.mostSegments) else { throw .tooLarge }
    return 0..<UInt64(count)
  }

  /// The times and durations of a timeline (5.3.9.6).
  private func entries(of timeline: ManifestElement, _ timescale: UInt64) throws(ManifestError) -> [(time: UInt64, duration: UInt64)] {
    var entries: [(time: UInt64, duration: UInt64)] = []
    var time: UInt64 = 0
    let all = timeline.all("S")
    for (index, entry) in all.enumerated() {
      if let text = entry["t"] {
        guard let value = UInt64(text) else { throw .value(element: "S", attribute: "t", text) }
        time = value
      }
      guard let text = entry["d"], let duration = UInt64(text), duration > 0 else { throw .value(element: "S", attribute: "d", entry["d"]) }
      var repeats: Int64 = 0
      if let text = entry["r"] {
        guard let value = Int64(text) else { throw .value(element: "S", attribute: "r", text) }
        repeats = value
      }
      if repeats < 0 {
        // Up to the next entry, or to the end.
        let next = all.indices.contains(index + 1) ? all[index + 1]["t"].flatMap(UInt64.init) : nil
        let offset = try number("presentationTimeOffset", of: "SegmentTemplate") ?? 0
        let length = context.elapsed ?? context.duration ?? .zero
        let scaled = UInt64(clamping: max(length.ticks, 0)).multipliedFullWidth(by: timescale)
        let ticks = UInt64(MediaTime.ticksPerSecond)
        let end = next ?? (scaled.high < ticks ? ticks.dividingFullWidth(scaled).quotient : .max).addingSaturated(offset)
        repeats = end > time ? Int64(clamping: (end - time + duration - 1) / duration) - 1 : 0
      }
      guard repeats < Int64(Self.mostSegments - entries.count) else { throw .tooLarge }
      for _ in 0...max(repeats, 0) {
        entries.append((time, duration))
        time = time.addingSaturated(duration)
      }
    }
    return entries
  }

  /// A template with the identifiers replaced (5.3.9.4.4).
  private func expand(_ template: String, number: UInt64?, time: UInt64?) throws(ManifestError) -> String {
    let mistake = ManifestError.value(element: "SegmentTemplate", attribute: number == nil ? "initialization" : "media", template)
    let parts = template.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count % 2 == 1 else { throw mistake }
    let representation = levels.last
    var text = ""
    for (index, part) in parts.enumerated() {
      guard index % 2 == 1 else {
        text += part
        continue
      }
      let pieces = part.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
      let name = pieces.first ?? ""
      var digits = 1
      if pieces.count == 2 {
        guard let format = pieces.last, format.hasPrefix("0"), format.hasSuffix("d"), let width = Int(format.dropFirst().dropLast()),
          width <= 32
        else { throw mistake }
        digits = width
      }
      let value: String? =
        switch name {
        case "": part.isEmpty ? "$" : nil
        case "RepresentationID": representation?["id"] ?? ""
        case "Bandwidth": representation?["bandwidth"]
        case "Number": number.map(String.init)
        case "Time": time.map(String.init)
        default: nil
        }
      guard let value else { throw mistake }
      text += String(repeating: "0", count: max(0, digits - value.utf8.count)) + value
    }
    return text
  }

  // MARK: SegmentList

  private func segmentList() throws(ManifestError) -> (Manifest.Location?, [Manifest.Segment]) {
    let element = "SegmentList"
    let timescale = try timescale(of: element)
    let duration = try number("duration", of: element)
    let initialization = try child("Initialization", of: element).map { child throws(ManifestError) in
      try location(child["sourceURL"], child["range"], element: "Initialization", "range")
    }
    guard let list = levels.reversed().lazy.compactMap({ $0.first(element) }).first(where: { $0.first("SegmentURL") != nil }) else {
      return (initialization, [])
    }
    let urls = list.all("SegmentURL")
    let times = try child("SegmentTimeline", of: element).map { timeline throws(ManifestError) in try entries(of: timeline, timescale) }
    var segments: [Manifest.Segment] = []
    for (index, url) in urls.enumerated() {
      guard segments.count < Self.mostSegments else { throw .tooLarge }
      let length = times.flatMap { $0.indices.contains(index) ? $0[index].duration : nil } ?? duration
      let time = try length.map { length throws(ManifestError) in try Self.time(length, timescale) } ?? context.duration ?? .zero
      segments.append(.init(location: try location(url["media"], url["mediaRange"], element: "SegmentURL", "mediaRange"), duration: time))
    }
    return (initialization, segments)
  }

  /// A piece of a file: a URI, without which it is the base, and a range such as `0-999`.
  private func location(_ uri: String?, _ range: String?, element: String, _ attribute: String) throws(ManifestError) -> Manifest.Location {
    var location = Manifest.Location(uri: uri.map(resolved) ?? base.text)
    guard let range else { return location }
    let bounds = range.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
    guard bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last, last < .max else {
      throw .value(element: element, attribute: attribute, range)
    }
    location.range = ByteRange(length: last - first + 1, offset: first)
    return location
  }
}
