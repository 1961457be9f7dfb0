import Basics
import GameEvents

/// Where the programme lies on a player's clock, piece by piece: behind an ad, or where something was cut out, another piece begins.
struct PlayerTimeline: Sendable {
  /// A part of the player's clock, up to the start of the next one.
  struct Piece: Equatable, Sendable {
    /// The player's time from which it holds; the first piece has always held.
    var start: MediaTime
    /// The player's time of the timeline origin; `nil` if the programme is paused, until a copy tells how it goes on.
    var origin: MediaTime?
    /// Whether a verified copy told the origin.
    var isVerified: Bool
    /// The latest player's time at which a copy agreed.
    var confirmed: MediaTime
  }

  /// What a copy says of the timeline.
  enum Verdict: Equatable {
    /// It agrees, or it told where a piece lies.
    case agrees
    /// It contradicts what is known, and no other copy agrees with it so far.
    case contradicts
    /// It contradicts what was known, and an earlier copy agrees with it: another piece begins.
    case moves
  }

  /// How far apart the origins of two copies that agree may be: a little more than a frame.
  private static let tolerance = ProgrammeClock.tolerance
  /// The most pieces that are kept.
  private static let mostPieces = 64
  /// The most copies that contradict them and are kept.
  private static let mostContradictions = 8
  private static let always = MediaTime(ticks: .min)

  private(set) var pieces: [Piece] = []
  /// What copies told that contradict the pieces and were not confirmed: the player's time and the origin.
  private var contradictions: [(time: MediaTime, origin: MediaTime)] = []

  /// Whether nothing has told the origin yet.
  var isUnknown: Bool { pieces.allSatisfy { $0.origin == nil } }

  /// The piece that holds at a time of the player; `nil` while nothing is known.
  private func index(at time: MediaTime) -> Int? {
    pieces.isEmpty ? nil : max(pieces.partitionIndex { $0.start > time }, 1) - 1
  }

  /// The origin of the piece that holds at a time of the player.
  func origin(at time: MediaTime) -> MediaTime? { index(at: time).flatMap { pieces[$0].origin } }

  /// The programme time at a time of the player; `nil` while nothing is known, and before the programme begins.
  func programmeTime(at time: MediaTime) -> MediaTime? { index(at: time).flatMap { programmeTime(at: time, in: $0) } }

  /// The programme time that a piece has reached at a time, which may be its very end; `nil` before the programme begins.
  func programmeTime(at time: MediaTime, in index: Int) -> MediaTime? {
    let piece = pieces[index]
    guard let origin = piece.origin else { return index == 0 ? nil : programmeTime(at: piece.start, in: index - 1) }
    return min(time - origin, end(of: index) ?? time - origin)
  }

  /// The programme time beyond which a piece does not go, because an ad stands between its last copy and the next piece: somewhere there the
  /// programme stops, and the next piece goes on from that point. What happens at that very point happens in the next piece.
  private func end(of index: Int) -> MediaTime? {
    guard let origin = pieces[index].origin, let next = pieces.indices.dropFirst(index + 1).first(where: { pieces[$0].origin != nil }),
      let nextOrigin = pieces[next].origin, nextOrigin > origin
    else { return nil }
    let (start, confirmed) = (pieces[next].start, pieces[index].confirmed)
    return nextOrigin - origin <= start - confirmed ? start - nextOrigin - MediaTime(ticks: 1) : nil
  }

  /// The player's time, from `now` on, at which the programme reaches `time`; `nil` if no piece that is known does.
  func playerTime(of time: MediaTime, from now: MediaTime) -> MediaTime? {
    guard let first = index(at: now) else { return nil }
    for index in first..<pieces.count {
      guard let origin = pieces[index].origin else { continue }
      let reached = max(time + origin, index == first ? now : pieces[index].start)
      guard index + 1 < pieces.count else { return reached }
      if reached < pieces[index + 1].start, let there = programmeTime(at: reached, in: index), there >= time { return reached }
    }
    return nil
  }

  /// The index of the first piece that starts behind a time.
  func nextPiece(after time: MediaTime) -> Int? {
    let index = pieces.partitionIndex { $0.start > time }
    return index < pieces.count ? index : nil
  }
}

// MARK: - What copies tell

extension PlayerTimeline {
  /// Lets a copy that is presented at a time of the player tell the origin.
  mutating func accept(origin: MediaTime, isVerified: Bool, presentedAt time: MediaTime) -> Verdict {
    guard let index = index(at: time) else {
      pieces = [Piece(start: Self.always, origin: origin, isVerified: isVerified, confirmed: time)]
      return .agrees
    }
    if agrees(origin, with: index) {
      pieces[index].isVerified = pieces[index].isVerified || isVerified
      pieces[index].confirmed = max(pieces[index].confirmed, time)
      return .agrees
    }
    if pieces[index].origin == nil {
      begin(at: time, origin, isVerified)
      return .agrees
    }
    if isVerified != pieces[index].isVerified {
      guard isVerified else { return .contradicts }
      pieces[index] = Piece(start: pieces[index].start, origin: origin, isVerified: true, confirmed: time)
      return .agrees
    }
    // Tags may come in any order: the next piece begins earlier than was known.
    if index + 1 < pieces.count, agrees(origin, with: index + 1) {
      pieces[index + 1].start = time
      return .agrees
    }
    guard let found = contradictions.firstIndex(where: { ($0.origin - origin).magnitude <= Self.tolerance }) else {
      if contradictions.count >= Self.mostContradictions { contradictions.removeFirst() }
      contradictions.append((time, origin))
      return .contradicts
    }
    let start = min(time, contradictions.remove(at: found).time)
    begin(at: start, origin, isVerified)
    return .moves
  }

  /// Pauses the programme from a time of the player on, until a copy tells how it goes on. Where nothing is known yet, it does not begin before
  /// that copy is presented.
  ///
  /// - Parameter slack: Where a copy told that a piece begins no longer than this before `time`, that beginning is meant, and nothing changes.
  mutating func stop(at time: MediaTime, slack: MediaTime) {
    guard let index = index(at: time) else {
      pieces = [Piece(start: Self.always, origin: nil, isVerified: false, confirmed: time)]
      return
    }
    guard pieces[index].origin != nil else { return }
    if index > 0, time - pieces[index].start <= slack { return }
    // A copy that was handed over ahead of its time tells that the programme goes on where it was, as behind an ad at the beginning.
    if pieces[index].confirmed > time { return }
    pieces.insert(Piece(start: time, origin: nil, isVerified: false, confirmed: time), at: index + 1)
    limitCount()
  }

  /// Forgets copies that nothing confirmed: the reader moved.
  mutating func forgetContradictions() { contradictions = [] }

  private func agrees(_ origin: MediaTime, with index: Int) -> Bool {
    pieces[index].origin.map { ($0 - origin).magnitude <= Self.tolerance } ?? false
  }

  private mutating func begin(at start: MediaTime, _ origin: MediaTime, _ isVerified: Bool) {
    let piece = Piece(start: start, origin: origin, isVerified: isVerified, confirmed: start)
    let index = pieces.partitionIndex { $0.start > start }
    if index < pieces.count, agrees(origin, with: index) {
      pieces[index].start = start
    } else {
      pieces.insert(piece, at: index)
    }
    contradictions = []
    limitCount()
  }

  private mutating func limitCount() {
    guard pieces.count > Self.mostPieces else { return }
    pieces.removeFirst()
    pieces[0].start = Self.always
  }
}
