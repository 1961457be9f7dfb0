import Basics
import EventSchedule
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import Stamping
import Synchronization

/// The HLS presentation of a session: which segments clients see, and when.
///
/// A segment is visible once the journal knows it: then a restart goes on behind it.
final class Presentation: Sendable {
  /// How much there was so far.
  struct Counts: Equatable, Sendable {
    var segments = 0
    var discontinuities = 0
    var gaps = 0
  }

  private struct State {
    var playlist: LivePlaylist
    var counts = Counts()
  }

  let store: SegmentStore
  private let state: Mutex<State>
  private let desk: EventDesk
  private let fragmenter: Mutex<Fragmenter?> = Mutex(nil)
  private let say: @Sendable (String) -> Void

  /// - Parameter say: Receives messages for the operator.
  init(_ playlist: LivePlaylist, in store: SegmentStore, _ desk: EventDesk, say: @escaping @Sendable (String) -> Void) {
    (self.store, self.desk, self.say) = (store, desk, say)
    state = Mutex(State(playlist: playlist))
  }

  /// Lets segments be fragmented MP4.
  ///
  /// - Parameters:
  ///   - messages: What the events are written with.
  ///   - isInterrupted: Whether the work is to end at once.
  func makeFragments(_ messages: EventMessages, isInterrupted: @escaping @Sendable () -> Bool) {
    let made = Fragmenter(messages, isInterrupted: isInterrupted, say: say) { [weak self] in self?.publish($0, wallClock: $1) }
    fragmenter.withLock { $0 = made }
  }

  /// Whether bytes of segments are to be handed over piece by piece.
  var wantsPieces: Bool { fragmenter.withLock { $0 != nil } }

  var counts: Counts { state.withLock { $0.counts } }

  /// The target duration in seconds; `nil` while there is nothing to play.
  var targetDuration: UInt64? { state.withLock { $0.playlist.isEmpty ? nil : $0.playlist.targetDuration } }

  /// The date at which the last segment or gap ends, in milliseconds since 1970; `nil` without segments.
  var endDate: Int64? { state.withLock { $0.playlist.endDate } }

  // MARK: Segments

  /// Takes a segment: one to publish, or what is known of one that is made of pieces.
  ///
  /// - Parameter wallClock: The date of its start, in milliseconds since 1970.
  func add(_ segment: LiveSegment, wallClock: Int64) {
    if let fragmenter = fragmenter.withLock({ $0 }) {
      fragmenter.add(segment, wallClock: wallClock)
    } else {
      publish(segment, wallClock: wallClock)
    }
  }

  /// Takes the next bytes of segments.
  func add(_ piece: LivePipeline.Piece) { fragmenter.withLock { $0 }?.add(piece) }

  /// Ends what is being made: nothing comes from the input.
  func interrupt() { fragmenter.withLock { $0 }?.endStretch() }

  /// Whether everything that came in is published.
  var isIdle: Bool { fragmenter.withLock { $0 }?.isIdle ?? true }

  /// Appends a segment to the playlist, which clients see once the journal knows it.
  private func publish(_ segment: LiveSegment, wallClock: Int64) {
    change { state in
      let listed = state.playlist.append(segment, wallClock: wallClock)
      state.counts.segments += 1
      if listed.record.isDiscontinuous { state.counts.discontinuities += 1 }
      return (listed, segment.guids)
    }
  }

  /// Appends a gap of the target duration: nothing came from the input for so long.
  func addGap() {
    change { state in
      guard let target = state.playlist.targetDuration else { return nil }
      guard let listed = state.playlist.appendGap(MediaTime(seconds: Int(clamping: target)), now: WallClock.now) else { return nil }
      state.counts.gaps += 1
      return (listed, [])
    }
  }

  /// Ends the playlists, behind everything that waits for the journal.
  ///
  /// - Parameter seconds: How long the making of what is left may take.
  func end(seconds: Double) {
    fragmenter.withLock { $0 }?.close(seconds: seconds)
    let (last, failure) = state.withLock { state in
      state.playlist.end()
      return Self.update(state.playlist, nil)
    }
    if let failure { say(failure) }
    desk.afterwards { [store] in if let last { store.publish(last) } }
  }

  /// Changes the playlist, and lets clients see that.
  private func change(_ body: (inout State) -> (LivePlaylist.Listed, guids: [GUID])?) {
    // The order of the journal is that of the playlist.
    let failure: String? = state.withLock { state in
      guard let (listed, guids) = body(&state) else { return nil }
      let (update, failure) = Self.update(state.playlist, listed)
      desk.record(listed.record, with: guids) { [store] in if let update { store.publish(update) } }
      return failure
    }
    if let failure { say(failure) }
  }

  /// What clients see from now on.
  private static func update(_ playlist: LivePlaylist, _ listed: LivePlaylist.Listed?) -> (SegmentStore.Update?, failure: String?) {
    guard !playlist.isEmpty else { return (nil, nil) }
    do throws(PlaylistError) {
      let update = SegmentStore.Update(
        segments: listed?.files ?? [], playlists: try playlist.playlists(), removable: listed?.removable ?? [],
        targetDuration: playlist.targetDuration ?? 1)
      return (update, nil)
    } catch {
      return (nil, "the playlist cannot be written: \(error)")
    }
  }
}
