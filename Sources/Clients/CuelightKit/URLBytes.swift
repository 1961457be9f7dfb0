import Foundation
import HLSPlaylist
import HLSReading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A failure to load, as the reader of presentations takes it.
struct HLSLoadFailureError: Error {
  var failure: HLSLoadFailure
}

/// The bytes at a URL in chunks: of a file, or of a web server.
struct URLBytes: AsyncSequence {
  let url: URL
  let range: ByteRange?

  init(_ url: URL, range: ByteRange? = nil) { (self.url, self.range) = (url, range) }

  func makeAsyncIterator() -> Iterator { Iterator(url, range) }

  struct Iterator: AsyncIteratorProtocol {
    private let url: URL
    private let range: ByteRange?
    private var file: FileHandle?
    private var left = UInt64.max
    private var open: OpenDownload?

    private static let chunkLength: UInt64 = 65_536

    init(_ url: URL, _ range: ByteRange?) { (self.url, self.range) = (url, range) }

    /// Where the bytes were found, redirects followed; known after the first chunk.
    var foundAt: URL? { open?.download.foundAt }

    mutating func next() async throws -> [UInt8]? {
      if url.isFileURL { return try nextOfFile() }
      if open == nil { open = OpenDownload(Download(url, range)) }
      return try await open?.download.next()
    }

    private mutating func nextOfFile() throws -> [UInt8]? {
      do {
        if file == nil {
          file = try FileHandle(forReadingFrom: url)
          if let range {
            try file?.seek(toOffset: range.offset)
            left = range.length
          }
        }
        guard left > 0, let data = try file?.read(upToCount: Int(Swift.min(left, Self.chunkLength))), !data.isEmpty else { return nil }
        left -= UInt64(data.count)
        return [UInt8](data)
      } catch {
        throw HLSLoadFailureError(failure: HLSLoadFailure(.missing, error.localizedDescription))
      }
    }
  }
}

/// Ends a download when nobody takes its bytes any more: a session keeps its delegate.
private final class OpenDownload: Sendable {
  let download: Download

  init(_ download: Download) { self.download = download }

  deinit { download.stop() }
}

/// A request to a web server, whose body is taken in chunks. The session pauses while too many bytes wait.
private final class Download: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// How many bytes may wait.
  private static let mostWaiting = 4 << 20

  private let lock = NSLock()
  private var session: URLSession?
  private var task: URLSessionDataTask?
  private var chunks: [[UInt8]] = []
  private var waiting = 0
  private var isPaused = false
  private var ending: Result<Void, HLSLoadFailureError>?
  private var response: URL?
  private var taker: CheckedContinuation<Void, Never>?

  init(_ url: URL, _ range: ByteRange?) {
    super.init()
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
    if let range { request.setValue("bytes=\(range.offset)-\(range.end - 1)", forHTTPHeaderField: "Range") }
    let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    self.session = session
    task = session.dataTask(with: request)
    task?.resume()
  }

  var foundAt: URL? { lock.withLock { response } }

  /// The next chunk; `nil` at the end.
  func next() async throws -> [UInt8]? {
    while true {
      try Task.checkCancellation()
      switch lock.withLock({ take() }) {
      case .chunk(let chunk): return chunk
      case .end(let result):
        try result.get()
        return nil
      case .nothing: await wait()
      }
    }
  }

  private enum Taken {
    case chunk([UInt8])
    case end(Result<Void, HLSLoadFailureError>)
    case nothing
  }

  private func take() -> Taken {
    guard !chunks.isEmpty else { return ending.map { .end($0) } ?? .nothing }
    let chunk = chunks.removeFirst()
    waiting -= chunk.count
    if isPaused, waiting < Self.mostWaiting / 2 {
      isPaused = false
      task?.resume()
    }
    return .chunk(chunk)
  }

  /// Waits until something has come, or the task is cancelled.
  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = lock.withLock {
          if !chunks.isEmpty || ending != nil || Task.isCancelled { return true }
          taker = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      stop()
      wake()
    }
  }

  private func wake() {
    lock.withLock {
      defer { taker = nil }
      return taker
    }?.resume()
  }

  /// Ends the request.
  func stop() {
    lock.withLock {
      defer { session = nil }
      return session
    }?.invalidateAndCancel()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 200
    lock.withLock { self.response = response.url }
    guard (200..<300).contains(status) else {
      let kind: HLSLoadFailure.Kind = status == 404 || status == 410 ? .missing : (400..<500).contains(status) ? .refused : .temporary
      end(.failure(HLSLoadFailureError(failure: HLSLoadFailure(kind, "HTTP status \(status)"))))
      return completionHandler(.cancel)
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock {
      chunks.append([UInt8](data))
      waiting += data.count
      if waiting > Self.mostWaiting, !isPaused {
        isPaused = true
        dataTask.suspend()
      }
    }
    wake()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    end(error.map { .failure(HLSLoadFailureError(failure: HLSLoadFailure(.temporary, $0.localizedDescription))) } ?? .success(()))
  }

  private func end(_ result: Result<Void, HLSLoadFailureError>) {
    lock.withLock { if ending == nil { ending = result } }
    stop()
    wake()
  }
}
