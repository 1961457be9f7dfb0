import DASHReading
import HLSPlaylist
import HLSReading
import HTTPClient

/// What the readings of several renditions of one presentation have in common: the playlist that lists the renditions, or an MPD that does not change,
/// is loaded once, and the playlist of the next rendition is requested while the last segments of one arrive.
///
/// Only presentations on web servers make use of it. A class, because it goes from one reading to the next with libcurl's handle; one thread uses it.
package final class PresentationLoads {
  /// A playlist that lists renditions.
  struct Top {
    var uri: URIReference
    /// Where it was found.
    var base: URIReference
    var bytes: [UInt8]
    var byteLimit: UInt64
  }

  private var requests: RequestsAhead?
  private(set) var top: Top?
  /// An MPD, and where it was found.
  private(set) var manifest: (reading: ManifestReading, base: URIReference)?

  /// Nothing is loaded yet.
  package init() {}

  /// The requests of all readings.
  func requests(access: WebAccess, isInterrupted: @escaping @Sendable () -> Bool) -> RequestsAhead {
    let all = requests ?? RequestsAhead(access: access, isInterrupted: isInterrupted)
    requests = all
    return all
  }

  /// Keeps the first playlist for the next reading, if it lists renditions.
  func keep(_ top: Top, _ loader: HLSLoader) { if !loader.choices.isEmpty { self.top = top } }

  /// Keeps an MPD for the next reading, if it does not change.
  func keep(_ manifest: ManifestReading, from base: URIReference) {
    if !manifest.manifest.isDynamic { self.manifest = (manifest, base) }
  }

  /// The playlist of the rendition that is read after this one; `nil` if there is none, and while the present one may grow.
  func next(after loader: HLSLoader) -> HLSReader.Resource? {
    guard let top, loader.playlist?.isFinal == true, let choice = loader.choice, let index = loader.choices.firstIndex(of: choice),
      index + 1 < loader.choices.count
    else { return nil }
    return HLSReader.Resource(
      kind: .playlist, uri: URIReference(loader.choices[index + 1].uri).resolve(base: top.base), byteLimit: top.byteLimit)
  }
}
