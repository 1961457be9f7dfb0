import Basics
import GameHosting
import Reach
import Scoring
import Testing

/// How a game is played, as the HTTP interface and the store say it.
@Suite struct GameRulesTests {
  private func object(_ text: String) throws -> JSONObject { try #require(try JSONValue(parsing: text).object) }

  /// The rules that an object makes of the usual ones.
  private func rules(_ text: String) throws -> GameRules {
    var rules = GameRules()
    try rules.change(try object(text))
    return rules
  }

  private func problem(_ text: String) throws -> HostingProblem? {
    let object = try object(text)
    var rules = GameRules()
    do throws(HostingProblem) {
      try rules.change(object)
      return nil
    } catch {
      return error
    }
  }

  @Test func theUsualOnes() throws {
    let rules = GameRules()
    #expect(rules.object.text == #"{"scoring":"right","delay":12,"allottedTime":10,"pause":8,"mostPlayers":1000000}"#)
    #expect(try self.rules("{}") == rules)
  }

  /// Each key changes its own rule and no other, from the smallest value to the largest.
  @Test func eachKey() throws {
    let scoring = try ScoringRules(parsing: "speed:1000:500+streak:50")
    func changed(_ change: (inout GameRules) -> Void) -> GameRules {
      var rules = GameRules()
      change(&rules)
      return rules
    }
    let cases: [(String, GameRules)] = [
      (#"{"scoring":"speed:1000:500+streak:50"}"#, changed { $0.scoring = scoring }), (#"{"delay":0}"#, changed { $0.delay = .zero }),
      (#"{"delay":120}"#, changed { $0.delay = MediaTime(seconds: 120) }),
      (#"{"delay":0.5}"#, changed { $0.delay = MediaTime(ticks: 45_000) }),
      (
        #"{"delay":5,"fixedDelay":true}"#,
        changed { rules in (rules.delay, rules.hasFixedDelay) = (MediaTime(seconds: 5), true) }
      ),
      (
        #"{"delay":5,"delayBounds":[2,4.5]}"#,
        changed { rules in
          (rules.delay, rules.autoDelay) = (MediaTime(seconds: 5), AnswerDelay(MediaTime(seconds: 2), MediaTime(milliseconds: 4_500)))
        }
      ),
      (#"{"delay":1.2e1}"#, changed { $0.delay = MediaTime(seconds: 12) }),
      (#"{"allottedTime":1}"#, changed { $0.allottedTime = MediaTime(seconds: 1) }),
      (#"{"allottedTime":600}"#, changed { $0.allottedTime = MediaTime(seconds: 600) }),
      (#"{"pause":1.0}"#, changed { $0.pause = MediaTime(seconds: 1) }),
      (#"{"pause":3600}"#, changed { $0.pause = MediaTime(seconds: 3_600) }),
      (#"{"mostPlayers":1}"#, changed { $0.mostPlayers = 1 }), (#"{"mostPlayers":16000000}"#, changed { $0.mostPlayers = 16_000_000 }),
      (
        #"{"pause":2,"mostPlayers":5,"delay":3}"#,
        changed { rules in
          (rules.pause, rules.mostPlayers, rules.delay) = (MediaTime(seconds: 2), 5, MediaTime(seconds: 3))
        }
      ),
    ]
    for (text, expected) in cases {
      let found = try rules(text)
      #expect(found == expected, "\(text)")
      // What is kept of them makes them again.
      #expect(try rules(found.object.text) == expected, "\(text)")
    }
  }

  @Test func wrongValues() throws {
    let seconds = ["delay": "0 to 120", "allottedTime": "1 to 600", "pause": "1 to 3600"]
    let outside = [
      "delay": ["-1", "-0.001", "120.001", "1e9"], "allottedTime": ["0.999", "0", "-5", "600.01"], "pause": ["0.9", "3600.5", "1e300"],
    ]
    for (key, range) in seconds {
      for value in (outside[key] ?? []) + ["\"5\"", "null", "true", "[5]", "{}"] {
        #expect(
          try problem("{\"\(key)\":\(value)}") == .invalid("/rules/\(key)", "write seconds from \(range)"), "\(key): \(value)")
      }
    }
    for value in ["0", "-1", "16000001", "1.5", "1e30", "\"5\"", "null", "false", "[]"] {
      #expect(
        try problem("{\"mostPlayers\":\(value)}") == .invalid("/rules/mostPlayers", "write a number from 1 to 16000000"), "\(value)")
    }
    for value in ["5", "null", "\"true\"", "[]"] {
      #expect(try problem("{\"fixedDelay\":\(value)}") == .invalid("/rules/fixedDelay", "write true or false"), "\(value)")
    }
    for value in ["5", "null", "[]", "[1]", "[1,2,3]", "[3,2]", "[-1,2]", "[0,121]", "[1,\"2\"]", "[1,null]", "\"auto\""] {
      let problem = try problem("{\"delayBounds\":\(value)}")
      #expect(problem == .invalid("/rules/delayBounds", "write two numbers of seconds from 0 to 120, such as [2,45]"), "\(value)")
    }
    for value in ["5", "null", "[\"right\"]", "{}"] {
      #expect(
        try problem("{\"scoring\":\(value)}")
          == .invalid("/rules/scoring", "write rules such as \"right\" or \"speed:1000:500\""), "\(value)")
    }
    for text in ["", "wrong", "right+right", "speed", "speed:5:9", "right:-1", "elimination:1:missed"] {
      var reason = ""
      do throws(ScoringRulesError) { _ = try ScoringRules(parsing: text) } catch { reason = "\(error)" }
      #expect(try problem("{\"scoring\":\"\(text)\"}") == .invalid("/rules/scoring", reason), "\(text)")
    }
  }

  /// The first mistake is named, also that a rule does not exist.
  @Test func unknownRules() throws {
    let message =
      "there is no such rule; there are scoring, delay, fixedDelay, delayBounds, allottedTime, pause, mostPlayers, teams and "
      + "teamPoints"
    for key in ["colour", "Delay", "delay ", ""] {
      #expect(try problem("{\"pause\":5,\"\(key)\":5,\"delay\":-1}") == .invalid("/rules/\(key)", message), "\(key)")
    }
    #expect(try problem(#"{"delay":-1,"colour":5}"#) == .invalid("/rules/delay", "write seconds from 0 to 120"))
    #expect(
      "\(HostingProblem.invalid("/rules/delay", "wrong"))" == "/rules/delay: wrong" && "\(HostingProblem.invalid("", "wrong"))" == "wrong")
  }

  /// Whatever is taken lies within the limits, and is kept as it was taken.
  @Test func anything() throws {
    var numbers = SeededNumbers(seed: 12)
    let keys = ["scoring", "delay", "allottedTime", "pause", "mostPlayers", "other"]
    let values = [
      "0", "1", "5", "0.04", "119.999999", "120", "599", "3600", "16000000", "-3", "\"right\"", "\"points\"", "\"elimination:2\"", "\"x\"",
      "null", "true", "1e2",
    ]
    var taken = 0
    for _ in 0..<3_000 {
      let members = (0..<numbers.below(4)).map { _ in
        let key = numbers.below(20) == 0 ? keys[5] : keys[numbers.below(5)]
        return "\"\(key)\":\(values[numbers.below(values.count)])"
      }
      guard let value = try? JSONValue(parsing: "{\(members.joined(separator: ","))}"), let object = value.object else { continue }
      var rules = GameRules()
      guard (try? rules.change(object)) != nil else { continue }
      taken += 1
      #expect(rules.delay >= .zero && rules.delay <= MediaTime(seconds: 120))
      #expect(rules.allottedTime >= MediaTime(seconds: 1) && rules.allottedTime <= MediaTime(seconds: 600))
      #expect(rules.pause >= MediaTime(seconds: 1) && rules.pause <= MediaTime(seconds: 3_600))
      #expect((1...Roster.largestCount).contains(rules.mostPlayers))
      var again = GameRules()
      try again.change(rules.object)
      #expect(again == rules)
    }
    #expect(taken > 500)
  }
}
