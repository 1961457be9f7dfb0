package import Basics

/// Finds the frames of audio whose bytes arrive in chunks: in a transport stream, only their headers show where they begin.
package struct AudioFrames: Sendable {
  /// A frame, as a sample of MP4 has it.
  package struct Frame: Equatable, Sendable {
    /// Its bytes; those of AAC and Opus without the header before them.
    package var bytes: [UInt8]
    /// Its duration in samples.
    package var sampleCount: Int
    /// Its format.
    package var format: AudioFormat
    /// The offset of its first byte in the stream.
    package var offset: Int
  }

  /// The content of a frame's header.
  package struct Header: Equatable, Sendable {
    package var format: AudioFormat
    /// The size of the header in bytes.
    var headerSize = 0
    /// The size of the whole frame in bytes.
    package var size: Int
    /// The duration of the frame in samples.
    package var sampleCount: Int
    /// Whether the frame continues the sample of the previous frame (E-AC-3).
    package var continues = false
  }

  private let coding: AudioFormat.Coding
  private let channels: Int?
  private var bytes: [UInt8] = []
  /// The start of the next frame, and the number of bytes dropped before the kept ones.
  private var position = 0
  private var dropped = 0
  /// Whether the last frame ended directly before the next one.
  private var isInStep = true
  /// A sample of E-AC-3 to which more frames may belong.
  private var begun: Frame?

  /// The number of audio samples of E-AC-3 in one MP4 sample: six blocks (ETSI TS 102 366, F.2).
  private static let enhancedSamples = 1_536
  /// The maximum number of bytes in a sample of E-AC-3: eight substreams of six frames of 4 KiB.
  private static let largestSample = 192 << 10

  /// Starts before the first byte.
  ///
  /// - Parameter channels: The number of Opus channels, by the descriptor, because frames do not state it.
  package init(_ coding: AudioFormat.Coding, channels: Int? = nil) { (self.coding, self.channels) = (coding, channels) }

  /// The number of bytes received.
  package var byteCount: Int { dropped + bytes.count }

  /// Receives the next bytes.
  package mutating func push(_ more: Span<UInt8>) { bytes.append(copying: more) }

  /// The next complete frame; `nil` if more bytes are needed.
  package mutating func next() -> Frame? {
    while let (header, start) = findFrame() {
      let payload = Array(bytes[start + header.headerSize..<start + header.size])
      let frame = Frame(bytes: payload, sampleCount: header.sampleCount, format: header.format, offset: dropped + start)
      position = start + header.size
      guard coding == .eac3 else { return frame }
      if let complete = join(frame, header) { return complete }
    }
    bytes.removeFirst(position)
    (dropped, position) = (dropped + position, 0)
    return nil
  }

  /// Ends or interrupts the stream; returns the last frame, if it is complete.
  package mutating func finish() -> Frame? {
    bytes.removeAll(keepingCapacity: true)
    (dropped, position, isInStep) = (0, 0, true)
    return begun.take()
  }

  /// Joins frames of E-AC-3 into samples of six blocks, including dependent substreams.
  private mutating func join(_ frame: Frame, _ header: Header) -> Frame? {
    guard var open = begun.take() else {
      begun = header.continues ? nil : frame
      return nil
    }
    let isOfSample = header.continues || open.sampleCount < Self.enhancedSamples
    guard isOfSample, open.bytes.count + frame.bytes.count <= Self.largestSample else {
      begun = header.continues ? nil : frame
      return open
    }
    open.bytes += frame.bytes
    if header.continues {
      open.format.addDependentSubstream(frame.format)
    } else {
      open.sampleCount += frame.sampleCount
    }
    begun = open
    return nil
  }

  /// The next complete frame. After a loss it is accepted only if another frame follows it, because bytes may look like a header by chance.
  private mutating func findFrame() -> (Header, start: Int)? {
    while position < bytes.count {
      switch header(at: position) {
      case .incomplete: return nil
      case .none:
        position += 1
        isInStep = false
      case .found(let header):
        guard position + header.size <= bytes.count else { return nil }
        if !isInStep {
          switch self.header(at: position + header.size) {
          case .incomplete: return nil
          case .none:
            position += 1
            continue
          case .found: isInStep = true
          }
        }
        return (header, position)
      }
    }
    return nil
  }

  /// The result of a search for a header.
  enum Search: Equatable {
    case incomplete
    case none
    case found(Header)
  }

  private func header(at position: Int) -> Search {
    let rest = bytes.view.extracting(min(position, bytes.count)...)
    return switch coding {
    case .aac: Self.search(rest, sync: 0xFF, size: ADTSHeader.size, Self.aac)
    case .mp3: Self.search(rest, sync: 0xFF, size: 4, Self.mp3)
    case .ac3, .eac3: Self.search(rest, sync: 0x0B, size: 12, Self.dolby)
    case .opus: Self.opus(rest, channels: channels ?? 2)
    }
  }

  /// Searches for a header that starts with the byte `sync`, and that `read` can read once there are `size` bytes.
  private static func search(_ bytes: Span<UInt8>, sync: UInt8, size: Int, _ read: (Span<UInt8>) -> Header?) -> Search {
    guard bytes.count >= size else { return bytes.isEmpty || bytes[0] == sync ? .incomplete : .none }
    return read(bytes).map { .found($0) } ?? .none
  }
}

