package import HLSPlaylist

/// Which playlist of a presentation is read.
public enum RenditionChoice: Equatable, Sendable {
  /// The first variant.
  case first
  /// The playlist of this index in ``HLSReader/choices``.
  case index(Int)
  /// The first playlist of ``HLSReader/choices`` that has this name; if there is none, and the name is a number, the playlist with this number, from 1.
  case named(String)
  /// The first variant of those with the highest bandwidth.
  case highestBandwidth
}

/// A playlist that a multivariant playlist offers.
public struct HLSChoice: Equatable, Sendable {
  /// Its URI, as written.
  public var uri: String
  /// Its names: its URI; of a variant the size of its video, for example `1280x720`, and its NAME; of a rendition its NAME and
  /// its group.
  public var names: [String]
  /// Whether it is a variant, which carries the events. Other renditions may have none.
  public var isVariant: Bool
  /// The type of a rendition that is not a variant; `nil` for a variant.
  package var type: RenditionType?

  /// A playlist with its names.
  public init(uri: String, names: [String], isVariant: Bool = true) { (self.uri, self.names, self.isVariant) = (uri, names, isVariant) }
}

extension HLSChoice: CustomStringConvertible {
  /// Its names, for example `720p.m3u8 (1280x720)`.
  public var description: String {
    let others = names.dropFirst()
    guard let first = others.first else { return uri }
    return "\(uri) (\(others.dropFirst().reduce(first) { "\($0), \($1)" }))"
  }
}

extension HLSChoice {
  /// The variants' playlists, then those of the renditions that have one of their own; each playlist once.
  static func choices(of playlist: MultivariantPlaylist) -> [HLSChoice] {
    var choices: [HLSChoice] = []
    var indices: [[UInt8]: Int] = [:]
    func add(_ uri: String, _ names: [String?], _ type: RenditionType? = nil) {
      let key = Array(uri.utf8)
      let index = indices[key] ?? choices.count
      if index == choices.count {
        indices[key] = index
        choices.append(HLSChoice(uri: uri, names: [uri], isVariant: type == nil))
        choices[index].type = type
      }
      for case let name? in names where !choices[index].isCalled(name) { choices[index].names.append(name) }
    }
    for variant in playlist.variants { add(variant.uri, [variant.resolution?.text, variant.name]) }
    for rendition in playlist.renditions {
      if let uri = rendition.uri { add(uri, [rendition.name, rendition.groupID], rendition.type) }
    }
    return choices
  }

  /// Whether this is one of its names, byte for byte.
  func isCalled(_ name: String) -> Bool { names.contains { $0.utf8.elementsEqual(name.utf8) } }
}

extension RenditionChoice {
  /// The chosen one of the choices that a playlist offers; `nil` if it does not exist.
  func choose(from choices: [HLSChoice], of playlist: MultivariantPlaylist) -> HLSChoice? {
    switch self {
    case .first: choices.first
    case .index(let index): choices.indices.contains(index) ? choices[index] : nil
    case .named(let name):
      choices.first { $0.isCalled(name) } ?? Int(name).flatMap { $0 >= 1 && $0 <= choices.count ? choices[$0 - 1] : nil }
    case .highestBandwidth:
      playlist.variants.map { $0.bandwidth }.max().flatMap { highest in
        playlist.variants.first { $0.bandwidth == highest }.flatMap { variant in choices.first { $0.isCalled(variant.uri) } }
      }
    }
  }
}
