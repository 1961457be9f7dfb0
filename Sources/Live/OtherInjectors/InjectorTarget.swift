import Basics
import GameEvents
import HLSPlaylist

/// An injector of another maker, which puts events into a stream that is encoded elsewhere.
package struct InjectorTarget: Equatable, Sendable {
  /// Which system it is.
  package enum System: String, CaseIterable, Sendable {
    case ivs
    case mediaLive = "medialive"
    case antMedia = "antmedia"
    case ovenMediaEngine = "ome"
    case wowza

    /// Whether requests are signed with Amazon's keys.
    package var isAmazon: Bool { self == .ivs || self == .mediaLive }

    /// How an address looks, for messages.
    fileprivate var example: String {
      switch self {
      case .ivs: "ivs:arn:aws:ivs:REGION:ACCOUNT:channel/NAME"
      case .mediaLive: "medialive:arn:aws:medialive:REGION:ACCOUNT:channel:NUMBER[?groups=hls|cmaf|both]"
      case .antMedia: "antmedia:https://HOST:5443/APPLICATION/STREAM"
      case .ovenMediaEngine: "ome:http://HOST:8081/VHOST/APPLICATION/STREAM"
      case .wowza: "wowza:http://HOST:8087/APPLICATION[/INSTANCE]/STREAM"
      }
    }
  }

  /// The kinds of MediaLive's output groups that receive events.
  package enum Groups: String, CaseIterable, Sendable {
    /// HLS and MediaPackage.
    case hls
    /// CMAF Ingest.
    case cmaf
    case both

    /// The settings of a schedule action for each kind, and the end of the action's name. An action has one setting.
    var settings: [(name: String, suffix: String)] {
      switch self {
      case .hls: [("hlsTimedMetadataSettings", "")]
      case .cmaf: [("timedMetadataSettings", "")]
      case .both: [("hlsTimedMetadataSettings", ""), ("timedMetadataSettings", "-cmaf")]
      }
    }
  }

  package let system: System
  /// The output groups of a MediaLive channel that receive events.
  let groups: Groups
  /// The address without the system's name.
  package let address: String
  /// The scheme, the host and the port; empty if they follow from the region.
  let server: String
  /// The varying parts of the path, decoded.
  let parts: [String]
  /// The region of an Amazon service; otherwise empty.
  package let region: String

  /// Why a text names no injector, in words.
  package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// An injector as users name it, such as `wowza:http://127.0.0.1:8087/live/show`.
  package init(_ text: String) throws(Mistake) {
    let colon = text.firstIndex(of: ":") ?? text.endIndex
    guard let system = System(rawValue: String(text[..<colon])), colon < text.endIndex else {
      throw Mistake(description: "an injector is one of \(System.allCases.map(\.example).joined(separator: ", "))")
    }
    (self.system, address) = (system, String(text[text.index(after: colon)...]))
    if system.isAmazon {
      let name = address.prefix { $0 != "?" }
      guard let (region, channel) = Self.channel(String(name), system), let groups = Self.groups(address.dropFirst(name.count), system)
      else {
        throw Self.mistake(system)
      }
      (self.region, server, parts, self.groups) = (region, "", [channel], groups)
      return
    }
    groups = .hls
    let url = URIReference(address)
    guard ["http", "https"].contains(url.scheme?.lowercased()), let authority = url.authority, !authority.isEmpty else {
      throw Self.mistake(system)
    }
    guard !authority.utf8.contains(UInt8(ascii: "@")), url.query == nil, url.fragment == nil else {
      throw Mistake(description: "an injector's address has no user, ? and #; a token comes from a file or the environment")
    }
    var names: [String] = []
    for part in url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      guard let name = part.removingPercentEncoding, !name.isEmpty else { throw Self.mistake(system) }
      names.append(name)
    }
    let counts =
      switch system {
      case .antMedia: 2...2
      case .ovenMediaEngine: 3...3
      default: 2...3
      }
    guard counts.contains(names.count) else { throw Self.mistake(system) }
    (region, server, parts) = ("", "\(url.scheme?.lowercased() ?? "")://\(authority)", names)
  }

  /// Reads the query of a channel's address: none, or `?groups=` of MediaLive; `nil` for any other.
  private static func groups(_ query: Substring, _ system: System) -> Groups? {
    if query.isEmpty { return .hls }
    guard system == .mediaLive, query.hasPrefix("?groups=") else { return nil }
    return Groups(rawValue: String(query.dropFirst("?groups=".count)))
  }

  private static func mistake(_ system: System) -> Mistake { Mistake(description: "the injector is named as \(system.example)") }

  /// The region of an Amazon resource name, and what a request calls the channel.
  private static func channel(_ name: String, _ system: System) -> (region: String, channel: String)? {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    let (count, prefix) = system == .ivs ? (6, "channel/") : (7, "channel")
    guard parts.count == count, parts[0] == "arn", parts[1].hasPrefix("aws"), parts[2] == system.rawValue, parts[5].hasPrefix(prefix),
      !parts[3].isEmpty, parts[3].utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
    else { return nil }
    let channel = system == .ivs ? parts[5].dropFirst(prefix.count) : parts[6]
    guard !channel.isEmpty, channel.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }) else { return nil }
    return (String(parts[3]), system == .ivs ? name : String(channel))
  }

  /// The injector as users name it.
  package var text: String { "\(system.rawValue):\(address)" }

  /// The maximum number of requests in a second.
  package var requestsPerSecond: Int {
    switch system {
    // "At most 5 requests per second per channel are allowed, each with a maximum 1 KB payload."
    case .ivs: 5
    // The quota is for all channels of an account.
    case .mediaLive: 2
    case .antMedia, .ovenMediaEngine, .wowza: 20
    }
  }

  /// The maximum number of bytes of a copy's text; `nil` without such a limit.
  package var largestText: Int? { system == .ivs ? TagLimit.ivs : nil }

  /// The largest tag in bytes of an event that is sent to it.
  package var largestTagSize: Int { largestText ?? TagLimit.standard }

  /// Whether the copies in the stream keep their checksums. Without them, they do not give the programme time.
  package var keepsChecksums: Bool { system != .wowza }
}