extension AudioFrames {
  /// ADTS (ISO/IEC 14496-3, 1.A.3.2). Frames with several raw data blocks do not occur in MP4.
  private static func aac(_ bytes: Span<UInt8>) -> Header? {
    guard let configuration = try? AACConfiguration(adtsHeader: bytes), let channels = configuration.channelCount else { return nil }
    let size = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5] >> 5)
    let headerSize = bytes[1] & 1 == 1 ? ADTSHeader.size : ADTSHeader.size + 2
    guard size > headerSize, bytes[6] & 3 == 0 else { return nil }
    let (index, channelConfiguration) = (bytes[2] >> 2 & 0x0F, (bytes[2] & 1) << 2 | bytes[3] >> 6)
    let specific = [configuration.objectType << 3 | index >> 1, index << 7 | channelConfiguration << 3]
    let format = AudioFormat(coding: .aac, sampleRate: configuration.sampleRate, channelCount: channels, configuration: specific)
    return Header(format: format, headerSize: headerSize, size: size, sampleCount: 1_024)
  }

  private static let mp3BitRates = [
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320], [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
  private static let mp3SampleRates = [44_100, 48_000, 32_000]

  /// Reads the four bytes of a header of Layer III (ISO/IEC 11172-3, 2.4.1.3; ISO/IEC 13818-3, 2.4.2.3, and its extension to lower rates). The free
  /// format, whose frames do not state their size, is not read.
  package static func mp3(_ bytes: Span<UInt8>) -> Header? {
    let version = bytes[1] >> 3 & 3
    let (bitRate, rate) = (Int(bytes[2] >> 4), Int(bytes[2] >> 2 & 3))
    guard bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0, version != 1, bytes[1] >> 1 & 3 == 1, (1..<15).contains(bitRate), rate < 3 else {
      return nil
    }
    let isFirst = version == 3
    let sampleRate = mp3SampleRates[rate] >> (isFirst ? 0 : version == 2 ? 1 : 2)
    let samples = isFirst ? 1_152 : 576
    let size = samples / 8 * mp3BitRates[isFirst ? 0 : 1][bitRate] * 1_000 / sampleRate + Int(bytes[2] >> 1 & 1)
    let format = AudioFormat(coding: .mp3, sampleRate: sampleRate, channelCount: bytes[3] >> 6 == 3 ? 1 : 2)
    return Header(format: format, size: size, sampleCount: samples)
  }

  package static let dolbySampleRates = [48_000, 44_100, 32_000]
  private static let dolbyBitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
  private static let dolbyChannels = [2, 1, 2, 3, 3, 4, 4, 5]

  /// AC-3 and E-AC-3 (ETSI TS 102 366, 4.3 and E.1.2). A stream that is signalled as one of them may be the other.
  private static func dolby(_ bytes: Span<UInt8>) -> Header? {
    guard bytes[0] == 0x0B, bytes[1] == 0x77 else { return nil }
    return bytes[5] >> 3 <= 10 ? try? ac3(bytes) : try? eac3(bytes)
  }

  /// The size of a frame of AC-3 by the byte with fscod and frmsizecod; `nil` if they are reserved.
  package static func ac3FrameSize(_ codes: UInt8) -> Int? {
    let (rate, code) = (codes >> 6, Int(codes & 0x3F))
    guard rate < 3, code / 2 < dolbyBitRates.count else { return nil }
    let bitRate = dolbyBitRates[code / 2]
    // At 44.1 kHz the average number of words in a frame is not whole: every other frame has one more.
    return 2 * (rate == 0 ? bitRate * 2 : rate == 1 ? bitRate * 320 / 147 + code % 2 : bitRate * 3)
  }

  private static func ac3(_ bytes: Span<UInt8>) throws(ParseError) -> Header {
    var bits = BitReader(bytes.extracting(first: 12), baseOffset: 0)
    guard let size = ac3FrameSize(bytes[4]) else { throw bits.error("a reserved size of an AC-3 frame") }
    let (rate, bitRateCode) = (Int(bytes[4] >> 6), UInt64(bytes[4] & 0x3F) / 2)
    try bits.skip(40)
    let (identification, mode, acmod) = (try bits.read(5), try bits.read(3), Int(try bits.read(3)))
    if acmod & 1 == 1, acmod != 1 { try bits.skip(2) }
    if acmod & 4 == 4 { try bits.skip(2) }
    if acmod == 2 { try bits.skip(2) }
    let lfe = try bits.read(1)
    let start: UInt64 = UInt64(rate) << 22 | identification << 17 | mode << 14 | UInt64(acmod) << 11 | lfe << 10
    let fields = start | bitRateCode << 5
    let format = AudioFormat(
      coding: .ac3, sampleRate: dolbySampleRates[rate], channelCount: dolbyChannels[acmod] + Int(lfe),
      configuration: [16, 8, 0].map { UInt8(truncatingIfNeeded: fields >> $0) })
    return Header(format: format, size: size, sampleCount: 1_536)
  }

  /// Reads the start of a frame of E-AC-3, of six bytes or more.
  package static func eac3(_ bytes: Span<UInt8>) throws(ParseError) -> Header {
    var bits = BitReader(bytes.extracting(first: 12), baseOffset: 0)
    try bits.skip(16)
    let (type, substream) = (try bits.read(2), try bits.read(3))
    let size = (Int(try bits.read(11)) + 1) * 2
    let rate = Int(try bits.read(2))
    let second = Int(try bits.read(2))
    guard type < 3, rate < 3 || second < 3 else { throw bits.error("a reserved kind of E-AC-3 frame") }
    let blocks = rate == 3 ? 6 : [1, 2, 3, 6][second]
    let sampleRate = rate < 3 ? dolbySampleRates[rate] : dolbySampleRates[second] / 2
    let (acmod, lfe) = (Int(try bits.read(3)), try bits.read(1))
    let identification = try bits.read(5)
    guard (11...16).contains(identification) else { throw bits.error("an unknown bsid") }
    let samples = 256 * blocks
    var format = AudioFormat(coding: .eac3, sampleRate: sampleRate, channelCount: dolbyChannels[acmod] + Int(lfe))
    // One independent substream, with the main audio service, and no dependent one so far.
    let bitRate = UInt64(size * 8 * sampleRate / samples / 1_000)
    let substreamFields = UInt64(rate) << 22 | identification << 17 | UInt64(acmod) << 9 | lfe << 8
    format.configuration = [32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (bitRate << 27 | substreamFields) >> $0) }
    return Header(format: format, size: size, sampleCount: samples, continues: type == 1 || substream > 0)
  }
}

