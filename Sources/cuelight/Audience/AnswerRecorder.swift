import CommandSupport
import Files
import Scoring

/// Writes the actions of an audience to a file as they happen.
///
/// A class, because there is one file, and the values that drive the game are copied.
final class AnswerRecorder {
  private var sink: FileSink?

  /// Begins a file, which must not exist unless it may be replaced.
  init(path: String, overwrites: Bool) throws(CommandFailure) { sink = try OutputFile(path: path, overwrites: overwrites).begin() }

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
