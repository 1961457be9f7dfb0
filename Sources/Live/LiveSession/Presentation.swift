import Basics
import GameEvents
import HLSPlaylist
import LibC
import LiveGame
import LiveHLS
import Stamping
import Synchronization

/// The live presentation of a session: decides which segments clients see, and when.
///
/// A segment is visible once the journal has it, so that a restart continues after it. If there are other renditions, it waits for theirs.
final class Presentation: Sendable {
  /// Totals since the session began.
  struct Counts: Equatable, Sendable {
    var segments = 0
    var discontinuities = 0
    var gaps = 0
  }

  private struct State {
    var playlist: LivePlaylist
    var counts = Counts()
    /// Joins the renditions' segments; `nil` for a single rendition.
    var joiner: SegmentJoiner?
    var health: [VariantHealth]
  }

  /// A problem of a rendition.
  struct Problem: Equatable, Sendable {
    /// The number of the rendition, from 0.
    var variant: Int
    var reason: String
    /// Whether the rendition was known to fit.
    var isProven: Bool
  }

  let store: SegmentStore
  private let state: Mutex<State>
  private let desk: EventDesk
  private let variantCount: Int
  private let beginning = ContinuousClock.now
  /// How long a segment waits for other renditions; `nil` for a target duration.
  private let variantPatience: Duration?
  /// Wakes the thread that releases waiting segments, and lists gaps.
  private let attention: WakeUp
  private let say: @Sendable (String) -> Void
  private let tell: @Sendable (Problem) -> Void
  /// The origins that the presentation is pushed to.
  private let pushes: [OriginPush]

  /// - Parameters:
  ///   - variantCount: The number of renditions besides the first one.
  ///   - patience: How long a segment waits for them; `nil` for a target duration.
  ///   - attention: Signalled after each change of the playlist and of the waiting segments.
  ///   - say: Receives messages for the operator.
  ///   - tell: Receives problems of a rendition.
  init(
    _ playlist: LivePlaylist, variantCount: Int, patience: Duration?, in store: SegmentStore, pushedTo pushes: [OriginPush] = [],
    _ desk: EventDesk, attention: WakeUp, say: @escaping @Sendable (String) -> Void, tell: @escaping @Sendable (Problem) -> Void
  ) {
    (self.store, self.desk, self.attention, self.say, self.tell) = (store, desk, attention, say, tell)
    self.pushes = pushes
    (self.variantCount, variantPatience) = (variantCount, patience)
    let health = Array(repeating: VariantHealth(), count: variantCount)
    let joiner = variantCount > 0 ? SegmentJoiner(count: variantCount, hasParts: playlist.hasParts) : nil
    state = Mutex(State(playlist: playlist, joiner: joiner, health: health))
  }

  var counts: Counts { state.withLock { $0.counts } }

  /// The target duration in seconds; `nil` before the first segment.
  var targetDuration: UInt64? { state.withLock { $0.playlist.isEmpty ? nil : $0.playlist.targetDuration } }

  /// The maximum duration of a part of any track; `nil` before the first one, and without low-latency HLS.
  var partTarget: MediaTime? { state.withLock { $0.playlist.partTarget } }

  /// The date at which the last segment or gap ends, in milliseconds since 1970; `nil` without segments.
  var endDate: Int64? { state.withLock { $0.playlist.endDate } }

  // MARK: Date ranges

  /// Lists date ranges in all media playlists, or adds attributes to ranges that are listed. Clients see them once the journal has what was recorded
  /// before, and before any segment that is added after them. A range that contradicts a listed one changes nothing.
  ///
  /// - Parameter withdrawn: The IDs of ranges that do not take place.
  func set(_ ranges: [LiveDateRange], withdrawing withdrawn: [String] = []) {
    guard !ranges.isEmpty || !withdrawn.isEmpty else { return }
    change { state in
      let areNew = withdrawn.map { state.playlist.dateRanges.withdraw($0) } + ranges.map { state.playlist.dateRanges.set($0) }
      guard areNew.contains(true) else { return nil }
      let (update, failure) = Self.update(state.playlist, nil)
      sendAfterwards(update)
      return failure
    }
  }

  // MARK: Segments