extension AudioFormat {
  /// Records in the configuration that the sample has a dependent substream with further channels (ETSI TS 102 366, F.6).
  fileprivate mutating func addDependentSubstream(_ other: AudioFormat) {
    guard configuration.count == 5 else { return }
    // num_dep_sub is 1 and chan_loc follows, which leaves the locations of the channels unspecified.
    configuration[4] = configuration[4] & 0xE0 | 1 << 1
    configuration.append(0)
    channelCount = max(channelCount, other.channelCount)
  }
}

extension AudioFrames {
  /// An access unit of Opus after its control header (Opus mapping of MPEG-2 systems, 3; not part of ETSI TS 102 366).
  private static func opus(_ bytes: Span<UInt8>, channels: Int) -> Search {
    guard bytes.count >= 3 else { return .incomplete }
    guard bytes[0] == 0x7F, bytes[1] & 0xE0 == 0xE0 else { return .none }
    var (position, size) = (2, 0)
    repeat {
      guard position < bytes.count else { return .incomplete }
      size += Int(bytes[position])
      position += 1
      guard size <= largestOpus else { return .none }
    } while bytes[position - 1] == 0xFF
    if bytes[1] & 0x10 != 0 { position += 2 }
    if bytes[1] & 0x08 != 0 { position += 2 }
    if bytes[1] & 0x04 != 0 {
      guard position < bytes.count else { return .incomplete }
      position += 1 + Int(bytes[position])
    }
    guard position + 1 < bytes.count else { return .incomplete }
    guard size > 0 else { return .none }
    let samples = opusSamples(bytes[position], bytes[position + 1])
    guard (1...5_760).contains(samples) else { return .none }
    let format = AudioFormat(coding: .opus, sampleRate: 48_000, channelCount: channels, configuration: opusConfiguration(channels))
    return .found(Header(format: format, headerSize: position, size: position + size, sampleCount: samples))
  }

