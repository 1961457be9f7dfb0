package import Basics
package import EventReading
package import GameEvents

/// Compares what the carriages of one presentation say: each of them has to have the same events, with the same contents at the same times.
package struct CarriageAgreement: Sendable {
  /// What a carriage says of an event.
  private struct Sighting: Sendable {
    var event: GameEvent
    /// When the event happens, by the presentation time of the copy and its age. A date range has no presentation time: it is that of its copy.
    var time: MediaTime
    /// When the event happens, on the stream's own timeline.
    var presentationTime: MediaTime
  }

  /// A way in which a carriage differs from the one that had the event first.
  package enum Disagreement: Equatable, Sendable {
    /// The carriage does not have the event.
    case missing
    /// The carriage has another event with this GUID, or states another time in it.
    case content
    /// The carriage presents the event later by this time (earlier if negative).
    case time(MediaTime)
  }

  /// A disagreement with its place.
  package struct Finding: Equatable, Sendable {
    package var event: GameEvent
    /// The carriage that had the event first, and the one that differs from it.
    package var first: String
    package var other: String
    package var disagreement: Disagreement
  }

  /// What was found.
  package struct Report: Equatable, Sendable {
    /// A carriage, with how many events it has and in how many copies.
    package struct Total: Equatable, Sendable {
      package var carriage: String
      package var events: Int
      package var copies: Int
    }

    /// The carriages in the order of their first copies.
    package var totals: [Total] = []
    /// How many events all of them have together.
    package var events = 0
    /// The disagreements in the order of the events.
    package var findings: [Finding] = []

    /// Whether at least two carriages say the same.
    package var hasPassed: Bool { totals.count > 1 && findings.isEmpty }
  }

  /// How far the times of an event may be apart.
  private let tolerance: MediaTime
  /// The carriages in the order of their first copies.
  private var names: [String] = []
  private var copyCounts: [Int] = []
  /// For each event, what each carriage says of it. An event that one carriage contradicts itself about has both.
  private var sightings: [GUID: [(carriage: Int, sighting: Sighting)]] = [:]
  private var order: [GUID] = []
  /// The times that the segments show: of the first and the last tag that is no date range.
  private var shown: (first: MediaTime, last: MediaTime)?
  /// How far the stream's own timeline is ahead of the programme's at the latest of them.
  private var origin = MediaTime.zero

  /// The maximum number of remembered events; more than a show has.
  private static let mostEvents = 65_536
  /// The carriages that list events outside of the segments: date ranges, and the event streams of an MPD.
  private static let lists = [Carriage.dateRange(id: "").name, manifest]
  private static let manifest = "mpd"
  /// The maximum number of different things that are remembered of an event.
  private static let mostSightings = 16

  /// Without copies.
  package init(tolerance: MediaTime) { self.tolerance = tolerance }

  /// Records a copy.
  package mutating func add(_ copy: EventCopy, at place: Place) {
    if case .dateRange = place.carriage {
    } else {
      shown = (min(shown?.first ?? place.time, place.time), max(shown?.last ?? place.time, place.time))
      origin = place.presentationTime - place.time
    }
    let sighting = Sighting(event: copy.event, time: place.time - copy.age, presentationTime: place.presentationTime - copy.age)
    add(sighting, to: place.carriage.name)
  }

  /// Records a copy that an MPD has in an event stream, after the copies of the segments: it is compared with them by its time on their own timeline.
  package mutating func add(listed copy: EventCopy, at presentationTime: MediaTime) {
    let time = presentationTime - copy.age
    // Another period may begin at another time of the programme.
    let known = sightings[copy.event.guid]?.first { !Self.lists.contains(names[$0.carriage]) }?.sighting
    let start = known.map { $0.presentationTime - $0.time } ?? origin
    add(Sighting(event: copy.event, time: time - start, presentationTime: time), to: Self.manifest)
  }

  private mutating func add(_ sighting: Sighting, to name: String) {
    let carriage = names.firstIndex(of: name) ?? names.count
    if carriage == names.count {
      names.append(name)
      copyCounts.append(0)
    }
    copyCounts[carriage] += 1
    let guid = sighting.event.guid
    guard let known = sightings[guid] else {
      guard order.count < Self.mostEvents else { return }
      order.append(guid)
      sightings[guid] = [(carriage, sighting)]
      return
    }
    let isNew = !known.contains { other in
      other.carriage == carriage && other.sighting.event == sighting.event
        && (other.sighting.time - sighting.time).magnitude <= tolerance
    }
    if isNew, known.count < Self.mostSightings { sightings[guid]?.append((carriage, sighting)) }
  }

  /// What was found in the whole stream.
  package func finish() -> Report {
    var report = Report(events: order.count)
    for (index, name) in names.enumerated() {
      let events = sightings.values.count { $0.contains { $0.carriage == index } }
      report.totals.append(.init(carriage: name, events: events, copies: copyCounts[index]))
    }
    // A list that is complete from the start has no results: they tell the right answers.
    let withResults = Set(sightings.values.joined().filter { $0.sighting.event.type == .showResults }.map(\.carriage))
    let withoutResults = Set(names.indices.filter { Self.lists.contains(names[$0]) && !withResults.contains($0) })
    for guid in order {
      guard let all = sightings[guid], let first = all.first else { continue }
      func add(_ carriage: Int, _ disagreement: Disagreement) {
        report.findings.append(
          Finding(event: first.sighting.event, first: names[first.carriage], other: names[carriage], disagreement: disagreement))
      }
      for other in all.dropFirst() {
        let apart = other.sighting.time - first.sighting.time
        if other.sighting.event != first.sighting.event {
          add(other.carriage, .content)
        } else if apart.magnitude > tolerance {
          add(other.carriage, .time(apart))
        }
      }
      // A playlist of a stream that goes on lists ranges that began before the first segment that was read, or begin after the last one.
      let isShown = shown.map { ($0.first...$0.last).contains(first.sighting.time) } ?? true
      for carriage in names.indices where isShown && !all.contains(where: { $0.carriage == carriage }) {
        let isLeftOut = first.sighting.event.type == .showResults && withoutResults.contains(carriage)
        if !isLeftOut { add(carriage, .missing) }
      }
    }
    return report
  }
}

extension CarriageAgreement.Finding: CustomStringConvertible {
  package var description: String {
    let name = "\(event.type.text) \(event.guid.text)"
    return switch disagreement {
    case .missing: "\(name) is in \(first) and not in \(other)"
    case .content: "\(name) says something else in \(other) than in \(first)"
    case .time(let apart):
      "\(name) is \(apart.magnitude.shortestDecimalSeconds) s \(apart < .zero ? "earlier" : "later") in \(other) than in \(first)"
    }
  }

  /// The kind of disagreement, in a word.
  package var kind: String {
    switch disagreement {
    case .missing: "missing"
    case .content: "content"
    case .time: "time"
    }
  }
}
