import Files
import LibAV
import Scoring

/// Writes what an audience did to a file, as it does it.
///
/// A class, because the file is one and whoever drives the game is copied.
final class AnswerRecorder {
  private var sink: FileSink?

  /// Begins a file, which must not exist unless it is to be replaced.
  init(path: String, overwrite: Bool) throws(CommandFailure) {
    sink = try FileSink.output(path, overwrite: overwrite)
  }

  func write(_ record: AudienceRecord) throws(CommandFailure) {
    let line = Array((record.line + "\n").utf8)
    sink?.write(line.span)
    do throws(FileSinkError) { try sink?.check() } catch { throw CommandFailure(error) }
  }

  /// Gives the file its name.
  func finish() throws(CommandFailure) {
    guard let sink = sink.take() else { return }
    do throws(FileSinkError) { try sink.commit() } catch { throw CommandFailure(error) }
  }
}
