package import Basics

/// The objects of the HTTP interface as text.
package enum LiveText {
  /// The status of an event in a line: `askQuestion 4f0c…: placed at 01:05.040, number 2`.
  package static func event(_ status: JSONObject) -> String {
    let name = "\(text(status, "event")) \(text(status, "guid"))"
    var facts = [text(status, "state") + (time(status, "at").map { " at \($0)" } ?? "")]
    if let sequence = status["sequence"]?.int(in: .counts) { facts.append("number \(sequence)") }
    if let reason = status["reason"]?.string { facts.append(reason) }
    return "\(name): \(facts.joined(separator: ", "))"
  }

  /// The status of an event, and where it is in the stream, in a line.
  package static func wholeEvent(_ status: JSONObject) -> String {
    var facts = [event(status)]
    if let closes = time(status, "closesAt") { facts.append("answers until \(closes)") }
    if let copies = status["copies"]?.int(in: .counts), copies > 0 { facts.append("\(copies) \(copies == 1 ? "copy" : "copies")") }
    if let refreshes = status["refreshes"]?.int(in: .counts), refreshes > 0 {
      facts.append("\(refreshes) \(refreshes == 1 ? "refresh" : "refreshes")")
    }
    let segments = (status["segments"]?.array ?? []).compactMap { $0.int(in: .counts) }
    if let last = segments.last { facts.append("\(segments.count == 1 ? "segment" : "segments to") \(last)") }
    return facts.joined(separator: ", ")
  }

  /// All events as a table, in the order of acceptance.
  package static func events(_ list: JSONObject) -> [String] {
    let rows = (list["events"]?.array ?? []).compactMap(\.object).map { status in
      [
        status["sequence"]?.int(in: .counts).map { "\($0)" } ?? "-", time(status, "at") ?? "-", text(status, "event"),
        text(status, "state"),
        text(status, "guid"),
      ]
    }
    return rows.isEmpty ? ["no event was posted"] : rows.aligned(textColumns: [2, 3, 4])
  }

  /// The position of the programme, in a line.
  package static func now(_ now: JSONObject) -> String {
    var facts = [time(now, "at") ?? "no programme yet"]
    if let date = now["wallClock"]?.string { facts.append(date) }
    if let timecode = now["timecode"]?.string { facts.append("timecode \(timecode)") }
    facts.append("input \(text(now, "input"))")
    if let sequence = now["sequence"]?.int(in: .counts), sequence > 0 { facts.append("number \(sequence) was the last") }
    if let latency = now["latency"]?.number { facts.append("latency \(latency.text) s") }
    return facts.joined(separator: ", ")
  }

  private static func text(_ object: JSONObject, _ key: String) -> String { object[key]?.string ?? "?" }

  private static func time(_ object: JSONObject, _ key: String) -> String? {
    object[key]?.number.flatMap { MediaTime(decimalSeconds: $0.text) }?.clockText
  }
}
