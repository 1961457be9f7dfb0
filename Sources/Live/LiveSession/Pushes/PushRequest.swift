import Basics
import HLSPlaylist
import HTTPClient
import LiveHLS

/// What is to be sent to an origin.
struct PushRequest: Equatable, Sendable {
  var method = WebRequest.Method.put
  var url: String
  var contentType = ""
  var body: [UInt8] = []
  /// Whether the content goes out in chunks.
  var isChunked = false
  /// Of an ingest, what has to be sent once on a new connection before it: the header of the track.
  var header: [UInt8]?
  /// The name of a playlist, which need not be sent again if it is the same as before; `nil` for other files.
  var playlist: String?
}

/// Makes requests of the changes of a presentation, for an origin that takes files.
struct PushFiles: Sendable {
  private let address: PushAddress

  init(_ address: PushAddress) { self.address = address }

  /// The requests for a change, in their order: segments and parts before the playlists that list them.
  ///
  /// - Parameter lost: The names of files that the origin does not have.
  func requests(for update: SegmentStore.Update, without lost: Set<String>) -> [PushRequest] {
    let isAmazon = address.form == .bucket
    var requests = update.parts.map { request($0, isChunked: !isAmazon) } + update.segments.map { request($0) }
    var playlists = update.playlists
    for reloaded in update.reloaded {
      if let index = playlists.firstIndex(where: { $0.name.hasSameBytes(as: reloaded.name) }) {
        playlists[index].bytes = reloaded.bytes
      } else {
        playlists.append(SegmentFile(name: reloaded.name, bytes: reloaded.bytes))
      }
    }
    for playlist in playlists {
      let isMedia = playlist.name != LivePlaylist.multivariantName && playlist.name != LivePlaylist.descriptionName
      var request = request(playlist)
      if isMedia { request.body = PushedPlaylist.bytes(of: playlist.bytes, without: lost) }
      request.playlist = playlist.name
      requests.append(request)
    }
    return requests
  }

  /// The request that removes a file.
  func removal(of name: String) -> PushRequest { PushRequest(method: .delete, url: url(of: name)) }

  private func request(_ file: SegmentFile, isChunked: Bool = false) -> PushRequest {
    PushRequest(url: url(of: file.name), contentType: SegmentStore.contentType(file.name), body: file.bytes, isChunked: isChunked)
  }

  /// The playlist or MPD that the address names has its name there.
  private func url(of name: String) -> String {
    let named = address.isDescription ? LivePlaylist.descriptionName : LivePlaylist.multivariantName
    return address.url(of: name == named ? address.fileName : name.percentEncodedPart)
  }
}
