import Basics

/// The packets of tags that wait for the next null packets of a live stream, in their order.
struct OwedTags: Sendable {
  struct Member: Sendable {
    var packet: [UInt8]
    /// The presentation time of the tag on the stream's clock.
    var presentationTime: MediaTime
    /// The copy whose last packet this is.
    var copy: PlacedCopy?
  }

  private var members = Queue<Member>()

  /// The packet that goes into the next null packet.
  var first: Member? { members.first }
  var isEmpty: Bool { members.isEmpty }

  /// Adds the packets of a tag.
  mutating func append(_ packets: [[UInt8]], of copy: PlacedCopy) {
    for (number, packet) in packets.enumerated() {
      let isLast = number == packets.count - 1
      members.append(Member(packet: packet, presentationTime: copy.presentationTime, copy: isLast ? copy : nil))
    }
  }

  /// Adds an existing packet of the same PID after the waiting tags. It waits no longer than they do.
  mutating func append(existing packet: [UInt8]) {
    guard let last = members.last else { return }
    members.append(Member(packet: packet, presentationTime: last.presentationTime))
  }

  mutating func popFirst() -> Member? { members.popFirst() }
}

/// Determines, from the program's PCR, how long tags of a live stream may wait for null packets.
struct TagDeadline: Sendable {
  /// The latest PCR, unwrapped.
  private var clock: MediaTime?
  /// The decoding time of the first access unit after it, since the start of the stream.
  private var silentSince: MediaTime?
  /// Whether the PCR is missing.
  private var isSilent = false

  /// A tag must be in the stream this long (0.1 s) before the PCR reaches its time, because the next PCR may be that far away (ISO/IEC 13818-1,
  /// 2.7.2).
  static let margin = MediaTime(ticks: 9_000)
  /// A time further ahead than this (10 s) is of another clock: no decoder waits that long.
  private static let farthest = MediaTime(ticks: 900_000)

  /// Receives a PCR.
  mutating func push(_ time: MediaTime) { (clock, silentSince, isSilent) = (time, nil, false) }

  /// Receives the decoding time of an access unit, since the start of the stream. If no PCR comes for 0.7 s, tags no longer wait for one.
  mutating func pushUnit(_ time: MediaTime) {
    let since = silentSince ?? time
    silentSince = since
    if (time - since).magnitude > OutputWindow.longestWait { (clock, isSilent) = (nil, true) }
  }

  /// Whether a tag of this presentation time may wait no longer.
  func hasPassed(_ presentationTime: MediaTime) -> Bool {
    guard let clock else { return isSilent }
    let left = presentationTime - clock
    return left <= Self.margin || left > Self.farthest
  }
}
