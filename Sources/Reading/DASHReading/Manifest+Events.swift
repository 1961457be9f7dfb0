import Basics

extension Manifest {
  /// The events of an EventStream in a period. One that cannot be read is left out: the segments can still be.
  static func events(of stream: ManifestElement, in period: ManifestElement) -> [Event] {
    let listed = stream.all("Event").filter { $0.children.isEmpty }
    guard !listed.isEmpty, let timescale = timescale(stream["timescale"]),
      let start = time(stream["presentationTimeOffset"], timescale), let origin = origin(of: period)
    else { return [] }
    return listed.compactMap { element in
      let text = Array((element["messageData"] ?? element.text.trimmedForXML).utf8)
      let content = element["contentEncoding"] == "base64" ? Base64.decode(text.filter { $0 > UInt8(ascii: " ") }) : text
      guard let content, let time = time(element["presentationTime"], timescale) else { return nil }
      return Event(stream: EventStream(stream), presentationTime: origin + time - start, content: content)
    }
  }

  /// When a period starts on the timeline of the segments of its first representation; `nil` if that cannot be read.
  private static func origin(of period: ManifestElement) -> MediaTime? {
    let set = period.first("AdaptationSet")
    let levels = [set?.first("Representation"), set, period].compactMap(\.self)
    for name in ["SegmentTemplate", "SegmentList", "SegmentBase"] where levels.contains(where: { $0.first(name) != nil }) {
      let attribute = { key in levels.lazy.compactMap { $0.first(name)?[key] }.first }
      return timescale(attribute("timescale")).flatMap { time(attribute("presentationTimeOffset"), $0) }
    }
    return .zero
  }

  /// A timescale, which is 1 if it is not stated.
  private static func timescale(_ text: String?) -> UInt64? {
    guard let text else { return 1 }
    return UInt64(text).flatMap { $0 > 0 && $0 <= UInt64(UInt32.max) ? $0 : nil }
  }

  /// A time, which is 0 if it is not stated.
  private static func time(_ text: String?, _ timescale: UInt64) -> MediaTime? {
    guard let text else { return .zero }
    guard let time = UInt64(text).flatMap({ try? SegmentLister.time($0, timescale) }), time.ticks < Self.latest else { return nil }
    return time
  }

  /// No event is so late that sums of times overflow.
  private static let latest: Int64 = 1 << 60
}
