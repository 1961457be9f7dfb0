package import Basics
internal import CLibAV

/// The owner of an opened media file of any container that libavformat reads.
@safe
package struct MediaInput: ~Copyable {
  // Unsafe: opened in `init`, closed in `deinit`, and lent to C only for the length of a call.
  let context: LibAVContext
  let libav: LibAVFunctions
  private let interruption: Interruption
  /// The memory that libavformat reads from, unless it reads a file.
  private let memory: MemoryInput?
  /// The path as it was given.
  package let path: String
  /// How many packets could not be read and were skipped.
  package private(set) var invalidPackets = 0

  /// When the timeline origin is presented in a copy by default: after 10 s, so that earlier times are not negative.
  package static let usualFirstPresentation = MediaTime(ticks: 900_000)
  /// How many packets in a row may be unreadable before reading fails.
  package static let invalidPacketsInARow = 64

  /// Opens a file and reads enough of it to know its streams.
  ///
  /// - Parameters:
  ///   - path: A path, never a URL; it may contain colons.
  ///   - details: What is needed to know of the streams.
  ///   - isInterrupted: Asked often while libavformat reads or waits; `true` ends the work with an interruption.
  /// - Throws: `RemuxError.notOpened` if the file is missing, unreadable or in no known format, and if FFmpeg's libraries are missing;
  ///   `RemuxError.interrupted`.
  package init(
    path: String, details: StreamDetails = .all, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(RemuxError) {
    try self.init(name: path, details: details, isInterrupted: isInterrupted, reading: nil)
  }

  /// What is needed to know of the streams of a file.
  package enum StreamDetails: Sendable {
    /// Everything. libavformat decodes pictures for it, of which it takes a tenth of a second in high definition.
    case all
    /// Which streams there are, with their codecs and languages, and their packets: MP4, QuickTime and Matroska have that in their headers.
    case header
  }

  /// Opens a stream of bytes that cannot be seeked, or a file, and reads enough of it to know its streams.
  ///
  /// - Parameters:
  ///   - name: Its name in messages.
  ///   - details: What is needed to know of the streams.
  ///   - isInterrupted: Asked between the reads; `true` ends the work with an interruption.
  ///   - read: Waits for the next bytes and returns them; `nil` at the end. It is called as long as the input exists. `nil` reads a file.
  /// - Throws: `RemuxError`, as for a file.
  package init(
    name: String, details: StreamDetails = .all, isInterrupted: @escaping @Sendable () -> Bool = { false },
    reading read: (() -> ArraySlice<UInt8>?)?
  ) throws(RemuxError) {
    do throws(RemuxError) {
      try self.init(opening: name, details, read, Interruption(isInterrupted))
    } catch {
      // Demuxers mistake an interrupted read for damage.
      guard !isInterrupted() else { throw .interrupted }
      guard case .library(let cause) = error else { throw error }
      throw .notOpened(cause)
    }
  }

  private init(
    opening path: String, _ details: StreamDetails, _ read: (() -> ArraySlice<UInt8>?)?, _ interruption: Interruption
  ) throws(RemuxError) {
    let operation = "opening \(path)"
    let libav = try LibAVFunctions.found(for: operation)
    let memory = try read.map { (read) throws(RemuxError) in try MemoryInput(libav, read) }
    guard let allocated = unsafe libav.avformat_alloc_context() else { throw .outOfMemory(operation) }
    let unopened = unsafe LibAVContext(allocated, libav)
    unsafe unopened.interruption = interruption.callback
    // libavformat does not close what it was given.
    if let memory { unsafe unopened.bytes = memory.pointer }
    var opened: UnsafeMutablePointer<AVFormatContext>? = unsafe allocated
    // The prefix keeps a colon in the path from being read as the end of a protocol's name. On failure the context is freed.
    let url = memory == nil ? "file:" + path : ""
    try check(unsafe libav.avformat_open_input(&opened, url, nil, nil), operation)
    guard let context = unsafe opened else { throw .outOfMemory(operation) }
    do throws(RemuxError) {
      let format = unsafe LibAVContext(context, libav).input.map { unsafe String(cString: $0.pointee.name) } ?? ""
      if details == .all || !Self.hasStreamsInHeader(format) {
        try check(unsafe libav.avformat_find_stream_info(context, nil), operation)
      }
      guard !interruption.isInterrupted() else { throw RemuxError.interrupted }
    } catch {
      unsafe libav.avformat_close_input(&opened)
      throw error
    }
    unsafe self.context = unsafe LibAVContext(context, libav)
    (self.libav, self.interruption, self.memory, self.path) = (libav, interruption, memory, path)
  }

  deinit {
    // Closing may still call the interrupt check.
    withExtendedLifetime((interruption, memory)) {
      var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context.pointer
      unsafe libav.avformat_close_input(&context)
    }
  }

  /// libavformat's name of the container, for example `mov,mp4,m4a,3gp,3g2,mj2`.
  package var formatName: String {
    // Unsafe: the name is a constant of the library's.
    guard let name = unsafe context.input?.pointee.name else { return "" }
    return unsafe String(cString: name)
  }

  /// How long the file is; `nil` if the container does not say (an estimate from the bit rate does not count). Of a transport stream it is the
  /// time from its first to its last timestamp, between which its clock may jump.
  package var duration: MediaTime? {
    let duration = unsafe context.duration
    guard unsafe context.durationMethod != AVFMT_DURATION_FROM_BITRATE, duration > 0 else { return nil }
    // Matroska counts its duration from timestamp 0, wherever the file starts. So does MP4, where an edit list may begin with nothing; a
    // shorter start is that of reordered frames, which its duration leaves out.
    let start = max(unsafe context.start, 0)
    let countsFromZero = formatName.utf8.starts(with: "matroska".utf8) || (start >= AV_TIME_BASE && !isTransportStream)
    let skipped = countsFromZero ? start : 0
    return MediaTime(ticks: libav.av_rescale(duration - skipped, MediaTime.ticksPerSecond, Int64(AV_TIME_BASE)))
  }

  /// Whether the timelines of the container begin at zero, so that a later start means something.
  var startsAtZero: Bool { Self.hasStreamsInHeader(formatName) }

  /// Whether a container of this name says in its header which streams it has.
  private static func hasStreamsInHeader(_ format: String) -> Bool {
    format.utf8.starts(with: "matroska".utf8) || format.utf8.starts(with: "mov".utf8)
  }

  /// Whether the container is a transport stream.
  package var isTransportStream: Bool { formatName == "mpegts" }

  /// The streams known so far. In some containers (FLV, MPEG-TS) further ones may appear while reading.
  package var streams: [MediaStream] {
    (0..<(unsafe context.streams.count)).compactMap { index in unsafe stream(index).map { unsafe MediaStream($0, libav) } }
  }

  /// The numbers of the programs that have streams, if the container has programs.
  package var programs: [Int] {
    // Unsafe: the context's programs are read at once.
    unsafe context.programs.compactMap { unsafe $0.pointee.nb_stream_indexes > 0 ? Int($0.pointee.id) : nil }
  }

  /// Whether the caller's interrupt check asks for the end of the work.
  package var isInterrupted: Bool { interruption.isInterrupted() }

  /// Reads the next packet of any stream, in the file's order, with times in 90 kHz ticks.
  ///
  /// Packets that cannot be read are skipped and counted in `invalidPackets`.
  ///
  /// - Returns: `false` at the end of the file; then the packet is empty.
  /// - Throws: `RemuxError` if reading fails, too many packets in a row are unreadable, or the work was interrupted.
  package mutating func read(into packet: inout MediaPacket) throws(RemuxError) -> Bool {
    var invalidInARow = 0
    while true {
      packet.clear()
      let code = unsafe libav.av_read_frame(context.pointer, packet.pointer)
      guard code >= 0 || !interruption.isInterrupted() else { throw .interrupted }
      if code == cuelight_error_end_of_file {
        // Demuxers mistake a failed read for the end of the file.
        let failure = unsafe context.bytes?.pointee.error ?? 0
        try check(failure == cuelight_error_end_of_file ? 0 : failure, "reading \(path)")
        return false
      }
      if code == cuelight_error_invalid_data, invalidInARow < Self.invalidPacketsInARow {
        invalidInARow += 1
        invalidPackets += 1
        continue
      }
      try check(code, "reading \(path)")
      guard let stream = unsafe stream(packet.streamIndex) else { continue }
      packet.rescaleTimes(from: unsafe stream.timeBase, to: .ticks)
      return true
    }
  }

  /// libavformat's stream; `nil` for an index without a stream.
  func stream(_ index: Int) -> LibAVStream? { unsafe context.stream(index) }
}

/// The caller's interrupt check. A class, because libavformat holds a pointer to it for as long as the input is open.
final class Interruption: Sendable {
  let isInterrupted: @Sendable () -> Bool

  init(_ isInterrupted: @escaping @Sendable () -> Bool) { self.isInterrupted = isInterrupted }

  var callback: AVIOInterruptCB {
    // Unsafe: the pointer is not retained; whoever made the object keeps it until the context is closed.
    unsafe AVIOInterruptCB(
      callback: { opaque in
        guard let opaque = unsafe opaque else { return 0 }
        return unsafe Unmanaged<Interruption>.fromOpaque(opaque).takeUnretainedValue().isInterrupted() ? 1 : 0
      }, opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}
