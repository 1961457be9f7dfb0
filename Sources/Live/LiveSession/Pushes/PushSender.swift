import Basics
import HLSPlaylist
import HTTPClient
import LibC
import OtherInjectors

/// Sends requests to one origin, and remembers what it has. It belongs to the origin's thread.
struct PushSender: ~Copyable {
  private let address: PushAddress
  private let credentials: PushCredentials
  private let storage: PushStorage
  private let isInterrupted: @Sendable () -> Bool
  /// The connections: of an ingest, one for each track, by the URL; otherwise one.
  private var connections: [String: WebConnection] = [:]
  /// The playlists that the origin has.
  private var playlists: [String: [UInt8]] = [:]
  /// The headers of tracks that the origin has, by their URLs.
  private var headers: [String: [UInt8]] = [:]
  /// How long a request may take.
  var patience = Duration.seconds(10)

  init(
    _ address: PushAddress, _ credentials: PushCredentials, _ storage: PushStorage, isInterrupted: @escaping @Sendable () -> Bool
  ) {
    (self.address, self.credentials, self.storage, self.isInterrupted) = (address, credentials, storage, isInterrupted)
  }

  /// Sends a request, after the header of its track if the origin does not have that.
  mutating func send(_ request: PushRequest) throws(PushFailure) {
    if let name = request.playlist, playlists[name] == request.body { return }
    do throws(PushFailure) {
      try sendHeader(of: request)
      do throws(PushFailure) { try exchange(request) } catch {
        // The origin has no header, or another one.
        guard case .status(412, _) = error, request.header != nil else { throw error }
        headers[request.url] = nil
        try sendHeader(of: request)
        try exchange(request)
      }
    } catch {
      headers[request.url] = nil
      playlists = [:]
      throw error
    }
    if let name = request.playlist { playlists[name] = request.body }
  }

  private mutating func sendHeader(of request: PushRequest) throws(PushFailure) {
    guard let header = request.header, headers[request.url] != header else { return }
    var first = request
    (first.body, first.isChunked) = (header, false)
    try exchange(first)
    headers[request.url] = header
  }

  private mutating func exchange(_ request: PushRequest) throws(PushFailure) {
    var limits = NetworkLimits(bytes: 1 << 20, time: patience, silence: patience, connecting: min(patience, .seconds(5)), redirects: 3)
    limits.headTime = patience
    let url = address.form == .bucket ? storage.url(of: request.url) : request.url
    var sent = WebRequest(request.method, url: url, body: request.body)
    if !request.contentType.isEmpty { sent.fields.append(.init("Content-Type", request.contentType)) }
    if request.isChunked { sent.fields.append(.init("Transfer-Encoding", "chunked")) }
    if address.form == .ingest { sent.fields.append(.init("DASH-IF-Ingest", "1.1")) }
    if address.form == .bucket, let keys = credentials.keys {
      sent = AWSSignature(credentials: keys, region: storage.region, service: "s3").sign(sent, at: WallClock.now)
      // A signature is for one URL.
      limits.redirects = 0
    } else {
      sent.access = credentials.access(for: url)
    }
    let place = address.form == .ingest ? request.url : ""
    let connection = connections[place] ?? WebConnection()
    connections[place] = connection
    let answer: WebAnswer
    do throws(NetworkInputError) {
      answer = try WebAnswer(to: sent, over: connection, limits: limits, isInterrupted: isInterrupted)
    } catch {
      connections[place] = nil
      throw .network(error.reason)
    }
    guard (200..<300).contains(answer.status) else { throw .status(answer.status, name: Self.errorName(answer.body)) }
  }

  /// The name of an error in an answer of S3, for example `NoSuchBucket`; `nil` for none. Other parts of the answer may repeat secrets.
  private static func errorName(_ body: [UInt8]) -> String? {
    let text = String(decoding: body.prefix(2_048), as: UTF8.self)
    guard let start = text.firstRange(of: "<Code>") else { return nil }
    let name = text[start.upperBound...].prefix { $0.isASCII && $0.isLetter }
    return name.isEmpty || name.count > 64 ? nil : String(name)
  }
}
