import Basics
import Testing

@testable import Scoring

/// The rules as text, and what each awards.
@Suite struct ScoringRulesTests {
  @Test(arguments: [
    ("right", ScoringRules(right: RightAnswerRule())),
    ("right:5+first", ScoringRules(right: RightAnswerRule(points: 5), first: FirstAnswerRule())),
    ("first:3", ScoringRules(first: FirstAnswerRule(points: 3))),
    ("points", ScoringRules(points: PointsPerAnswerRule())),
    ("speed:1000", ScoringRules(speed: SpeedRule(most: 1_000))),
    ("speed:1000:0:exact", ScoringRules(speed: SpeedRule(most: 1_000, isExact: true))),
    ("speed:1000:500", ScoringRules(speed: SpeedRule(most: 1_000, least: 500))),
    ("streak:50", ScoringRules(streak: StreakRule(points: 50))),
    ("right+streak:50:3", ScoringRules(right: RightAnswerRule(), streak: StreakRule(points: 50, length: 3))),
    ("elimination", ScoringRules(elimination: EliminationRule())),
    ("speed:10+elimination:2", ScoringRules(speed: SpeedRule(most: 10), elimination: EliminationRule(secondChances: 2))),
    ("elimination:0:answered", ScoringRules(elimination: EliminationRule(countsMissed: false))),
  ])
  func textBothWays(text: String, rules: ScoringRules) throws {
    #expect(try ScoringRules(parsing: text) == rules)
    #expect(rules.description == text)
  }

  @Test(arguments: [
    ("", ScoringRulesError.unknown("")), ("wrong", .unknown("wrong")), ("right+", .unknown("")), ("speed", .missingNumber("speed")),
    ("streak", .missingNumber("streak")), ("speed:10:20", .wrongNumber("speed:10:20")), ("right:-1", .wrongNumber("right:-1")),
    ("right:", .wrongNumber("right:")), ("streak:1:0", .wrongNumber("streak:1:0")), ("right:1:2", .unknown("right:1:2")),
    ("points:1", .unknown("points:1")), ("right+right", .repeated("right")), ("right:2000000000", .wrongNumber("right:2000000000")),
    ("elimination:1:maybe", .unknown("elimination:1:maybe")), ("right+first+elimination:x", .wrongNumber("elimination:x")),
    ("speed:99999999999999999999", .wrongNumber("speed:99999999999999999999")), ("Right", .unknown("Right")),
    ("speed:5:1:roughly", .unknown("speed:5:1:roughly")), ("speed:5:1:exact:1", .unknown("speed:5:1:exact:1")),
  ])
  func refusals(text: String, error: ScoringRulesError) { #expect(throws: error) { try ScoringRules(parsing: text) } }

  @Test func speedDecreasesEvenly() {
    let rule = SpeedRule(most: 1_000, least: 500)
    let (opensAt, allotted) = (MediaTime(seconds: 20), MediaTime(seconds: 10))
    func award(_ seconds: Double) -> Int {
      rule.award(isRight: true, time: opensAt + MediaTime(seconds: seconds), opensAt: opensAt, allottedTime: allotted)
    }
    #expect([0, 1, 5, 9, 10, 11].map(award) == [1_000, 950, 750, 550, 500, 500])
    // Parts of seconds do not count.
    #expect([0.9, 1.99, 5.5, 9.999].map(award) == [1_000, 950, 750, 550])
    let exact = SpeedRule(most: 1_000, least: 500, isExact: true)
    #expect(exact.award(isRight: true, time: opensAt + MediaTime(ticks: 1), opensAt: opensAt, allottedTime: allotted) == 999)
    #expect(exact.award(isRight: true, time: opensAt + MediaTime(seconds: 5.5), opensAt: opensAt, allottedTime: allotted) == 725)
    #expect(rule.award(isRight: false, time: opensAt, opensAt: opensAt, allottedTime: allotted) == 0)
    #expect(rule.award(isRight: true, time: opensAt, opensAt: opensAt, allottedTime: .zero) == 1_000)
  }

  @Test func speedIsExactAtTheLimits() {
    let rule = SpeedRule(most: .max, isExact: true)
    #expect(rule.most == SpeedRule.largestPoints)
    let longest = MediaTime(ticks: .max)
    #expect(rule.award(isRight: true, time: MediaTime(ticks: 1), opensAt: .zero, allottedTime: longest) == SpeedRule.largestPoints - 1)
    #expect(rule.award(isRight: true, time: MediaTime(ticks: .min), opensAt: MediaTime(ticks: .max), allottedTime: longest) == rule.most)
    #expect(SpeedRule(most: 5, least: 9).least == 5 && SpeedRule(most: -5).most == 0)
  }

  @Test func pointsPerAnswer() {
    let rule = PointsPerAnswerRule()
    #expect((0..<3).map { rule.award(answer: $0, points: [-5, 10, 0], isRight: $0 == 2) } == [-5, 10, 0])
    #expect((0..<2).map { rule.award(answer: $0, points: nil, isRight: $0 == 1) } == [0, 1])
    #expect(rule.award(answer: 7, points: [1], isRight: true) == 0)
  }
}