  /// Larger packets are damage.
  private static let largestOpus = 64 << 10

  /// The number of samples of a packet at 48 kHz, by its first two bytes (RFC 6716, 3.1 and 3.2).
  private static func opusSamples(_ table: UInt8, _ count: UInt8) -> Int {
    let configuration = Int(table >> 3)
    let frame =
      configuration < 12
      ? [480, 960, 1_920, 2_880][configuration & 3]
      : configuration < 16 ? [480, 960][configuration & 1] : [120, 240, 480, 960][configuration & 3]
    return frame * [1, 2, 2, Int(count & 0x3F)][Int(table & 3)]
  }

  /// The number of streams, how many of them are coupled, and the channels in the order of Vorbis (RFC 7845, 5.1.1.2), by channels from 3 on.
  private static let opusMappings: [[UInt8]] = [
    [2, 1, 0, 2, 1], [2, 2, 0, 1, 2, 3], [3, 2, 0, 4, 1, 2, 3], [4, 2, 0, 4, 1, 2, 3, 5], [4, 3, 0, 4, 1, 2, 3, 5, 6],
    [5, 3, 0, 6, 1, 2, 3, 4, 5, 7],
  ]

  /// The payload of `dOps` ("Encapsulation of Opus in ISO Base Media File Format", 4.3.2). Nothing is skipped in the middle of a stream.
  private static func opusConfiguration(_ channels: Int) -> [UInt8] {
    let start = [0, UInt8(clamping: channels), 0, 0, 0, 0, 0xBB, 0x80, 0, 0]
    return channels <= 2 ? start + [0] : start + [1] + opusMappings[min(channels, 8) - 3]
  }
}
