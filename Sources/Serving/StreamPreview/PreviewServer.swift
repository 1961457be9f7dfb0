import Basics
import Files
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
package import StreamInput
import Terminal
package import WebPages
import WebSupport

/// Serves the page on which a producer sees a stream with the game over it, the stream's events, and the stream itself.
package struct PreviewServer: Sendable {
  private let reading: PreviewReading
  private let responder: PreviewResponder
  private let host: String
  private let port: Int

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - reading: What is read, of which it is known what it is (see ``PreviewReading/recognise()``).
  ///   - pages: The page, with what it loads.
  ///   - host: The address to listen on; `port` 0 is any that is free.
  /// - Throws: `StreamInputError` where the folder of a playlist is not there any more.
  package init(_ reading: PreviewReading, pages: WebPages, host: String, port: Int) throws(StreamInputError) {
    (self.reading, self.host, self.port) = (reading, host, port)
    var files: PreviewFiles?
    if !StreamInput.isURL(reading.name) {
      do throws(FileInputError) {
        files = try PreviewFiles(reading.name, isPresentation: reading.situation.isPresentation)
      } catch {
        throw .file(error)
      }
    }
    responder = PreviewResponder(reading: reading, pages: pages, files: files)
  }

  /// Serves until somebody interrupts.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: what the system says where nobody can listen there.
  package func run(listening: @escaping @Sendable (Int) -> Void) async throws {
    let application = Application(
      responder: responder, configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "Cuelight"),
      onServerRunning: { channel in listening(channel.localAddress?.port ?? 0) }, logger: silentLogger())
    try await application.serve {
      while !Interruption.isRequested { try await Task.sleep(for: .milliseconds(20)) }
    }
    reading.stop()
  }
}

/// Answers the requests of the page.
struct PreviewResponder: HTTPResponder {
  typealias Context = WebContext

  let reading: PreviewReading
  let pages: WebPages
  /// The stream's files; `nil` where a web server has them.
  let files: PreviewFiles?

  /// Where the stream is on this server.
  static let folder = "/stream/"
  /// The playlist over a file. A file of a presentation never has this address: it would be outside of the folder.
  static let playlist = "/file.m3u8"
  static let events = "/events.json"

  func respond(to request: Request, context: WebContext) async throws -> Response {
    var response: Response
    do throws(Problem) {
      response = try await answer(request, context)
    } catch {
      response = error.answer.response
    }
    // No other page may look at what is not broadcast yet.
    response.headers[.crossOriginResourcePolicy] = "same-origin"
    return request.method == .head ? response.headOnly : response
  }

  private func answer(_ request: Request, _ context: WebContext) async throws(Problem) -> Response {
    let path = request.uri.path
    let call = APIRequest(request, isLocal: context.isLocal)
    if call.isLocal, let host = call.host, !APIRequest.isLocalName(host) {
      throw Problem("forbidden", .forbidden, "this machine is called localhost, not \(host.visible(.text))")
    }
    guard request.method == .get || request.method == .head else {
      throw Problem("methodNotAllowed", .methodNotAllowed, "\(path.visible(.text)) has GET, HEAD", headers: [(.allow, "GET, HEAD")])
    }
    if path == Self.events { return Answer(.ok, "application/json", Array("\(document.text)\n".utf8), headers: Self.fresh).response }
    if path == Self.playlist, let playlist = reading.situation.playlist {
      return Answer(.ok, "application/vnd.apple.mpegurl", playlist, headers: Self.fresh).response
    }
    if let files, path.hasPrefix(Self.folder) {
      // Nothing says whether a file is the one that an earlier part came from.
      let range = request.headers[.ifRange] == nil ? request.headers[.range] : nil
      return try await files.answer(String(path.dropFirst(Self.folder.count)), range: range)
    }
    let known = request.headers[.ifNoneMatch]
    guard let page = pages.answer(request.method.rawValue, path, known: known, accepted: request.headers[.acceptEncoding]) else {
      throw Problem("notFound", .notFound, "there is nothing at \(path.visible(.text))")
    }
    return page.response
  }

  private static let fresh: [(HTTPField.Name, String)] = [(.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff")]

  /// What the page asks for until it is complete: where the stream is, how far reading has come, and the events so far.
  var document: JSONObject {
    let situation = reading.situation
    var object = JSONObject()
    object.append("name", reading.name)
    object.append("stream", orNull: stream(situation))
    object.append("streamProblem", orNull: situation.playlistProblem)
    object.append("start", orNull: situation.start)
    object.append("end", orNull: situation.end)
    object.append("complete", situation.isComplete)
    object.append("percent", orNull: situation.isComplete ? 100 : reading.progress.map { Int($0 * 100) })
    object.append("problem", orNull: situation.failure.map { "\($0)" })
    object.append("damages", situation.damages)
    object.append("notes", situation.notes)
    object.append("leftOut", situation.leftOut)
    // Those of one time stay as they came.
    let events = situation.events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    object.append("events", events.map { $0.element.object })
    return object
  }

  /// Where the page finds the stream; `nil` as long as there is no playlist.
  private func stream(_ situation: PreviewReading.Situation) -> String? {
    guard situation.isPresentation else { return situation.playlist.map { _ in Self.playlist } }
    guard !StreamInput.isURL(reading.name) else { return reading.name }
    return Self.folder + PreviewFiles.address(ofPlaylist: reading.name)
  }
}
