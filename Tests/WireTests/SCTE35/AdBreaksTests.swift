import Basics
import SCTE35
import Testing

@Suite struct AdBreaksTests {
  /// Receives a section at a second of the stream.
  private func push(
    _ section: SpliceSection, at second: Int, clock: UInt64? = nil, _ breaks: inout AdBreaks
  ) throws -> [AdBreaks.Change] {
    breaks.push(section, bytes: try section.encode(), at: MediaTime(seconds: second), clock: clock)
  }

  private func out(
    _ id: UInt32 = 77, at second: UInt64?, duration: UInt64? = nil, returns: Bool = false, adjustment: UInt64 = 0
  ) -> SpliceSection {
    let splice = SpliceInsert.Splice(
      isOut: true, at: second.map { $0 * 90_000 }, duration: duration.map { $0 * 90_000 }, returnsByItself: returns)
    return SpliceSection(ptsAdjustment: adjustment, command: .insert(SpliceInsert(eventID: id, splice)))
  }

  private func back(_ id: UInt32 = 77, at second: UInt64?) -> SpliceSection {
    SpliceSection(command: .insert(SpliceInsert(eventID: id, .init(isOut: false, at: second.map { $0 * 90_000 }))))
  }

  private func signal(_ type: UInt8, _ id: UInt32, at second: UInt64?, duration: UInt64? = nil) throws -> SpliceSection {
    let segment = SegmentationDescriptor.Segment(SegmentationType(rawValue: type), duration: duration.map { $0 * 90_000 })
    let descriptor = try SegmentationDescriptor(eventID: id, segment).encode()
    return SpliceSection(command: .timeSignal(second.map { $0 * 90_000 }), descriptors: [descriptor])
  }

  /// The changes in short: what, the event id, and the start and the end in seconds.
  private func texts(_ changes: [AdBreaks.Change]) -> [String] {
    changes.map { change in
      let (name, value) =
        switch change {
        case .announced(let value): ("announced", value)
        case .begun(let value): ("begun", value)
        case .changed(let value): ("changed", value)
        case .ended(let value): ("ended", value)
        case .cancelled(let value): ("cancelled", value)
        }
      let end = value.expectedEnd.map { "\($0.ticks / 90_000)" } ?? "?"
      return "\(name) \(value.id.eventID) \(value.start.ticks / 90_000)-\(end)"
    }
  }

  private func advance(to second: Int, _ breaks: inout AdBreaks) -> [String] { texts(breaks.advance(to: MediaTime(seconds: second))) }

  @Test func breakIsAnnouncedBeginsAndEndsByIn() throws {
    var breaks = AdBreaks()
    #expect(texts(try push(out(at: 10, duration: 30), at: 5, &breaks)) == ["announced 77 10-40"])
    #expect(texts(try push(out(at: 10, duration: 30), at: 6, &breaks)) == [])
    #expect(advance(to: 9, &breaks) == [])
    #expect(advance(to: 10, &breaks) == ["begun 77 10-40"])
    #expect(texts(try push(out(at: 10, duration: 30), at: 11, &breaks)) == [])
    #expect(breaks.isOpen)
    #expect(texts(try push(back(at: 38), at: 36, &breaks)) == ["changed 77 10-38"])
    #expect(texts(try push(back(at: 38), at: 37, &breaks)) == [])
    #expect(advance(to: 38, &breaks) == ["ended 77 10-38"])
    #expect(texts(try push(out(at: 10, duration: 30), at: 39, &breaks)) == [])
    #expect(texts(try push(back(at: 38), at: 39, &breaks)) == [])
    #expect(breaks.current == [])
  }

  @Test func autoReturnEndsAfterTheDuration() throws {
    var breaks = AdBreaks()
    #expect(texts(try push(out(at: 10, duration: 30, returns: true), at: 5, &breaks)) == ["announced 77 10-40"])
    #expect(advance(to: 50, &breaks) == ["begun 77 10-40", "ended 77 10-40"])
  }

  @Test func breaksWithoutAnEndHaveALimit() throws {
    var breaks = AdBreaks()
    _ = try push(out(1, at: 10, duration: 30), at: 5, &breaks)
    _ = try push(out(2, at: 10), at: 5, &breaks)
    #expect(advance(to: 44, &breaks) == ["begun 1 10-40", "begun 2 10-?"])
    #expect(advance(to: 45, &breaks) == ["ended 1 10-45"])
    #expect(advance(to: 609, &breaks) == [])
    #expect(advance(to: 610, &breaks) == ["ended 2 10-610"])
  }

  @Test func laterSectionReplacesUntilTheTimeHasCome() throws {
    var breaks = AdBreaks()
    _ = try push(out(at: 10, duration: 30, returns: true), at: 5, &breaks)
    #expect(texts(try push(out(at: 12, duration: 20, returns: true), at: 6, &breaks)) == ["changed 77 12-32"])
    #expect(advance(to: 11, &breaks) == [])
    #expect(advance(to: 12, &breaks) == ["begun 77 12-32"])
    #expect(texts(try push(out(at: 12, duration: 25, returns: true), at: 13, &breaks)) == ["changed 77 12-37"])
    // The same id again, for a time that is to come: the next break.
    #expect(texts(try push(out(at: 60, duration: 5, returns: true), at: 20, &breaks)) == ["announced 77 60-65"])
    #expect(advance(to: 60, &breaks) == ["ended 77 12-37", "begun 77 60-65"])
    #expect(breaks.current.map(\.number) == [1])
  }

