import CommandSupport
import HLSPlaylist
import HLSReading
import HTTPClient
import StreamDoctor
import StreamInput
import Terminal

/// The resources of an input on a web server that are requested again, as a page of another origin would: every playlist, and the first segment of
/// each with its initialization segment.
struct DeliveryQuestions {
  private var resources: [(url: String, kind: HLSReader.Resource.Kind?, isSubtitles: Bool)]
  /// The addresses of the playlists so far, and the current one.
  private var playlists: Set<String> = []
  private var playlist: URIReference?
  /// The kinds of resources still wanted of the current playlist.
  private var wanted: Set<HLSReader.Resource.Kind> = []

  /// The maximum number of requested resources.
  private static let most = 64

  private let access: WebAccess

  /// A plain stream at a URL has only one resource.
  init(of source: StreamSource) {
    resources = StreamInput.isURL(source.path) ? [(source.path, nil, false)] : []
    access = source.access
  }

  /// Examines the next portion of the input.
  mutating func receive(_ portion: HLSPortion) {
    switch portion {
    case .playlist(_, let uri):
      guard StreamInput.isURL(uri) else { return }
      // The input is a playlist, regardless of its URL.
      resources.removeAll { $0.kind == nil }
      playlist = URIReference(uri)
      if playlists.insert(uri).inserted { wanted = [.initializationSegment, .segment] }
      // The representations of an MPD differ in the fragment alone, which is not sent to servers.
      let url = String(uri.prefix { $0 != "#" })
      if !resources.contains(where: { $0.url == url }) { add(url, .playlist) }
    case .begin(let part):
      guard let playlist, wanted.remove(part.kind) != nil else { return }
      add(URIReference(part.source.uri).resolve(base: playlist).text, part.kind, isSubtitles: part.isSubtitles)
    case .bytes, .segments, .next, .discontinuity, .end, .lost, .notice, .finished: break
    }
  }

  private mutating func add(_ url: String, _ kind: HLSReader.Resource.Kind?, isSubtitles: Bool = false) {
    if resources.count < Self.most { resources.append((url, kind, isSubtitles)) }
  }

  /// Requests the resources, and returns the answers of the servers. Resources that cannot be loaded were reported when the input was read.
  func ask() throws(CommandFailure) -> [Delivery] {
    var deliveries: [Delivery] = []
    let requests = RequestsAhead(access: access, fields: [WebRequest.Field("Origin", Delivery.origin)]) { Interruption.isRequested }
    for (index, resource) in resources.enumerated() {
      for next in resources[index...].prefix(Self.atOnce) { requests.request(url: next.url, byteRange: nil, limits: Self.limits) }
      do throws(NetworkInputError) {
        let answer = try requests.input(url: resource.url, byteRange: nil, limits: Self.limits)
        let (type, origin) = (answer["content-type"], answer["access-control-allow-origin"])
        deliveries.append(
          Delivery(url: resource.url, kind: resource.kind, contentType: type, allowedOrigin: origin, isSubtitles: resource.isSubtitles))
      } catch {
        if error.reason == .interrupted { throw .interruption }
      }
    }
    return deliveries
  }

  /// Only the heads of the answers are wanted, however large the resources are.
  private static let limits = NetworkLimits(bytes: .max)
  /// How many resources are requested at the same time.
  private static let atOnce = 12
}
