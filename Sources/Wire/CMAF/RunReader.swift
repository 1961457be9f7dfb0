import Basics

/// Which fields a run (`trun`) has: one bit each of its flags.
enum RunFlags {
  static let dataOffset: UInt32 = 0x001
  static let firstSampleFlags: UInt32 = 0x004
  static let duration: UInt32 = 0x100
  static let size: UInt32 = 0x200
  static let flags: UInt32 = 0x400
  static let compositionOffset: UInt32 = 0x800
  static let ofSamples = [duration, size, flags, compositionOffset]
}

/// Reads the samples of a track's run (`trun`, ISO/IEC 14496-12, 8.8.8).
struct RunReader: ~Escapable, ~Copyable {
  /// What a run states about a sample; `nil` means the default of the fragment.
  struct Sample {
    var duration: UInt32?
    var size: UInt32?
    var flags: UInt32?
    var compositionOffset: Int64 = 0
  }

  /// The number of samples.
  let count: UInt32
  /// Where the first sample starts, in bytes from the base of the fragment's data; `nil` if it follows the previous run.
  let dataOffset: Int32?
  /// Whether samples have fields of their own. Then the size of the box bounds their number.
  let hasFields: Bool
  private let fields: UInt32
  private let version: UInt8
  private let firstFlags: UInt32?
  private var reader: ByteReader
  private var index: UInt32 = 0

  /// Reads the head of a run.
  @_lifetime(copy box)
  init(_ box: borrowing Box) throws(ParseError) {
    var reader = box.fields
    let header = try FullBoxFields(reading: &reader)
    let count = try reader.readUInt32()
    let dataOffset = header.flags & RunFlags.dataOffset != 0 ? Int32(bitPattern: try reader.readUInt32()) : nil
    let firstFlags = header.flags & RunFlags.firstSampleFlags != 0 ? try reader.readUInt32() : nil
    (fields, version) = (header.flags, header.version)
    (self.count, self.dataOffset, self.firstFlags) = (count, dataOffset, firstFlags)
    hasFields = RunFlags.ofSamples.contains { header.flags & $0 != 0 }
    self.reader = reader
  }

  /// The next sample; `nil` after the last.
  mutating func next() throws(ParseError) -> Sample? {
    guard index < count else { return nil }
    var sample = Sample()
    if fields & RunFlags.duration != 0 { sample.duration = try reader.readUInt32() }
    if fields & RunFlags.size != 0 { sample.size = try reader.readUInt32() }
    if fields & RunFlags.flags != 0 { sample.flags = try reader.readUInt32() }
    if fields & RunFlags.compositionOffset != 0 {
      let offset = try reader.readUInt32()
      sample.compositionOffset = version == 0 ? Int64(offset) : Int64(Int32(bitPattern: offset))
    }
    if index == 0, let firstFlags { sample.flags = firstFlags }
    index += 1
    return sample
  }
}

// MARK: Places of fields

extension RunReader {
  /// Whether each sample states its size.
  var hasSizes: Bool { fields & RunFlags.size != 0 }
  /// Where the fields of the next sample start, in bytes from the start of the input.
  var sampleOffset: Int { reader.offset }
  /// The number of fields of each sample, of four bytes each.
  var fieldCount: Int { RunFlags.ofSamples.count { fields & $0 != 0 } }
  /// The offset of the size in a sample's fields, or the offset at which it would be.
  var sizeOffset: Int { fields & RunFlags.duration != 0 ? 4 : 0 }
  /// The version and the flags of a run whose samples state their sizes and that has no other fields than this one.
  var flagsWithSizes: UInt32 { UInt32(version) << 24 | fields | RunFlags.size }
}
