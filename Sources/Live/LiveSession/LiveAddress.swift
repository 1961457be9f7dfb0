import Files
import LibAV

/// The address of a live stream's input.
package enum LiveInput: Equatable, Sendable {
  /// A transport stream on standard input.
  case standardInput
  /// A file, which is read at its own pace.
  case file(String)
  /// A transport stream by UDP, RTP or SRT, as a URL.
  case network(String)
  /// A stream that encoders publish by RTMP to this server.
  case publisher(PublishAddress)
  /// An HLS presentation: the path or the URL of a playlist.
  case playlist(String)

  /// The input that an argument names; `nil` for an unknown scheme.
  package init?(_ text: String) {
    switch text.addressScheme {
    case "udp", "srt": self = .network(text)
    case "rtp":
      guard DatagramAddress(text) != nil else { return nil }
      self = .network(text)
    case "rtmp":
      guard let address = PublishAddress(text) else { return nil }
      self = .publisher(address)
    case "http", "https": self = .playlist(text)
    case nil where text == "-": self = .standardInput
    case nil: self = text.lowercased().hasSuffix(".m3u8") ? .playlist(text) : .file(text)
    default: return nil
    }
  }

  /// The path of a file that must exist; `nil` for another input.
  var path: String? {
    switch self {
    case .file(let path): path
    case .playlist(let name): name.addressScheme == nil ? name : nil
    case .standardInput, .network, .publisher: nil
    }
  }

  /// Whether its sender does not wait, so that the arrivals of access units tell the time.
  var tellsTime: Bool {
    switch self {
    case .network, .publisher, .standardInput: true
    case .file, .playlist: false
    }
  }

  /// The input's name in messages.
  package var name: String {
    switch self {
    case .standardInput: "standard input"
    case .file(let path): path
    case .network(let address), .playlist(let address): address.withoutSecrets
    case .publisher(let address): address.text
    }
  }
}

/// The address of a live stream's output.
package enum LiveOutputAddress: Equatable, Sendable {
  /// A transport stream on standard output.
  case standardOutput
  /// A transport stream in a file that grows.
  case recording(String)
  /// A live presentation in a folder: the path of its multivariant playlist.
  case presentation(String)
  /// A transport stream by UDP or SRT, as a URL.
  case network(String)
  /// A live presentation that is pushed to an origin.
  case origin(PushAddress)

  /// The output that an argument names; `nil` for an unknown scheme or ending.
  package init?(_ text: String) {
    switch text.addressScheme {
    case "udp", "srt": self = .network(text)
    case .some:
      guard let address = PushAddress(text) else { return nil }
      self = .origin(address)
    case nil where text == "-": self = .standardOutput
    case nil where text.hasSuffix(".m3u8"): self = .presentation(text)
    case nil where text.lowercased().hasSuffix(".ts"): self = .recording(text)
    default: return nil
    }
  }

  /// The folder of a presentation; `nil` for another output.
  var folder: String? {
    if case .presentation(let path) = self { PathParts(path).folder } else { nil }
  }

  /// A path on the file system that it writes to; `nil` for another output.
  var file: String? {
    switch self {
    case .recording(let path), .presentation(let path): path
    case .standardOutput, .network, .origin: nil
    }
  }

  /// The output of a session that continues another one: a recording continues in a further file, FILE.2.ts, FILE.3.ts and so on, and the earlier files
  /// stay.
  func continued(exists: (String) -> Bool) -> LiveOutputAddress {
    guard case .recording(let path) = self, exists(path) else { return self }
    // The ending is `.ts`, in small or capital letters.
    let (stem, ending) = (path.dropLast(3), path.suffix(3))
    var number = 2
    while exists("\(stem).\(number)\(ending)") { number += 1 }
    return .recording("\(stem).\(number)\(ending)")
  }

  /// Checks that the output can be made. A presentation's missing folder is made.
  func requirePlace(overwrite: Bool) throws(FileSinkError) {
    switch self {
    case .recording(let path): try FileSink.requirePlace(for: path, overwrite: overwrite)
    case .presentation(let path):
      try NewFolder.make(PathParts(path).folder)
      try FileSink.requirePlace(for: path, overwrite: true)
    case .standardOutput, .network, .origin: break
    }
  }

  /// The output's name in messages.
  package var name: String {
    switch self {
    case .standardOutput: "standard output"
    case .recording(let path), .presentation(let path): path
    case .network(let address): address.withoutSecrets
    case .origin(let address): address.name
    }
  }

  /// The origin that it is pushed to; `nil` for another output.
  package var origin: PushAddress? { if case .origin(let address) = self { address } else { nil } }
}

extension String {
  /// The scheme of a URL, in small letters; `nil` for a path.
  fileprivate var addressScheme: String? {
    guard let colon = firstIndex(of: ":"), self[colon...].hasPrefix("://") else { return nil }
    return self[..<colon].lowercased()
  }
}