  /// Appends a segment to the playlist. Clients see it once the journal has it.
  ///
  /// - Parameter wallClock: The date of its start, in milliseconds since 1970.
  func add(_ segment: LiveSegment, wallClock: Int64) {
    let isWaiting = state.withLock { $0.joiner?.add(segment, wallClock: wallClock, at: .now) != nil }
    guard !isWaiting else {
      release()
      // The segment may have to wait.
      return attention.signal()
    }
    change { state in append(segment, wallClock: wallClock, &state) }
  }

  /// Appends a part of the next segment.
  ///
  /// - Parameter wallClock: The date of the segment's start, in milliseconds since 1970.
  func add(_ part: LivePart, wallClock: Int64) {
    let isWaiting = state.withLock { $0.joiner?.add(part, wallClock: wallClock) != nil }
    guard !isWaiting else { return release() }
    change { state in append(part, wallClock: wallClock, &state) }
  }

  /// Publishes parts for clients of low-latency HLS; returns why the playlists cannot be written, in words.
  ///
  /// - Parameter guids: The events that they have.
  private func publish(_ parts: [SegmentFile], with guids: [GUID] = [], _ playlist: LivePlaylist) -> String? {
    guard !parts.isEmpty else { return nil }
    do throws(PlaylistError) {
      let update = SegmentStore.Update(
        playlists: [], targetDuration: playlist.targetDuration ?? 1, parts: parts, reloaded: try playlist.reloadedPlaylists())
      // The journal needs the places of its events first.
      desk.afterwards(with: guids) { [self] in send(update) }
      return nil
    } catch {
      return Self.failure(error)
    }
  }

  /// Lists a gap in place of a segment that an earlier session has begun, since players may have parts of it.
  func closeBegunSegment() {
    if state.withLock({ $0.playlist.needsGap }) { addGap() }
  }

  /// Adds segments and parts of another rendition.
  ///
  /// - Parameter index: The rendition's number, from 0.
  func add(_ output: LivePipeline.Output, ofVariant index: Int) {
    guard !output.segments.isEmpty || !output.parts.isEmpty else { return }
    state.withLock { state in
      for segment in output.segments { state.joiner?.add(segment, of: index) }
      for part in output.parts { state.joiner?.add(part, of: index) }
    }
    release()
  }

  /// Whether no segment waits for other renditions.
  var isIdle: Bool { state.withLock { $0.joiner?.isEmpty ?? true } }

  /// When the next segment stops waiting for other renditions; `nil` if none waits.
  var nextRelease: ContinuousClock.Instant? { state.withLock { $0.joiner?.deadline(limit: limit($0)) } }

  /// How long a segment waits for other renditions.
  private func limit(_ state: State) -> Duration {
    variantPatience ?? .seconds(Int(clamping: state.playlist.targetDuration ?? Self.usualTarget))
  }

  /// Appends the segments that no longer wait for other renditions, and the parts after them.
  ///
  /// - Parameter isEnding: Whether no segment waits any longer.
  func release(isEnding: Bool = false) {
    guard variantCount > 0 else { return }
    var problems: [Problem] = []
    var messages: [String] = []
    let now = ContinuousClock.now - beginning
    let (isNew, failure): (Bool, String?) = state.withLock { state in
      state.playlist.dateRanges.advance(to: now)
      var failure: String?
      let limit = isEnding ? .zero : limit(state)
      let taken = state.joiner?.take(at: .now, limit: limit) ?? []
      for released in taken {
        let problem: String?
        switch released {
        case .segment(let joined):
          for index in state.health.indices {
            let (problem, message) = state.health[index].record(joined, of: index)
            if let problem { problems.append(problem) }
            if let message { messages.append(message) }
          }
          problem = append(joined.segment, wallClock: joined.wallClock, &state)
        case .part(let part, let wallClock): problem = append(part, wallClock: wallClock, &state)
        case .variantPart(let part, let index): problem = publish(state.playlist.append(part, ofRendition: index), state.playlist)
        }
        failure = problem ?? failure
      }
      return (!taken.isEmpty, failure)
    }
    if isNew { attention.signal() }
    if let failure { say(failure) }
    for problem in problems { tell(problem) }
    for message in messages { say(message) }
  }

  /// The target duration before the first segment, in seconds.
  private static let usualTarget: UInt64 = 4

  /// Appends a segment to the playlist; returns why that cannot be written, in words.
  private func append(_ segment: LiveSegment, wallClock: Int64, _ state: inout State) -> String? {
    let problem = append(state.playlist.giveUpSegment(before: segment.start, now: WallClock.now), &state)
    let listed = state.playlist.append(segment, wallClock: wallClock)
    state.counts.segments += 1
    if listed.record.isDiscontinuous { state.counts.discontinuities += 1 }
    return record(listed, segment.guids, state.playlist) ?? problem
  }

