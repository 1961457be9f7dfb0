import Basics
import EventReading
import GameEvents
import HLSPlaylist
package import HLSReading

/// Checks a stream or a presentation against the rules of carriage, and says what players will make of it.
///
/// It receives the portions of an input as they are read, in chunks of any size, and keeps no more than its report needs.
///
/// ```swift
/// var doctor = StreamDoctor(name: "show.ts")
/// doctor.receive(.bytes(bytes[...]))
/// let report = doctor.finish()
/// ```
public struct StreamDoctor: Sendable {
  private var log: FindingLog
  private let name: String
  private var rendition: RenditionChecker
  /// The initialization segment or segment that was begun; `nil` in a stream that is no presentation.
  private var part: HLSPortion.Part?
  /// Whether bytes of it have come.
  private var hasBytes = false
  private var renditions: [RenditionFacts] = []
  private var multivariant: (playlist: MultivariantPlaylist, layout: PlaylistLayout, resource: String)?
  private var tallies = PlayerModel.all.map { PlayerTally($0) }
  private var clock: PlayerClock?
  private var container: Container?
  private var resources = 0
  private var tags = 0
  private var events: Set<GUID> = []

  /// So many events are counted; more than a show has.
  private static let mostEvents = 65_536

  /// Starts with nothing seen of an input of this name.
  public init(name: String) {
    self.name = name
    log = FindingLog(resource: name)
    rendition = RenditionChecker(uri: name)
  }

  /// Takes note that a rendition of a presentation has been read; others may follow. Players are predicted by the first one.
  ///
  /// - Parameter choice: Which one it was; `nil` where the presentation offers no choice.
  package mutating func endRendition(_ choice: HLSChoice?) {
    endResource()
    guard rendition.hasMedia else { return }
    rendition.finish(choice, &log)
    if renditions.isEmpty { (clock, container) = (rendition.clock, rendition.container) }
    renditions.append(rendition.facts)
    rendition = RenditionChecker(uri: name)
  }

  /// Examines the next portion. A stream that is no presentation consists of bytes alone.
  package mutating func receive(_ portion: HLSPortion) {
    switch portion {
    case .playlist(let bytes, let uri):
      endResource()
      read(playlist: bytes.span, uri)
    case .begin(let part):
      endResource()
      self.part = part
    case .bytes(let bytes): examine(bytes.span)
    case .end: endResource()
    case .notice(let notice): receive(notice)
    case .segments, .next, .discontinuity, .lost, .finished: break
    }
  }

  private mutating func examine(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    if !hasBytes {
      hasBytes = true
      resources += 1
      log.resource = part?.source.uri ?? name
      log.base = Int(clamping: part?.start ?? 0)
      rendition.begin(part)
    }
    take(rendition.push(bytes, &log))
  }

  /// Where something is missing, what follows need not continue what came before.
  private mutating func receive(_ notice: HLSNotice) {
    switch notice {
    case .segmentLost, .gap, .unsupportedEncryption, .keyFailed, .decryptionFailed, .playlistStartedAfresh:
      endResource()
      rendition.interrupt()
    case .initializationSegmentFailed, .unreadable, .playlistFailed, .playlistDamaged, .playlistGivenUp, .playlistProblem,
      .unusableDateRange:
      break
    }
  }

  /// Ends the input.
  ///
  /// - Parameter contents: What the input holds, as whoever read it knows; said where it has no timed ID3.
  public mutating func finish(contents: String? = nil) -> DoctorReport {
    endRendition(nil)
    if tags == 0, resources > 0, !log.hasTagFindings {
      log.add(.noTags, FindingPlace(resource: name, position: nil, found: "no timed ID3\(contents.map { "; the stream has \($0)" } ?? "")"))
    }
    if let multivariant {
      log.resource = multivariant.resource
      RenditionComparison(playlist: multivariant.playlist, layout: multivariant.layout, renditions: renditions).check(&log)
    }
    let findings = log.sorted
    // The script plays sound streams; of others the predictions follow from the players' code and are not checked.
    let isSound = tags > 0 && !findings.contains { $0.rule.severity != .note }
    let players = zip(PlayerModel.all, tallies).map { model, tally in
      var prediction = tally.prediction(clock?.remarks(on: model.name, container) ?? [])
      if case .checked(let version, _) = prediction.evidence, !isSound || !(container.map { model.playedContainers.contains($0) } ?? false)
      {
        prediction.evidence = .notChecked(version: version)
      }
      return prediction
    }
    return DoctorReport(findings: findings, players: players, resources: resources, tags: tags, events: events.count)
  }

  private mutating func read(playlist bytes: Span<UInt8>, _ uri: String) {
    log.resource = uri
    guard let playlist = try? Playlist(bytes, importing: multivariant?.playlist.variables ?? []) else { return }
    switch playlist {
    case .multivariant(let playlist):
      // It is loaded again for each rendition.
      guard multivariant == nil else { return }
      let layout = PlaylistLayout(bytes)
      PlaylistChecker.check(playlist, layout, &log)
      multivariant = (playlist, layout, uri)
    case .media(let playlist):
      let layout = PlaylistLayout(bytes)
      // Of a live playlist that is loaded again, the first one stands for all.
      if rendition.playlist == nil { PlaylistChecker.check(playlist, layout, &log) }
      rendition.take(
        playlist, layout, uri, isIndependent: playlist.hasIndependentSegments || multivariant?.playlist.hasIndependentSegments == true)
    }
  }

  private mutating func take(_ sightings: [TagObservation]) {
    tags += sightings.count
    for sighting in sightings {
      for copy in sighting.copies where events.count < Self.mostEvents { events.insert(copy.event.guid) }
      guard renditions.isEmpty else { continue }
      for index in tallies.indices { tallies[index].take(sighting) }
    }
  }

  private mutating func endResource() {
    take(rendition.end(&log))
    hasBytes = false
  }
}