  @Test func cancelRemoves() throws {
    var breaks = AdBreaks()
    let cancel = SpliceSection(command: .insert(SpliceInsert(eventID: 77, nil)))
    _ = try push(out(at: 10, duration: 30), at: 5, &breaks)
    _ = try push(out(78, at: 11, duration: 30), at: 5, &breaks)
    #expect(texts(try push(cancel, at: 6, &breaks)) == ["cancelled 77 10-40"])
    _ = try push(out(at: 10, duration: 30), at: 7, &breaks)
    #expect(advance(to: 11, &breaks) == ["begun 77 10-40", "begun 78 11-41"])
    #expect(texts(try push(cancel, at: 12, &breaks)) == ["ended 77 10-12"])
    #expect(breaks.current.map(\.id.eventID) == [78])
  }

  @Test func segmentsNest() throws {
    var breaks = AdBreaks()
    let types: [(UInt8, UInt32, UInt64)] = [(0x22, 1, 60), (0x34, 1, 50), (0x30, 2, 20), (0x38, 9, 20)]
    for (type, id, duration) in types { _ = try push(try signal(type, id, at: 10, duration: duration), at: 5, &breaks) }
    #expect(advance(to: 10, &breaks) == ["begun 1 10-70", "begun 1 10-60", "begun 2 10-30"])
    #expect(texts(try push(try signal(0x31, 2, at: 30), at: 29, &breaks)) == ["changed 2 10-30"])
    #expect(advance(to: 30, &breaks) == ["ended 2 10-30"])
    #expect(texts(try push(try signal(0x35, 1, at: nil), at: 60, &breaks)) == ["changed 1 10-60", "ended 1 10-60"])
    #expect(breaks.current.map(\.id) == [.init(type: SegmentationType(rawValue: 0x22), eventID: 1)])
    #expect(texts(try push(try signal(0x23, 1, at: nil), at: 66, &breaks)) == ["changed 1 10-66", "ended 1 10-66"])
    #expect(!breaks.isOpen)
  }

  /// A section without a time that an encoder repeats every second is one break.
  @Test func immediateSectionsRepeat() throws {
    var breaks = AdBreaks()
    #expect(texts(try push(out(at: nil, duration: 20, returns: true), at: 3, &breaks)) == ["announced 77 3-23", "begun 77 3-23"])
    #expect(texts(try push(out(at: nil, duration: 20, returns: true), at: 4, &breaks)) == [])
    #expect(texts(try push(back(at: nil), at: 15, &breaks)) == ["changed 77 3-15", "ended 77 3-15"])
    #expect(texts(try push(out(at: nil, duration: 20), at: 40, &breaks)) == ["announced 77 40-60", "begun 77 40-60"])
  }

  /// pts_adjustment counts, and so does the nearest turn of the clock.
  @Test func timesAreOnTheStreamsClock() throws {
    var breaks = AdBreaks()
    let late = UInt64(TimestampUnwrapper.period) - 2 * 90_000
    let section = out(at: 3, duration: 10, adjustment: UInt64(TimestampUnwrapper.period) - 90_000)
    #expect(texts(try push(section, at: 100, clock: late, &breaks)) == ["announced 77 104-114"])
    #expect(texts(try push(out(5, at: 8, duration: 10), at: 101, clock: 4 * 90_000, &breaks)) == ["announced 5 105-115"])
  }

  @Test func passedBreaksAndOthersAreIgnored() throws {
    var breaks = AdBreaks()
    #expect(texts(try push(out(at: 10, duration: 5, returns: true), at: 100, &breaks)) == [])
    #expect(texts(try push(SpliceSection(command: .null), at: 100, &breaks)) == [])
    #expect(texts(try push(back(at: 102), at: 100, &breaks)) == [])
    #expect(texts(try push(try signal(0x10, 1, at: 102), at: 100, &breaks)) == [])
    #expect(texts(try push(out(at: 90, duration: 30, returns: true), at: 100, &breaks)) == ["announced 77 90-120", "begun 77 90-120"])
  }

  @Test func memoryIsBounded() throws {
    var breaks = AdBreaks()
    for id in 0..<200 { _ = try push(out(UInt32(id), at: 50), at: 5, &breaks) }
    #expect(breaks.current.count == AdBreaks.mostBreaks)
    _ = breaks.advance(to: MediaTime(seconds: 1_000))
    #expect(breaks.current == [])
  }

  @Test func rangesMeet() {
    var known = AdBreak(.init(eventID: 1), start: MediaTime(seconds: 10), duration: MediaTime(seconds: 5))
    func meets(_ from: Int, _ to: Int) -> Bool { known.meets(from: MediaTime(seconds: from), to: MediaTime(seconds: to)) }
    #expect([meets(0, 10), meets(0, 11), meets(10, 10), meets(14, 20), meets(15, 20)] == [false, true, true, true, false])
    known.state = .open
    #expect(meets(16, 20))
    known.end = MediaTime(seconds: 15)
    #expect(!meets(16, 20))
  }
}
