import Basics
import CommandSupport
import StreamInput
import StreamPreview
import WebPages

/// Shows a producer a stream with its game and its events.
enum Preview {
  static func run(_ command: PreviewCommand) async throws(CommandFailure) {
    guard let place = command.place else { return }
    let reading = PreviewReading(command.input)
    reading.start()
    do throws(StreamInputError) { try await reading.recognise() } catch { throw CommandFailure(error, input: command.input) }
    let pages = try command.pages.pages(.preview, streams: reading.situation.origins.union([command.input]))
    let server = try orFail(PreviewServer(reading, pages: pages)) { (error: StreamInputError) in
      CommandFailure(error, input: command.input)
    }
    do {
      try await server.run(command.connection.settings(place)) { port in
        tell(command.connection.reach(place.host, port).listening, port, isJSON: command.json)
      }
    } catch {
      throw .cannotListen(on: command.listen, error)
    }
  }

  /// Prints the address of the page.
  private static func tell(_ address: String, _ port: Int, isJSON: Bool) {
    guard isJSON else { return StandardError.write("Preview: \(address)/") }
    StandardError.write(JSONObject(fields: ["listening": address, "port": port, "page": "\(address)/"]))
  }
}
