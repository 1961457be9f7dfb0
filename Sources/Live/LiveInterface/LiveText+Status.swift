package import Basics

extension LiveText {
  /// What runs in a server, as tables: its streams, what is wrong with them, and its games.
  package static func status(_ status: JSONObject) -> [String] {
    let version = status["version"]?.string.map { "cuelight-server \($0), " } ?? ""
    let lines = ["\(version)up \(uptime(status["uptime"]?.int(in: .counts) ?? 0))"]
    return lines + streams(objects(status, "streams")) + games(objects(status, "games"))
  }

  private static func streams(_ streams: [JSONObject]) -> [String] {
    guard !streams.isEmpty else { return [] }
    let head = ["stream", "state", "time", "Mbit/s", "viewers", "segments", "gaps", "copies", "offset", "game", "input"]
    let rows = streams.map { stream in
      [
        word(stream, "name"), word(stream, "state"), clock(stream, "at"), megabits(stream["bitRate"]?.int(in: .counts) ?? 0),
        count(stream, "viewers"), count(stream, "segments"), count(stream, "gaps"), count(stream, "copies"),
        stream["offset"]?.number.map { "\($0.text) s" } ?? "-", word(stream, "game"), word(stream, "input"),
      ]
    }
    let formats = streams.compactMap { stream in stream["format"]?.string.map { "\(word(stream, "name")): \($0.visible(.text))" } }
    let faults = streams.flatMap { stream in
      (stream["faults"]?.array ?? []).compactMap(\.string).map { "\(word(stream, "name")): \($0.visible(.text))" }
    }
    return [""] + ([head] + rows).aligned(textColumns: [0, 1, 9, 10]) + formats + faults
  }

  private static func games(_ games: [JSONObject]) -> [String] {
    guard !games.isEmpty else { return [] }
    let rows = games.map { [word($0, "game"), word($0, "state"), count($0, "players"), count($0, "viewers"), word($0, "title")] }
    return [""] + ([["game", "state", "players", "viewers", "title"]] + rows).aligned(textColumns: [0, 1, 4])
  }

  private static func objects(_ object: JSONObject, _ key: String) -> [JSONObject] { (object[key]?.array ?? []).compactMap(\.object) }

  /// A text from a server, which may have been anybody's choice.
  private static func word(_ object: JSONObject, _ key: String) -> String { (object[key]?.string ?? "-").visible(.text) }

  private static func count(_ object: JSONObject, _ key: String) -> String { object[key]?.int(in: .counts).map { "\($0)" } ?? "-" }

  private static func clock(_ object: JSONObject, _ key: String) -> String {
    object[key]?.number.flatMap { MediaTime(decimalSeconds: $0.text) }?.clockText ?? "-"
  }

  /// Bits as megabits with two decimals.
  private static func megabits(_ bits: Int) -> String { "\(bits / 1_000_000).\((bits / 10_000 % 100).digits(2))" }

  private static func uptime(_ seconds: Int) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400)
    let clock = "\((rest / 3_600).digits(2)):\((rest / 60 % 60).digits(2)):\((rest % 60).digits(2))"
    return days == 0 ? clock : "\(days) \(days == 1 ? "day" : "days") \(clock)"
  }
}