  /// Appends a part to the playlist; returns why that cannot be written, in words.
  private func append(_ part: LivePart, wallClock: Int64, _ state: inout State) -> String? {
    let problem = append(state.playlist.giveUpSegment(before: part.segmentStart, now: WallClock.now), &state)
    return publish(state.playlist.append(part, wallClock: wallClock), with: part.guids, state.playlist) ?? problem
  }

  /// Publishes a gap, if there is one; returns why the playlist cannot be written, in words.
  private func append(_ gap: LivePlaylist.Listed?, _ state: inout State) -> String? {
    guard let gap else { return nil }
    state.counts.gaps += 1
    return record(gap, [], state.playlist)
  }

  /// Publishes a segment once the journal has it.
  private func record(_ listed: LivePlaylist.Listed, _ guids: [GUID], _ playlist: LivePlaylist) -> String? {
    let (update, failure) = Self.update(playlist, listed)
    desk.record(listed.record, with: guids, update) { [self] in if let update { send(update) } }
    return failure
  }

  /// The other renditions: the name of the playlist of each, and whether it has gaps now.
  var renditions: [(name: String, hasGaps: Bool)] {
    state.withLock { state in state.health.enumerated().map { (LivePlaylist.mediaName(ofRendition: $0), $1.isAway) } }
  }

  /// The format of the first rendition; `nil` before its first segment.
  var format: StreamFormat? { state.withLock { $0.playlist.format } }

  /// Whether a rendition is known to fit.
  func isProven(variant index: Int) -> Bool { state.withLock { $0.health[index].isProven } }

  /// Appends a gap of the target duration, after such a silence of the input.
  func addGap() {
    change { state in
      let target = state.playlist.targetDuration
      return append(target.flatMap { state.playlist.appendGap(MediaTime(seconds: Int(clamping: $0)), now: WallClock.now) }, &state)
    }
  }

  /// Ends the playlists, after everything that waits for the journal.
  func end() {
    sendAfterwards(lastUpdate())
  }

  /// Ends the playlists of a session whose journal is closed.
  func conclude() { if let last = lastUpdate() { send(last) } }

  /// Lets clients see a change, and origins have it, after everything that waits for the journal.
  private func sendAfterwards(_ update: SegmentStore.Update?) {
    desk.afterwards(update) { [self] in if let update { send(update) } }
  }

  /// Lets clients see a change, and origins have it.
  private func send(_ update: SegmentStore.Update) {
    store.publish(update)
    for push in pushes { push.add(update) }
  }

  /// The update with the end of the playlists; `nil` without segments.
  private func lastUpdate() -> SegmentStore.Update? {
    let (last, failure) = state.withLock { state in
      state.playlist.end()
      return Self.update(state.playlist, nil)
    }
    if let failure { say(failure) }
    return last
  }

  /// Changes the playlist under its lock, so that the journal has the playlist's order.
  ///
  /// - Parameter body: Returns why that cannot be written, in words.
  private func change(_ body: (inout State) -> String?) {
    let now = ContinuousClock.now - beginning
    let failure = state.withLock { state in
      state.playlist.dateRanges.advance(to: now)
      return body(&state)
    }
    if let failure { say(failure) }
    attention.signal()
  }

  /// The update that publishes the playlist.
  private static func update(_ playlist: LivePlaylist, _ listed: LivePlaylist.Listed?) -> (SegmentStore.Update?, failure: String?) {
    guard !playlist.isEmpty else { return (nil, nil) }
    do throws(PlaylistError) {
      var update = SegmentStore.Update(
        segments: listed?.files ?? [], playlists: try playlist.playlists(), removable: listed?.removable ?? [],
        targetDuration: playlist.targetDuration ?? 1, parts: listed?.parts ?? [], removableParts: listed?.removableParts ?? [],
        reloaded: try playlist.reloadedPlaylists(), description: playlist.descriptionFile(clock: SegmentStore.clockName),
        upcoming: playlist.upcomingNames)
      update.record = listed?.record
      return (update, nil)
    } catch {
      return (nil, failure(error))
    }
  }

  private static func failure(_ error: PlaylistError) -> String { "the playlist cannot be written: \(error)" }
}
