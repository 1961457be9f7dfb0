public import Basics

/// The program map table (PMT): the elementary streams of a program (ISO/IEC 13818-1, 2.4.4.8).
public struct ProgramMapTable: Equatable, Sendable {
  /// One stream of a program.
  public struct ElementaryStream: Equatable, Sendable {
    /// The stream_type.
    public var type: StreamType
    /// The PID of its packets.
    public var pid: PID
    /// The descriptors of the stream.
    public var descriptors: [Descriptor]

    /// A stream.
    public init(type: StreamType, pid: PID, descriptors: [Descriptor] = []) {
      (self.type, self.pid, self.descriptors) = (type, pid, descriptors)
    }

    /// Whether the stream carries timed ID3: metadata in PES packets for which no descriptor states another format.
    ///
    /// FFmpeg registers synchronous KLV as `KLVA` and writes no metadata_descriptor.
    public var isTimedID3: Bool {
      guard type == .metadata else { return false }
      let formats = descriptors.compactMap { MetadataDescriptor($0) }
      guard formats.isEmpty else { return formats.contains { $0.isID3 || $0.format == nil } }
      return !descriptors.contains { $0.tag == Descriptor.Tag.registration } || isRegistered(as: "ID3 ")
    }

    /// Whether a registration_descriptor gives the stream this format_identifier, four characters.
    package func isRegistered(as format: String) -> Bool {
      descriptors.contains { $0.tag == Descriptor.Tag.registration && $0.data.starts(with: Array(format.utf8)) }
    }

    /// Whether the stream is audio.
    public var isAudio: Bool {
      guard type == .privateData else { return type.isAudio }
      let audio = [Descriptor.Tag.ac3, Descriptor.Tag.eac3, Descriptor.Tag.dts, Descriptor.Tag.aac]
      // DTS-HD, AC-4 and DTS-UHD.
      let extended: [UInt8] = [0x0E, 0x15, 0x21]
      // Opus, and uncompressed audio (SMPTE ST 302).
      let registered = ["Opus", "BSSD", "AC-3", "EAC3", "DTS1", "DTS2", "DTS3", "AC-4"]
      return registered.contains { isRegistered(as: $0) }
        || descriptors.contains { descriptor in
          audio.contains(descriptor.tag)
            || descriptor.tag == Descriptor.Tag.extended && descriptor.data.first.map { extended.contains($0) } ?? false
        }
    }
  }

  /// The table's id.
  public static let tableID: UInt8 = 2

  /// The program's number.
  public var programNumber: UInt16
  /// The version of the table, 0 to 31.
  public var version: UInt8
  /// Whether the table applies now.
  public var isCurrent: Bool
  /// The PID that carries the program's clock.
  public var pcrPID: PID
  /// The descriptors of the program.
  public var descriptors: [Descriptor]
  /// Its streams.
  public var streams: [ElementaryStream]

  /// A program of these streams.
  public init(
    programNumber: UInt16, version: UInt8, isCurrent: Bool = true, pcrPID: PID, descriptors: [Descriptor] = [],
    streams: [ElementaryStream]
  ) {
    self.programNumber = programNumber
    self.version = version
    self.isCurrent = isCurrent
    self.pcrPID = pcrPID
    self.descriptors = descriptors
    self.streams = streams
  }

  /// The stream that determines the program's time: the first video stream, or else the first audio stream.
  public var referenceStream: ElementaryStream? { streams.first { $0.type.isVideo } ?? streams.first { $0.isAudio } }

  /// The streams that carry timed ID3.
  public var timedID3Streams: [ElementaryStream] { streams.filter { $0.isTimedID3 } }
}

