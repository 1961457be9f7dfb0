import Basics
package import TransportStream

/// A short transport stream of one program, made for tests: video frames in the order I P B B with an I every twelve, audio, PCRs and tables.
///
/// It holds nothing that a decoder could show, only what parsers of the stream look at. Equal samples give equal bytes.
package struct SampleStream: Sendable {
  /// What is put before a video frame, besides the tables.
  package enum Extra: Sendable {
    /// Packets as they are.
    case packets([UInt8])
    /// A PES packet, split into packets of a PID.
    case pes(PID, [UInt8])
    /// A section, in packets of a PID.
    case section(PID, Section)
    /// A packet of a PID with a PCR and no payload.
    case clock(PID, UInt64)
  }

  /// An access unit of the stream by which the program's time is told. Times are 90 kHz ticks of the programme.
  package struct AccessUnit: Equatable, Sendable {
    /// When it is presented.
    package var presentation: Int64
    /// How much later it is decoded than the one before.
    package var duration: Int64
  }

  /// When the first video frame is presented, in ticks of the stream's clock (33 bits).
  package var start: UInt64 = 900_000
  /// How many video frames there are: 1 and a multiple of 3.
  package var pictureCount = 61
  /// What the program consists of.
  package var map = SampleStream.videoAndAudio
  /// Other PMTs, from a video frame (counted in decoding order) on.
  package var laterMaps: [Int: ProgramMapTable] = [:]
  /// The PID of the PMT.
  package var pmtPID: PID = 0x1000
  /// Programs that the PAT lists before this one.
  package var otherPrograms: [ProgramAssociationTable.Program] = []
  /// The tables come before every video frame whose number is a multiple of this; none with 0.
  package var tablesEvery = 10
  /// Whether packets mark video frames that decoding can start with.
  package var marksRandomAccess = true
  /// What goes before video frames, by their number in decoding order.
  package var extras: [Int: [Extra]] = [:]
  /// How many bytes a P frame has; an I frame has twice as many, a B frame half.
  package var pictureSize = 300

  /// Parameter sets of H.264 that can be read: with their start codes, in front of each intra picture from its number on.
  package var parameterSets: [Int: [UInt8]] = [:]

  /// A stream of 61 video frames (2.44 s) and audio.
  package init() {}

  /// H.264 on 0x100 and AAC on 0x101.
  package static let videoAndAudio = ProgramMapTable(
    programNumber: 1, version: 3, pcrPID: 0x100, streams: [.init(type: .h264, pid: 0x100), .init(type: .aac, pid: 0x101)])
  /// AAC on 0x101.
  package static let soundAlone = ProgramMapTable(programNumber: 1, version: 0, pcrPID: 0x101, streams: [.init(type: .aac, pid: 0x101)])
  /// Ticks from video frame to video frame.
  package static let pictureDuration: Int64 = 3_600
  /// Ticks from one audio frame to the next: 1,024 samples at 48 kHz.
  package static let soundDuration: Int64 = 1_920

  /// The number of a video frame in the order of presentation, by its number in decoding order.
  static func displayNumber(_ number: Int) -> Int {
    guard number > 0 else { return 0 }
    let group = (number - 1) / 3 * 3
    return [group + 3, group + 1, group + 2][(number - 1) % 3]
  }

  /// The access units of the program's reference stream, in decoding order.
  package var accessUnits: [AccessUnit] {
    guard map.referenceStream?.type.isVideo == true else {
      return (0..<soundCount).map {
        AccessUnit(presentation: Int64($0) * Self.soundDuration, duration: $0 == 0 ? 2_090 : Self.soundDuration)
      }
    }
    return (0..<pictureCount).map {
      AccessUnit(presentation: Int64(Self.displayNumber($0)) * Self.pictureDuration, duration: Self.pictureDuration)
    }
  }

  /// The programme time at which the reference stream ends.
  package var end: Int64 { accessUnits.map { $0.presentation + $0.duration }.max() ?? 0 }

  /// The number of audio frames that start before the video ends.
  private var soundCount: Int { (pictureCount * Int(Self.pictureDuration) + Int(Self.soundDuration) - 1) / Int(Self.soundDuration) }

  /// The stream.
  package var bytes: [UInt8] {
    var writer = SamplePacketWriter()
    var map = map
    var sound = 0
    for number in 0..<pictureCount {
      let change = laterMaps[number]
      map = change ?? map
      if tablesEvery > 0, number % tablesEvery == 0 || change != nil { writeTables(map, to: &writer) }
      for extra in extras[number] ?? [] {
        switch extra {
        case .packets(let bytes): writer.append(packets: bytes)
        case .pes(let pid, let unit): writer.append(unit, pid: pid)
        case .section(let pid, let section): writer.append(section: section, pid: pid)
        case .clock(let pid, let ticks): writer.append(clock: ticks, pid: pid)
        }
      }
      let decoding = Int64(number - 1) * Self.pictureDuration
      let clock = ticks(decoding - 9_000)
      let video = map.streams.first { $0.type.isVideo }
      let audio = map.streams.first { $0.isAudio }
      if map.pcrPID != video?.pid, map.pcrPID != audio?.pid, map.pcrPID != 0x1FFF { writer.append(clock: clock, pid: map.pcrPID) }
      if let video { writePicture(number, video, clock: map.pcrPID == video.pid ? clock : nil, to: &writer) }
      while sound < soundCount, Int64(sound) * Self.soundDuration < decoding + 2 * Self.pictureDuration {
        if let audio { writeSound(sound, audio, clock: map.pcrPID == audio.pid ? clock : nil, to: &writer) }
        sound += 1
      }
    }
    return writer.bytes
  }

  private func ticks(_ programmeTime: Int64) -> UInt64 { UInt64(bitPattern: Int64(bitPattern: start) + programmeTime) & 0x1_FFFF_FFFF }

  private func writeTables(_ map: ProgramMapTable, to writer: inout SamplePacketWriter) {
    let program = ProgramAssociationTable.Program(number: map.programNumber, pmtPID: pmtPID)
    let association = ProgramAssociationTable(transportStreamID: 1, version: 0, entries: otherPrograms + [program])
    writer.append(section: association.section, pid: ProgramAssociationTable.pid)
    if let section = try? map.section() { writer.append(section: section, pid: pmtPID) }
  }

  private func writePicture(
    _ number: Int, _ stream: ProgramMapTable.ElementaryStream, clock: UInt64?, to writer: inout SamplePacketWriter
  ) {
    let isIntra = number == 0 || (number > 1 && (number - 1) % 12 == 0)
    let isReference = isIntra || (number - 1) % 3 == 0
    let isHEVC = stream.type == .hevc
    // Access unit delimiter; parameter sets and an IDR picture, or another slice.
    let start: [UInt8] = isHEVC ? [0, 0, 0, 1, 0x46, 0x01, 0x50] : [0, 0, 0, 1, 0x09, 0xF0]
    let sets = parameterSets.filter { $0.key <= number }.max { $0.key < $1.key }?.value
    let intra: [UInt8] =
      isHEVC
      ? [0, 0, 1, 0x40, 0x01, 0x0C, 0, 0, 1, 0x26, 0x01] : (sets ?? [0, 0, 1, 0x67, 0x42, 0, 0, 1, 0x68, 0xCE]) + [0, 0, 1, 0x65]
    let other: [UInt8] = isHEVC ? [0, 0, 1, 0x02, 0x01] : [0, 0, 1, isReference ? 0x41 : 0x01]
    let size = isIntra ? 2 * pictureSize : isReference ? pictureSize : pictureSize / 2
    let unit =
      SamplePacketWriter.pesHeader(
        streamID: 0xE0, length: 0, presentation: ticks(Int64(Self.displayNumber(number)) * Self.pictureDuration),
        decoding: ticks(Int64(number - 1) * Self.pictureDuration))
      + start + (isIntra ? intra : other) + Self.slice(size, number)
    writer.append(unit, pid: stream.pid, isRandomAccess: isIntra && marksRandomAccess, clock: clock)
  }

  private func writeSound(_ number: Int, _ stream: ProgramMapTable.ElementaryStream, clock: UInt64?, to writer: inout SamplePacketWriter) {
    let frame: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x0C, 0x3F, 0xFC] + Self.filler(90, number)
    let header = SamplePacketWriter.pesHeader(
      streamID: 0xC0, length: 8 + frame.count, presentation: ticks(Int64(number) * Self.soundDuration))
    writer.append(header + frame, pid: stream.pid, isRandomAccess: marksRandomAccess, clock: clock)
  }

  /// The bytes of a slice, whose first bit says that it is the first one of its picture.
  private static func slice(_ count: Int, _ number: Int) -> [UInt8] {
    var slice = filler(count, number)
    if !slice.isEmpty { slice[0] |= 0x80 }
    return slice
  }

  /// Bytes without a zero, so that no start code lies in them.
  private static func filler(_ count: Int, _ number: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 6 &+ number &* 14) | 1 }
  }
}
