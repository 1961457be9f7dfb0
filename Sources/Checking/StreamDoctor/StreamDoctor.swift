import Basics
package import DASHReading
import EventReading
package import GameEvents
import HLSPlaylist
package import HLSReading

/// Checks a stream or a presentation against the rules of carriage, and predicts how players handle it.
///
/// It receives the bytes as they are read, in chunks of any size, and keeps only what its report needs.
///
/// ```swift
/// var doctor = StreamDoctor(name: "show.ts")
/// doctor.receive(.bytes(bytes[...]))
/// let report = doctor.finish()
/// ```
package struct StreamDoctor: Sendable {
  private var log: FindingLog
  private let name: String
  private let signatures: SignatureCheck?
  private var rendition: RenditionChecker
  private var breaks: BreakChecker
  /// The initialization segment or segment that is being read; `nil` for a stream.
  private var part: HLSPortion.Part?
  private var renditions: [RenditionFacts] = []
  private var multivariant: (playlist: MultivariantPlaylist, layout: PlaylistLayout, resource: String)?
  /// What the players make of the first rendition, as a variant and as a rendition of a group: which it is, is known at its end.
  private var tallies = PlayerModel.all.map { (PlayerTally($0), inGroup: PlayerTally($0)) }
  private var isInGroup = false
  private var clock: PlayerClock?
  private var container: Container?
  private let expectsGame: Bool
  private var isPresentation = false
  private var isManifest = false
  private var resources = 0
  private var tags = 0
  private var events: Set<GUID> = []

  private var messageEvents: Set<GUID> = []

  /// The maximum number of counted events; more than a show has.
  private static let mostEvents = 65_536

  /// Starts at the beginning of an input with this name.
  ///
  /// - Parameters:
  ///   - signatures: Checks the signature that every event must have, or else it breaks a rule and is not checked further; `nil` if signatures are
  ///     not required.
  ///   - expectsGame: Whether a stream without timed ID3 or without events breaks a rule.
  package init(name: String, requiring signatures: SignatureCheck? = nil, expectsGame: Bool = true) {
    self.name = name
    self.expectsGame = expectsGame
    self.signatures = signatures
    log = FindingLog(resource: name)
    rendition = RenditionChecker(uri: name, requiring: signatures)
    breaks = BreakChecker(name: name)
  }

  /// Receives the next portion of a presentation or of a stream.
  package mutating func receive(_ portion: HLSPortion) {
    breaks.receive(portion, &log)
    switch portion {
    case .playlist(let bytes, let uri):
      endPart()
      check(playlist: bytes.span, uri)
    case .begin(let next):
      endPart()
      part = next
    case .bytes(let bytes):
      guard !bytes.isEmpty else { return }
      if !rendition.isInsidePart { beginPart() }
      count(rendition.push(bytes.span, &log))
    case .end: endPart()
    case .lost: interrupt()
    case .notice(let notice):
      if let (source, reason) = notice.missing { log.add(.missing, in: source.uri, reason) }
      switch notice {
      case .segmentLost, .gap, .unsupportedEncryption, .keyFailed, .decryptionFailed, .playlistStartedAfresh: interrupt()
      default: break
      }
    case .segments, .next, .discontinuity, .finished: break
    }
  }

  /// Receives an event in an SEI message of the video, which a reader has found: the doctor itself does not read them.
  package mutating func receive(message guid: GUID) { if messageEvents.count < Self.mostEvents { messageEvents.insert(guid) } }

  /// Receives how a web server delivers a resource.
  package mutating func receive(_ delivery: Delivery) { DeliveryChecker.check(delivery, &log) }

  /// Records that the playlist of a rendition could not be loaded.
  ///
  /// - Parameters:
  ///   - uri: The playlist, as the multivariant playlist writes it.
  ///   - reason: The reason in words.
  package mutating func receive(missingPlaylist uri: String, _ reason: String) { log.add(.missing, in: uri, reason) }

  /// Receives what an MPD says, after a rendition was read and before ``endRendition(_:)``.
  ///
  /// - Parameters:
  ///   - announced: The event streams that it announces for this rendition.
  ///   - uri: The rendition; `nil` if the MPD offers no choice.
  package mutating func receive(_ manifest: Manifest, announced: [Manifest.EventStream], for uri: String?) {
    endPart()
    if !isManifest { ManifestChecker.check(manifest, name, &log) }
    isManifest = true
    ManifestChecker.check(rendition.messageStreams, announced: announced, in: uri ?? name, &log)
  }

  /// Ends a rendition of a presentation; others may follow. The predictions for players are those of the first rendition.
  ///
  /// - Parameter choice: Which rendition it is; `nil` if the presentation offers no choice.
  package mutating func endRendition(_ choice: HLSChoice?) {
    endPart()
    part = nil
    guard rendition.hasMedia else { return }
    breaks.finish(rendition.timedEvents, &log)
    breaks = BreakChecker(name: name)
    rendition.finish(choice, &log)
    if renditions.isEmpty {
      (clock, container) = (rendition.clock, rendition.container)
      // Audio by itself is a rendition of a group, unless a multivariant playlist has it as a variant.
      isInGroup = choice.map { !$0.isVariant } ?? (rendition.facts.hasAudio && !rendition.facts.hasVideo)
    }
    isPresentation = isPresentation || rendition.hasPlaylist
    renditions.append(rendition.facts)
    rendition = RenditionChecker(uri: name, requiring: signatures)
  }

  /// Ends the input.
  ///
  /// - Parameter contents: Other contents of the input, for the finding that it has no timed ID3.
  package mutating func finish(contents: String? = nil) -> DoctorReport {
    endRendition(nil)
    // If there is a broken tag or event, that is the cause.
    if tags == 0, !messageEvents.isEmpty {
      let count = messageEvents.count
      log.add(.messagesAlone, in: name, "\(count) \(count == 1 ? "event" : "events") in SEI messages of the video and no timed ID3")
    } else if expectsGame, tags == 0, resources > 0, !log.hasTagFindings {
      log.add(.noTags, in: name, "no timed ID3\(contents.map { "; the stream has \($0)" } ?? "")")
    } else if expectsGame, tags > 0, events.isEmpty, !log.hasTagFindings, !log.hasEventFindings {
      log.add(.noEvents, in: name, "\(tags) \(tags == 1 ? "tag" : "tags") of timed ID3 and no event in \(tags == 1 ? "it" : "them")")
    }
    if let multivariant {
      log.resource = multivariant.resource
      PresentationChecker(playlist: multivariant.playlist, layout: multivariant.layout, renditions: renditions).check(&log)
    }
    for facts in renditions {
      for coding in facts.codings { log.add(.codecPlayers, in: facts.uri, "\(coding.name): \(coding.players)") }
    }
    if isManifest { log.keep(ManifestChecker.applies) }
    var findings = log.sorted
    let players = predictions(hasFaults: findings.contains { $0.rule.severity != .note && $0.rule != .noEvents })
    // An error before is the reason.
    if !events.isEmpty, players.allSatisfy({ $0.events == 0 }), !findings.contains(where: { $0.rule.severity == .error }) {
      log.add(.unseen, in: name, "\(events.count) \(events.count == 1 ? "event" : "events"), and no player sees one")
      findings = log.sorted
    }
    return DoctorReport(
      findings: findings, players: players,
      content: DoctorReport.Content(container: container, renditions: isPresentation ? renditions.count : nil, isManifest: isManifest),
      resources: resources, tags: tags, events: events.count, messageEvents: messageEvents.count)
  }

  /// The expected behaviour of the players with the first rendition.
  private func predictions(hasFaults: Bool) -> [PlayerPrediction] {
    zip(PlayerModel.all, tallies).map { model, tally in
      var prediction = (isInGroup ? tally.inGroup : tally.0).prediction(clock?.remarks(on: model.player, container) ?? [])
      // The script plays streams without faults. For others the prediction follows from the player's code and is not checked.
      let isPlayed = tags > 0 && !hasFaults && (container.map { model.playedContainers.contains($0) } ?? false)
      if !isPlayed { prediction.evidence = prediction.evidence.unchecked(hasFaults: hasFaults) }
      return prediction
    }
  }

  private mutating func check(playlist bytes: Span<UInt8>, _ uri: String) {
    log.resource = uri
    guard let playlist = try? Playlist(bytes, importing: multivariant?.playlist.variables ?? [], query: URIReference(uri).query) else {
      return
    }
    let layout = PlaylistLayout(bytes)
    switch playlist {
    case .multivariant(let playlist):
      // The multivariant playlist is loaded again for each rendition.
      guard multivariant == nil else { return }
      PlaylistChecker.check(playlist, layout, &log)
      multivariant = (playlist, layout, uri)
    case .media(let playlist):
      let isIndependent = playlist.hasIndependentSegments || multivariant?.playlist.hasIndependentSegments == true
      rendition.load(playlist, layout, uri, isIndependent: isIndependent, &log)
    }
  }

  private mutating func beginPart() {
    resources += 1
    log.resource = part?.source.uri ?? name
    log.base = Int(clamping: part?.start ?? 0)
    rendition.begin(part, &log)
  }

  private mutating func endPart() { count(rendition.end(&log)) }

  private mutating func interrupt() {
    endPart()
    rendition.interrupt()
  }

  private mutating func count(_ observations: [TagObservation]) {
    tags += observations.count { !$0.isTimestamp }
    for observation in observations {
      for copy in observation.copies where events.count < Self.mostEvents { events.insert(copy.event.guid) }
      guard renditions.isEmpty else { continue }
      let inGroup = observation.inGroup
      for index in tallies.indices {
        tallies[index].0.add(observation)
        tallies[index].inGroup.add(inGroup)
      }
    }
  }
}

extension HLSNotice {
  /// The missing resource of a presentation, and why it is missing; `nil` if none is, or if only its encryption is not supported.
  fileprivate var missing: (source: HLSSource, reason: String)? {
    switch self {
    case .segmentLost(let source, let reason, _), .decryptionFailed(let source, let reason),
      .initializationSegmentFailed(let source, let reason):
      (source, reason)
    case .keyFailed(let source, let uri, let reason): (source, "its key \(uri): \(reason)")
    case .unreadable(let source?, let error): (source, "\(error)")
    case .gap, .unsupportedEncryption, .unreadable(nil, _), .playlistFailed, .playlistDamaged, .playlistGivenUp, .playlistProblem,
      .playlistStartedAfresh, .playlistUnended, .playlistSlip, .unusableDateRange:
      nil
    }
  }
}
