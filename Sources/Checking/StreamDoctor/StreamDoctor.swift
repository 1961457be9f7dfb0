import Basics
import EventReading
import GameEvents
import HLSPlaylist
public import HLSReading

/// Checks a stream or a presentation against the rules of carriage, and says what players will make of it.
///
/// It is told the bytes as they are read, in chunks of any size, and keeps no more than its report needs.
///
/// ```swift
/// var doctor = StreamDoctor(name: "show.ts")
/// doctor.take(bytes.span, of: nil)
/// let report = doctor.finish()
/// ```
public struct StreamDoctor: Sendable {
  private var log: FindingLog
  private let name: String
  private var rendition: RenditionChecker
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
  public mutating func endRendition(_ choice: HLSChoice?) {
    endResource()
    guard rendition.hasMedia else { return }
    rendition.finish(choice, &log)
    if renditions.isEmpty { (clock, container) = (rendition.clock, rendition.container) }
    renditions.append(rendition.facts)
    rendition = RenditionChecker(uri: name)
  }

  /// Takes bytes as ``HLSReader`` or a stream hands them on, before anything is made of them.
  ///
  /// - Parameter portion: What they belong to; `nil` for a stream that is no presentation.
  public mutating func take(_ bytes: Span<UInt8>, of portion: HLSPortion?) {
    if portion?.kind == .playlist, let portion {
      endResource()
      return take(playlist: bytes, portion.source.uri)
    }
    guard !bytes.isEmpty else { return }
    if !rendition.isCurrent(portion) {
      endResource()
      resources += 1
      log.resource = portion?.source.uri ?? name
      log.base = Int(clamping: portion?.start ?? 0)
      rendition.begin(portion)
    }
    take(rendition.push(bytes, &log))
  }

  /// Takes note of what went wrong on the way. Where something was left out, what follows need not go on with what was.
  public mutating func take(_ notice: HLSNotice) {
    switch notice {
    case .segmentLost, .gap, .unsupportedEncryption, .keyFailed, .decryptionFailed, .playlistStartedAfresh:
      endResource()
      rendition.interrupt()
    case .mapFailed, .unreadable, .playlistFailed, .playlistDamaged, .playlistGivenUp, .playlistProblem, .unusableDateRange: break
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

  private mutating func take(playlist bytes: Span<UInt8>, _ uri: String) {
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

  private mutating func endResource() { take(rendition.end(&log)) }
}
