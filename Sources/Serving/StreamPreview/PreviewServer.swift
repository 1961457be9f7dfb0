import Basics
import Files
import HTTPTypes
import Hummingbird
package import StreamInput
import Terminal
package import WebPages
package import WebShell
import WebSupport

/// Serves the page that shows a producer a stream with the game over it, the stream's events, and the stream itself.
package struct PreviewServer: Sendable {
  private let reading: PreviewReading
  private let responder: PreviewResponder

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - reading: The reading of a stream that was recognised (see ``PreviewReading/recognise()``).
  ///   - pages: The page and its files.
  /// - Throws: `StreamInputError` if the folder of a playlist no longer exists.
  package init(_ reading: PreviewReading, pages: WebPages) throws(StreamInputError) {
    self.reading = reading
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

  /// Serves until the user interrupts.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: The system's error if it cannot listen there.
  package func run(_ settings: WebShell.Settings, listening: @escaping @Sendable (Int) -> Void) async throws {
    try await WebShell(settings).serve(responder) {
      listening($0)
    } until: {
      await Interruption.wait()
    }
    reading.stop()
  }
}

/// Answers the requests of the page.
struct PreviewResponder: WebSite {
  let reading: PreviewReading
  let pages: WebPages
  /// The stream's files; `nil` if a web server serves them.
  let files: PreviewFiles?

  /// The folder of the stream on this server.
  static let folder = "/stream/"
  /// The playlist over a file. No file of a presentation has this address, which is outside of the folder.
  static let playlist = "/file.m3u8"
  static let events = "/events.json"

  var openAPI: JSONObject? { nil }
  var metrics: String? { nil }

  func checkReadiness() throws(Problem) {}

  func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess { .none }

  func respond(to request: Request, from caller: Caller) async -> Response {
    var response: Response
    do throws(Problem) {
      response = try await answer(request, caller)
    } catch {
      response = error.answer.response
    }
    // No other page may read a stream that is not broadcast yet.
    response.headers[.crossOriginResourcePolicy] = "same-origin"
    return response
  }

  private func answer(_ request: Request, _ caller: Caller) async throws(Problem) -> Response {
    let path = request.uri.path
    // A foreign host name may have been pointed to this machine, for a page in a browser.
    if IPAddress.isLoopback(caller.address), let host = request.host, !APIRequest.isLocalName(host) {
      throw Problem("forbidden", .forbidden, "this machine is called localhost, not \(host.visible(.text))")
    }
    guard request.method == .get || request.method == .head else {
      throw .otherMethods(["GET", "HEAD"], path)
    }
    if path == Self.events { return Answer(.ok, "application/json", Array("\(document.text)\n".utf8), headers: Self.fresh).response }
    if path == Self.playlist, let playlist = reading.situation.playlist {
      return Answer(.ok, "application/vnd.apple.mpegurl", playlist, headers: Self.fresh).response
    }
    if let files, path.hasPrefix(Self.folder) {
      return try await files.answer(String(path.dropFirst(Self.folder.count)), range: request.range)
    }
    let known = request.headers[.ifNoneMatch]
    guard let page = pages.answer(request.method.rawValue, path, known: known, accepted: request.headers[.acceptEncoding]) else {
      throw .nothing(at: path)
    }
    return page.response
  }

  private static let fresh: [(HTTPField.Name, String)] = [(.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff")]

  /// The state that the page requests until it is complete: the address of the stream, the progress of reading, and the events so far.
  var document: JSONObject {
    let situation = reading.situation
    // Events with the same time stay in their order of arrival.
    let events = situation.events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    return JSONObject(fields: [
      "name": reading.name, "stream": stream(situation), "streamProblem": situation.playlistProblem, "start": situation.start,
      "end": situation.end, "complete": situation.isComplete,
      "percent": situation.isComplete ? 100 : reading.progress.map { Int($0 * 100) }, "problem": situation.failure.map { "\($0)" },
      "damages": situation.damages, "notes": situation.notes, "leftOut": situation.leftOut, "events": events.map { $0.element.object },
    ])
  }

  /// The address of the stream for the page; `nil` as long as there is no playlist.
  private func stream(_ situation: PreviewReading.Situation) -> String? {
    guard situation.isPresentation else { return situation.playlist.map { _ in Self.playlist } }
    guard !StreamInput.isURL(reading.name) else { return reading.name }
    return Self.folder + PreviewFiles.address(ofPlaylist: reading.name)
  }
}
