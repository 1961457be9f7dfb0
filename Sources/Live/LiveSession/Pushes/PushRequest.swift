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
  /// The latest initialization segments, one for each name.
  private var initializations: [SegmentFile] = []

  /// How many initialization segments are kept: those of some renditions and their audio, and of what they followed.
  private static let mostInitializations = 64

  init(_ address: PushAddress) { self.address = address }

  /// The requests for a change, in their order: segments and parts before the playlists that list them.
  ///
  /// - Parameters:
  ///   - lost: The names of files that the origin does not have.
  ///   - isAfterFailure: Whether the origin has failed since the change before. It may have lost what it had, as one that takes the place of another has;
  ///     then nothing could be played without the initialization segments, which are sent once.
  mutating func requests(for update: SegmentStore.Update, without lost: Set<String>, isAfterFailure: Bool = false) -> [PushRequest] {
    let isAmazon = address.form == .bucket
    let again = keep(update).map { request($0) }
    var requests =
      (isAfterFailure ? again : []) + update.parts.map { request($0, isChunked: !isAmazon) } + update.segments.map { request($0) }
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

  /// Keeps the initialization segments of a change; returns those of earlier ones that are still listed.
  private mutating func keep(_ update: SegmentStore.Update) -> [SegmentFile] {
    let new = update.segments.filter { SegmentFile.isInitialization($0.name) }
    let replaced = Set(update.removable + new.map(\.name))
    let old = initializations.filter { !replaced.contains($0.name) }
    initializations = Array((old + new).suffix(Self.mostInitializations))
    return old
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
