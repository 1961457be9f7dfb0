import CommandSupport
import HLSPlaylist
import HLSReading
import HTTPClient
import StreamDoctor
import StreamInput
import Terminal

/// Which resources of an input on a web server are asked for once more, as a page of another origin would: every playlist, and of each the first
/// segment with its initialization segment.
struct DeliveryQuestions {
  private var resources: [(url: String, kind: HLSReader.Resource.Kind?)]
  private var playlist: URIReference?
  /// What is still to come of the current playlist.
  private var wanted: Set<HLSReader.Resource.Kind> = []

  /// More resources than this are not asked for.
  private static let most = 64

  /// Of a stream at a URL there is nothing else to ask for.
  init(input: String) { resources = StreamInput.isURL(input) ? [(input, nil)] : [] }

  /// Looks at the next portion of the input.
  mutating func receive(_ portion: HLSPortion) {
    switch portion {
    case .playlist(_, let uri):
      guard StreamInput.isURL(uri) else { return }
      // The input is a playlist, whatever its URL looks like.
      resources.removeAll { $0.kind == nil }
      let isNew = !resources.contains { $0.url == uri }
      playlist = URIReference(uri)
      wanted = isNew ? [.initializationSegment, .segment] : wanted
      if isNew { add(uri, .playlist) }
    case .begin(let part):
      guard let playlist, wanted.remove(part.kind) != nil else { return }
      add(URIReference(part.source.uri).resolve(base: playlist).text, part.kind)
    case .bytes, .segments, .next, .discontinuity, .end, .lost, .notice, .finished: break
    }
  }

  private mutating func add(_ url: String, _ kind: HLSReader.Resource.Kind?) {
    if resources.count < Self.most { resources.append((url, kind)) }
  }

  /// Asks, and returns what the servers have answered. What cannot be loaded now was named when it was read.
  func ask() throws(CommandFailure) -> [Delivery] {
    var deliveries: [Delivery] = []
    for (url, kind) in resources {
      let request = WebRequest(url: url, fields: [WebRequest.Field("Origin", Delivery.origin)])
      do throws(NetworkInputError) {
        let answer = try WebAnswer(headTo: request, limits: NetworkLimits(), isInterrupted: { Interruption.isRequested })
        guard (200..<300).contains(answer.status) else { continue }
        deliveries.append(
          Delivery(url: url, kind: kind, contentType: answer["content-type"], allowedOrigin: answer["access-control-allow-origin"]))
      } catch {
        if error.reason == .interrupted { throw .interruption }
      }
    }
    return deliveries
  }
}
