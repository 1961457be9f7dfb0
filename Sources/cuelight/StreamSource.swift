import EventReading
import FileInput
import MediaTime
import TransportStream

/// Reads a stream from a file or standard input, chunk by chunk.
struct StreamSource {
  let path: String

  /// What messages call the input.
  var name: String { path == "-" ? "standard input" : path }

  /// Reads the stream to its end.
  ///
  /// - Parameter receive: Called with each item, in order, and the reader.
  /// - Returns: The reader at the end.
  func read(_ receive: (StreamItem, EventReader) throws(CommandFailure) -> Void) throws(CommandFailure) -> EventReader {
    var reader = EventReader()
    var input: FileInput
    do throws(FileInputError) {
      input = try FileInput(path: path) { Interruption.isRequested }
    } catch {
      throw CommandFailure(error)
    }
    while try fill(&input) {
      for item in try reading({ () throws(ReadingError) in try reader.push(input.bytes) }) { try receive(item, reader) }
    }
    for item in try reading({ () throws(ReadingError) in try reader.finish() }) { try receive(item, reader) }
    return reader
  }

  private func fill(_ input: inout FileInput) throws(CommandFailure) -> Bool {
    do throws(FileInputError) { return try input.fill() } catch { throw CommandFailure(error) }
  }

  private func reading(_ body: () throws(ReadingError) -> [StreamItem]) throws(CommandFailure) -> [StreamItem] {
    do throws(ReadingError) { return try body() } catch { throw CommandFailure(error, input: name) }
  }

  /// What a stream without timed ID3 has instead.
  static func contents(of reader: EventReader) -> String {
    switch reader.container {
    case .fragmentedMP4: return "fragments without ID3 event messages"
    case .packedAudio: return "packed audio without further ID3 tags"
    case .transportStream, nil: break
    }
    let streams = reader.tables.maps.sorted { $0.key < $1.key }.flatMap(\.value.streams)
    guard !streams.isEmpty else { return "no program map" }
    return streams.map { "\($0.isTimedID3 ? "timed ID3" : $0.isAudio && !$0.type.isAudio ? "audio" : $0.type.name) on PID \($0.pid)" }
      .joined(separator: ", ")
  }
}