extension ProgramMapTable {
  /// Reads the table from its section.
  ///
  /// - Throws: `ParseError` if the section holds another table or a length in it does not fit. Offsets are relative to the section's body.
  public init(_ section: Section) throws(ParseError) {
    guard section.tableID == Self.tableID else { throw ParseError(.invalid("no program map"), at: 0) }
    programNumber = section.tableIDExtension
    version = section.version
    isCurrent = section.isCurrent
    var reader = ByteReader(section.body.view)
    pcrPID = try reader.readUInt16() & 0x1FFF
    descriptors = try Self.descriptors(&reader)
    streams = []
    while reader.remaining > 0 {
      let type = StreamType(rawValue: try reader.readUInt8())
      let pid = try reader.readUInt16() & 0x1FFF
      streams.append(ElementaryStream(type: type, pid: pid, descriptors: try Self.descriptors(&reader)))
    }
  }

  private static func descriptors(_ reader: inout ByteReader) throws(ParseError) -> [Descriptor] {
    var part = try reader.readPart(Int(try reader.readUInt16() & 0x0FFF))
    return try Descriptor.list(&part)
  }

  /// The table as a section.
  ///
  /// - Throws: `ParseError` if a descriptor or a list of them is too long.
  public func section() throws(ParseError) -> Section {
    var writer = ByteWriter()
    writer.writeUInt16(0xE000 | pcrPID & 0x1FFF)
    try Self.write(descriptors, to: &writer)
    for stream in streams {
      writer.writeUInt8(stream.type.rawValue)
      writer.writeUInt16(0xE000 | stream.pid & 0x1FFF)
      try Self.write(stream.descriptors, to: &writer)
    }
    return Section(tableID: Self.tableID, tableIDExtension: programNumber, version: version, isCurrent: isCurrent, body: writer.bytes)
  }

  /// The bytes of a section that replaces one with this table before it was changed. The reserved bits of what stays, and the section's numbers, are
  /// those of the old one.
  ///
  /// - Throws: `ParseError` if the old section does not hold a map, or the new one is too long.
  package func section(replacing old: [UInt8]) throws(ParseError) -> [UInt8] {
    let oldSection = try Section(unchecked: old.view)
    let oldMap = try ProgramMapTable(oldSection)
    var section = try section()
    (section.number, section.lastNumber) = (oldSection.number, oldSection.lastNumber)
    var bytes = Array(try section.encode().dropLast(4))
    func keep(_ mask: UInt8, of place: Int, at newPlace: Int) { bytes[newPlace] = bytes[newPlace] & ~mask | old[place] & mask }
    for (place, mask) in [(1, 0x70), (5, 0xC0), (8, 0xE0), (10, 0xF0)] as [(Int, UInt8)] { keep(mask, of: place, at: place) }
    var oldStreams = oldMap.places()[...]
    for (stream, place) in places() {
      guard let index = oldStreams.firstIndex(where: { $0.stream.pid == stream.pid && $0.stream.type == stream.type }) else { continue }
      keep(0xE0, of: oldStreams[index].place + 1, at: place + 1)
      keep(0xF0, of: oldStreams[index].place + 3, at: place + 3)
      oldStreams = oldStreams[(index + 1)...]
    }
    var writer = ByteWriter(capacity: bytes.count + 4)
    writer.write(bytes)
    writer.writeUInt32(CRC32MPEG2.checksum(bytes.view))
    return writer.bytes
  }

  /// The streams, each with the place of its entry in the section.
  private func places() -> [(stream: ElementaryStream, place: Int)] {
    func size(_ descriptors: [Descriptor]) -> Int { descriptors.reduce(0) { $0 + 2 + $1.data.count } }
    var place = 12 + size(descriptors)
    return streams.map { stream in
      defer { place += 5 + size(stream.descriptors) }
      return (stream, place)
    }
  }

  private static func write(_ descriptors: [Descriptor], to writer: inout ByteWriter) throws(ParseError) {
    // The length has 10 bits. The two bits above it must be 0, so it can be read as 12 bits.
    try writer.writeLengthPrefixed(bits: 10, flags: 0xF000) { body throws(ParseError) in
      for descriptor in descriptors { try descriptor.write(to: &body) }
    }
  }
}
