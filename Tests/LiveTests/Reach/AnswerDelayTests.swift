import Basics
import GameEvents
import Testing

@testable import Reach

/// How long questions take answers if that follows the audience.
@Suite struct AnswerDelayTests {
  @Test(arguments: [
    ("auto", 2.0, 45.0), ("auto:0-120", 0, 120), ("auto:3.5-3.5", 3.5, 3.5),
  ])
  func texts(_ text: String, _ low: Double, _ high: Double) {
    #expect(AnswerDelay(parsing: text)?.bounds == MediaTime(seconds: low)...MediaTime(seconds: high))
  }

  @Test(arguments: ["", "12", "auto:", "auto:3", "auto:-1-2", "auto:5-4", "auto:0-121", "auto:1-2-3", "automatic", "auto:a-b"])
  func wrongTexts(_ text: String) { #expect(AnswerDelay(parsing: text) == nil) }

  @Test func theNextQuestion() throws {
    let auto = AnswerDelay()
    let (far, near) = (MediaTime(seconds: 9), MediaTime(seconds: 1))
    func audience(_ delay: MediaTime?) -> AudienceDelay { AudienceDelay(sessions: delay == nil ? 0 : 5, nearlyAll: delay) }
    #expect(auto.next(audience(MediaTime(seconds: 20)), furthest: far, current: far) == MediaTime(seconds: 20))
    #expect(auto.next(audience(near), furthest: far, current: far) == MediaTime(seconds: 2))
    #expect(auto.next(audience(MediaTime(seconds: 100)), furthest: far, current: far) == MediaTime(seconds: 45))
    // Without reports the playlist tells, and without a playlist what was.
    #expect(auto.next(audience(nil), furthest: far, current: near) == far && auto.next(nil, furthest: nil, current: far) == far)
  }

  // MARK: A show

  /// A page that is so many milliseconds behind, and what it sees of a show.
  private struct Page {
    var name: String
    var place: String
    var behind: Int64
    /// When it opens, from the beginning of the show on.
    var opens: Int64
    /// The events that are not in what it loads.
    var misses: Set<Int>
    var isLiar = false
  }

  private struct Show {
    var book = ReachBook(seed: 5)
    var pages: [Page] = []
    /// What pages have seen, by event and page.
    var seen: [Int: [String: Int64]] = [:]

    static let start: Int64 = 1_764_385_200_000
    static let events = 12
    static let interval: Int64 = 60_000
    static let reporting: Int64 = 10_000

    static func guid(_ number: Int) throws -> GUID { try #require(GUID("event-\(number)")) }
    static func placed(_ number: Int) -> Int64 { start + interval * Int64(number + 1) }

    /// - Parameters:
    ///   - count: The number of pages with delays from 1 to 40 s, most of them near: one of five is further behind than 12 s.
    ///   - liars: The number of pages at the live edge that say that they are ten minutes behind.
    init(count: Int, liars: Int, seed: UInt64 = 1) {
      var numbers = SeededNumbers(seed: seed)
      pages = (0..<count).map { number in
        let behind = numbers.below(5) == 0 ? 12_000 + numbers.below(28_001) : 1_000 + numbers.below(11_000)
        let misses = Set((0..<Self.events).filter { _ in numbers.below(100) < 2 })
        return Page(
          name: "page \(number)", place: "place \(number)", behind: Int64(behind),
          opens: number.isMultiple(of: 20) ? Self.interval * Int64(numbers.below(Self.events)) : 0, misses: misses)
      }
      pages += (0..<liars).map {
        Page(name: "liar \($0)", place: "liar place \($0)", behind: 0, opens: 0, misses: [], isLiar: true)
      }
    }

    /// Plays the show: each page reports at random moments within ten seconds after one another, in the order of time.
    mutating func play() throws {
      var numbers = SeededNumbers(seed: 2)
      var reports: [(time: Int64, page: Int)] = []
      for (index, page) in pages.enumerated() {
        var time = Self.start + page.opens + Int64(numbers.below(Int(Self.reporting)))
        while time < Self.placed(Self.events) {
          reports.append((time, index))
          time += Self.reporting
        }
      }
      reports.sort { ($0.time, $0.page) < ($1.time, $1.page) }
      var (placed, latest) = (0, [Int64](repeating: 0, count: pages.count))
      for (time, index) in reports {
        while placed < Self.events, Self.placed(placed) <= time {
          book.accept(try Self.guid(placed), at: Self.placed(placed) - 40)
          book.place(try Self.guid(placed), at: Self.placed(placed))
          placed += 1
        }
        let page = pages[index]
        if latest[index] == 0 { latest[index] = time }
        try report(page, from: latest[index], to: time, placed: placed)
        latest[index] = time
      }
    }

    private mutating func report(_ page: Page, from before: Int64, to time: Int64, placed: Int) throws {
      _ = book.take(
        ViewerReport(session: page.name, event: .other, time: time, latency: page.isLiar ? 600_000 : page.behind), from: page.place,
        at: time)
      for number in 0..<placed where !page.misses.contains(number) {
        let seen = Self.placed(number) + page.behind
        guard seen > before, seen <= time else { continue }
        // The clock of a liar says what it wants, and so does what it says of its lateness; it cannot have seen an event before it was there.
        let shown = ViewerReport.Shown(guid: try Self.guid(number), age: page.isLiar ? 0 : time - seen, late: 0, ahead: 0)
        _ = book.take(
          ViewerReport(session: page.name, event: .shown(shown), time: time, latency: page.isLiar ? 600_000 : nil), from: page.place,
          at: time)
        self.seen[number, default: [:]][page.name] = page.isLiar ? time : seen
      }
      if page.isLiar {
        _ = book.take(ViewerReport(session: page.name, event: .other, time: time, latency: 600_000), from: page.place, at: time)
      }
    }
  }

  /// 10,000 pages with delays from 1 to 40 s: the reach of each event is what they saw.
  @Test func theReachIsWhatPagesSaw() throws {
    var show = Show(count: 10_000, liars: 0)
    try show.play()
    for number in 0..<Show.events - 1 {
      let reach = try #require(show.book.reach(of: try Show.guid(number)))
      let placed = Show.placed(number)
      let seen = try #require(show.seen[number])
      // A page counts from the time at which it opens; it opens before the event is shown to it.
      let there = show.pages.filter { Show.start + $0.opens + Show.reporting <= placed }.count
      #expect(reach.shown == seen.count, "\(number)")
      #expect(reach.sessions >= there && reach.missing <= show.pages.count { $0.misses.contains(number) } + 20, "\(number)")
      var histogram = DelayHistogram()
      for time in seen.values { histogram.add(DelayHistogram.step(of: time - placed + 40)) }
      for share in [500, 950, 990] { #expect(reach.eye.quantile(share) == histogram.quantile(share), "\(number)") }
    }
  }

  /// Who has the whole time of a question, of viewers 1 to 40 s behind: with a fixed delay of 12 s one of five is left out, and with `auto` 99 of 100 are
  /// not.
  @Test func theWindowKeepsItsPromise() throws {
    var show = Show(count: 10_000, liars: 0)
    try show.play()
    let fixed = MediaTime(seconds: 12)
    let delay = AnswerDelay().next(show.book.audience, furthest: MediaTime(seconds: 9), current: fixed)
    func share(_ delay: MediaTime) -> Double {
      Double(show.pages.count { $0.behind <= delay.milliseconds }) / Double(show.pages.count)
    }
    #expect(share(delay) >= 0.99 && share(delay - MediaTime(milliseconds: 250)) < 0.99)
    #expect(share(fixed) < 0.82)
    // An audience that is near does not wait for viewers whom it does not have.
    var near = Show(count: 1_000, liars: 0)
    for index in near.pages.indices { near.pages[index].behind = 1_000 + Int64(index) * 2 }
    try near.play()
    #expect(AnswerDelay().next(near.book.audience, furthest: MediaTime(seconds: 9), current: fixed) == MediaTime(seconds: 3))
  }

  /// Liars move the delay by no more than their share of the viewers, and never beyond the bounds.
  @Test(arguments: [0, 5, 9, 20, 200, 2_000])
  func liars(_ count: Int) throws {
    var show = Show(count: 1_000, liars: count)
    try show.play()
    let delay = AnswerDelay().next(show.book.audience, furthest: nil, current: .zero)
    let honest = show.pages.filter { !$0.isLiar }.map(\.behind).sorted()
    let share = Double(count) / Double(show.pages.count)
    // If all liars are above, the others have to be 99 of 100 of all without them.
    let rank = 0.99 / (1 - share)
    let highest = rank >= 1 ? AnswerDelay.usualBounds.upperBound : MediaTime(milliseconds: honest[Int(rank * 1_000)] + 250)
    let lowest = MediaTime(milliseconds: honest[max(Int((0.99 - share) / (1 - share) * 1_000) - 1, 0)])
    #expect((lowest...highest).contains(delay), "\(delay)")
    #expect(AnswerDelay.usualBounds.contains(delay))
  }
}
