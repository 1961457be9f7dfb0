package import Basics
import CMAF
package import EventSchedule
import GameEvents
import HLSPlaylist
package import LiveGame
package import PacketStamping
package import Stamping
package import TransportStream

/// Cuts a stamped transport stream into segments and their parts, as transport streams or as fragmented MP4.
///
/// It alone knows which segment and which part are open. Its tracks produce the bytes. Those of fragmented MP4 may complete a segment a little later,
/// since audio arrives after the video that it belongs to.
package struct LiveSegmenter: LiveOutput, Sendable {
  /// The track of a transport stream; `nil` for fragmented MP4.
  private var packets: TransportStreamTrack?
  /// The tracks of fragmented MP4; `nil` before the first stretch.
  private var fragments: FragmentTracks?
  /// Whether audio gets tracks of its own beside the video.
  private let hasAudio: Bool
  /// The indices of the tracks that the playlists list.
  private var listed = [0]
  private var pending: [PendingSegment] = []
  /// Complete segments, until they are taken.
  private var complete: [LiveSegment] = []
  /// Messages for the operator, until they are taken, and the streams that were left out last.
  private var notices: [String] = []
  private var leftOut: Set<String> = []
  /// Packets of audio before the first picture of a stretch, which may belong to it: at most ``mostEarlyBytes``.
  private var early: [UInt8] = []
  /// The number of bytes of the open segment.
  private var openByteCount = 0
  private var pmtPID: PID?
  /// The PID of the stream that tells the time.
  private var leadingPID: PID?
  /// Finds the PIDs of tables: the first PMT may arrive before its PID is known.
  private var programs = ProgramTables()
  private var end = MediaTime.zero
  private var targetDuration: UInt64 = 1
  /// Whether a stretch begins with the next segment: nothing continues the earlier data.
  private var isInterrupted = true
  /// Whether the next segment does not continue the last existing one.
  private var owesDiscontinuity = false
  private var hasSegments: Bool
  /// The bursts that continue.
  private var bursts: [JournalRecord.SegmentRecord.Burst]
  /// Decides where parts end; `nil` without low-latency HLS.
  private var partClock: PartClock?

  /// The maximum size of a segment in bytes; a larger one is dropped: no intact stream has such segments.
  private static let largestSegment = 256 << 20

  /// Enough for two seconds of several tracks of audio.
  private static let mostEarlyBytes = 1 << 20

  /// The presentation time of the timeline origin in fragments.
  package static let fragmentOrigin = FragmentTracks.origin

  private var splices = LiveSpliceMessages()

  /// A segmenter before the first packet.
  ///
  /// - Parameters:
  ///   - type: The format of segments.
  ///   - hasAudio: Whether audio gets tracks of its own beside the video; only fragmented MP4 has them.
  ///   - partDuration: The desired duration of parts; `nil` for none.
  ///   - goesOn: Whether it continues segments of another process.
  ///   - bursts: The bursts that an earlier session has begun and that continue, in the order of their first copies.
  package init(
    _ type: SegmentType = .transportStream, hasAudio: Bool = true, partDuration: MediaTime? = nil, goesOn: Bool = false,
    goingOnWith bursts: [JournalRecord.SegmentRecord.Burst] = []
  ) {
    packets = type == .transportStream ? TransportStreamTrack() : nil
    (self.hasAudio, self.bursts, hasSegments) = (hasAudio, bursts, goesOn)
    partClock = partDuration.map { PartClock(duration: $0) }
  }

  // MARK: Output

  /// Returns the complete segments, once.
  package mutating func takeSegments() -> [LiveSegment] { exchange(&complete, with: []) }

  /// Returns the complete parts of the next segment, once.
  package mutating func takeParts() -> [LivePart] {
    guard complete.isEmpty, !pending.isEmpty, !pending[0].holdsParts else { return [] }
    return pending[0].takeParts(listed: listed)
  }

  /// Returns the messages for the operator, once.
  package mutating func takeNotices() -> [String] { exchange(&notices, with: []) }

  // MARK: Input

  package mutating func follow(pmtPID: PID, leadingPID: PID?) {
    (self.pmtPID, self.leadingPID) = (pmtPID, leadingPID)
    packets?.pmtPID = pmtPID
  }

  /// Receives copies in front of the next segment, which belong to the open one.
  package mutating func add(_ copies: [EventSchedule.TimedCopy]) {
    guard !isInterrupted else { return }
    let open = pending.count - 1
    for copy in copies where !pending[open].guids.contains(copy.copy.event.guid) {
      pending[open].guids.append(copy.copy.event.guid)
      // A segment is lost as a whole, so that repeats within one protect nothing. An event that cannot be written was refused earlier.
      if fragments != nil, let message = try? EventMessageBox.bytes(of: copy, origin: Self.fragmentOrigin) { fragments?.add(message) }
    }
  }

  /// Receives a section of SCTE 35 of the input, which segments of fragmented MP4 carry as an event message.
  ///
  /// - Parameters:
  ///   - place: Where it lies, on the programme's timeline.
  ///   - clock: What the clock of the input says there, in 33 bits.
  package mutating func add(section: [UInt8], at place: MediaTime, clock: UInt64) {
    guard !isInterrupted, fragments != nil else { return }
    if let message = splices.box(section, at: place, clock: clock, origin: Self.fragmentOrigin) { fragments?.add(message) }
  }

  package mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
    targetDuration = unit.targetDuration
    var startsPart = false
    if let boundary = unit.boundary {
      // Before a discontinuity, the segment ends with its latest access unit.
      let isBroken = boundary == .discontinuity
      endSegment(at: isBroken ? min(unit.time, end) : unit.time, isBroken ? nil : TimestampUnwrapper.timestamp(of: unit.presentationTime))
      let hasOtherStreams = fragments.map { !$0.isMade(of: streams) } ?? false
      owesDiscontinuity = owesDiscontinuity || isBroken || hasOtherStreams
      let startsStretch = isBroken || isInterrupted || hasOtherStreams
      isInterrupted = startsStretch && !beginStretch()
      if !isInterrupted {
        pending.append(PendingSegment(unit, owesDiscontinuity ? .discontinuity : boundary, holdsParts: startsStretch && packets == nil))
        owesDiscontinuity = false
      }
      partClock?.beginSegment(unit)
      openByteCount = 0
    } else if !isInterrupted {
      if let duration = partClock?.push(unit), let target = partClock?.target {
        pending[pending.count - 1].endPart(duration, target: target, isNextIndependent: unit.isRandomAccess)
        startsPart = true
      } else if unit.isRandomAccess {
        pending[pending.count - 1].isPartIndependent = true
      }
    }
    if unit.boundary != nil || startsPart, let bytes = packets?.cut() { appendPackets(bytes, isNew: unit.boundary != nil) }
    fragments?.begin(unit, unit.boundary != nil ? .segment : startsPart ? .part : nil)
    if fragments != nil, !early.isEmpty {
      let held = early
      early = []
      held.span.forEachPacket { packet in
        let pid = TransportPacket.pid(of: packet)
        fragments?.push(packet, of: pid)
      }
    }
    end = max(end, unit.time + unit.frameDuration)
    for copy in copies where !copy.copy.isRefresh { follow(copy.copy) }
    if !isInterrupted {
      pending[pending.count - 1].unitCount += 1
      pending[pending.count - 1].latestDecoding = unit.decodingTime
    }
    add(copies)
    collect()
  }

  /// Begins a stretch, in which the stream's clock is continuous; returns whether there is a stream from which to make segments.
  private mutating func beginStretch() -> Bool {
    guard packets == nil else { return true }
    fragments?.finish()
    collect()
    fragments = nil
    guard let leadingPID else { return false }
    var tracks = FragmentTracks(streams, leadingPID: leadingPID)
    tell(leftOut: tracks.takeLeftOut())
    guard !tracks.isEmpty else { return false }
    fragments = tracks
    return true
  }

  /// Tells the operator which streams are not in the segments, once.
  private mutating func tell(leftOut streams: [String]) {
    for stream in streams where leftOut.insert(stream).inserted { notices.append("\(stream) is not in the segments") }
  }

  /// The streams for the tracks of a stretch that begins now.
  private var streams: [ProgramMapTable.ElementaryStream] {
    guard let map, let leadingPID else { return [] }
    return FragmentTracks.streams(of: map, leadingPID: leadingPID, hasAudio: hasAudio)
  }

  /// The program of the stream; `nil` until its PMT has arrived.
  private var map: ProgramMapTable? {
    programs.programAssociation?.programs.first { $0.pmtPID == pmtPID }.flatMap { programs.maps[$0.number] }
  }

  /// Records the burst of an event.
  private mutating func follow(_ copy: EventCopy) {
    if copy.copy == 1 {
      bursts.append(.init(guid: copy.event.guid, copies: 1))
    } else if let index = bursts.firstIndex(where: { $0.guid == copy.event.guid }) {
      bursts[index].copies = copy.copy
    }
    if copy.copy == copy.copies { bursts.removeAll { $0.guid == copy.event.guid } }
  }

  package mutating func expect(_ new: Span<UInt8>) { packets?.expect(new) }

  package mutating func write(_ new: Span<UInt8>) {
    new.forEachPacket { packet in
      let pid = TransportPacket.pid(of: packet)
      if programs.follows(pid) {
        if let header = try? TransportPacket(packet), !header.hasError {
          _ = programs.push(header, payload: packet.extracting(header.payload))
        }
        packets?.writeTable(packet, of: pid)
      } else {
        findGroup(packet, of: pid)
        packets?.write(packet, of: pid)
        if fragments != nil { fragments?.push(packet, of: pid) } else { hold(packet, of: pid) }
      }
    }
    collect()
    openByteCount += new.count
    if openByteCount > Self.largestSegment { giveUp() }
  }

  /// Holds a packet of audio until the stretch that it may belong to begins.
  private mutating func hold(_ packet: Span<UInt8>, of pid: PID) {
    guard packets == nil, pid != leadingPID, pid != TransportPacket.nullPID else { return }
    if early.count >= Self.mostEarlyBytes { early.removeFirst(early.count / 2 / packet.count * packet.count) }
    early.append(copying: packet)
  }

  /// Drops the open segment: the next one begins a stretch.
  private mutating func giveUp() {
    _ = packets?.finish()
    (fragments, pending, isInterrupted, openByteCount, owesDiscontinuity) = (nil, [], true, 0, hasSegments)
  }

  /// Checks whether the open segment needs pictures from before it.
  private mutating func findGroup(_ packet: Span<UInt8>, of pid: PID) {
    guard !isInterrupted, !pending[pending.count - 1].group.isKnown, pid == leadingPID,
      let video = map?.streams.first(where: { $0.pid == pid })
    else { return }
    pending[pending.count - 1].group.push(packet, video.type)
  }

  /// Ends the open segment and everything that waits for more data: the input has ended, or is interrupted.
  package mutating func finish() {
    endSegment(at: end, nil)
    if let bytes = packets?.finish() { appendPackets(bytes, isNew: false) }
    fragments?.finish()
    collect()
    (fragments, isInterrupted) = (nil, true)
  }

  /// Ends the open segment.
  ///
  /// - Parameters:
  ///   - time: The start of the next segment, on the programme's timeline.
  ///   - nextTimestamp: The same on the stream's clock; `nil` if the clock is not continuous.
  private mutating func endSegment(at time: MediaTime, _ nextTimestamp: UInt64?) {
    guard !isInterrupted, var open = pending.popLast() else { return }
    open.hasEnded = true
    let duration = time - open.start
    if duration > .zero {
      if let target = partClock?.target, let last = partClock?.lastPart(ofSegment: duration) {
        open.endPart(last, target: target, isNextIndependent: false)
      }
      var segment = LiveSegment(
        bytes: [], start: open.start, duration: duration, boundary: open.boundary, isIndependent: open.isIndependent, guids: open.guids,
        targetDuration: targetDuration)
      (segment.frameRate, segment.isGroupOpen) = (open.frameRate, open.group.isOpen)
      (segment.nextTimestamp, segment.bursts) = (nextTimestamp, bursts)
      open.segment = segment
    }
    pending.append(open)
  }

  /// Adds a portion of a transport stream to its segment.
  ///
  /// - Parameter isNew: Whether another segment has begun since.
  private mutating func appendPackets(_ bytes: [UInt8], isNew: Bool) {
    let place = pending.count - (isNew ? 2 : 1)
    if place >= 0 { pending[place].append(SegmentPortion(tracks: [bytes], listed: listed)) }
    collectSegments()
  }

  /// Moves the portions that the tracks have completed into their segments.
  private mutating func collect() {
    while let portion = fragments?.popPortion(), !pending.isEmpty {
      listed = portion.listed
      pending[0].append(portion)
      collectSegments()
    }
    tell(leftOut: fragments?.takeLeftOut() ?? [])
  }

  private mutating func collectSegments() {
    while let first = pending.first, first.isComplete {
      var first = pending.removeFirst()
      if let segment = first.finished(listed: listed) {
        complete.append(segment)
        hasSegments = true
      } else if pending.isEmpty {
        owesDiscontinuity = hasSegments
      } else {
        // The segment after a dropped one becomes the first one of the stretch.
        pending[0].holdsParts = pending[0].holdsParts || first.holdsParts
        if hasSegments { pending[0].boundary = .discontinuity }
      }
    }
  }
}
