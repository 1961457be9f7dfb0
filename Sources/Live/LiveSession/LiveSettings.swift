package import Basics
package import EventSchedule
import Files
import Foundation
package import GameEvents
package import LiveGame
package import LiveHLS
package import PacketStamping
package import Seals
package import Stamping

/// What a live session is to do.
package struct LiveSettings: Sendable {
  /// Where the stream comes from.
  package var input: LiveInput
  /// Where other renditions of the same programme come from.
  package var variants: [LiveInput] = []
  /// How long a segment waits for other renditions; `nil` for a target duration.
  package var variantPatience: Duration?
  /// Where the stream goes, besides the memory that clients load from.
  package var outputs: [LiveOutputAddress]
  /// The stream's name in addresses.
  package var name = "live"
  /// The name of the game.
  package var game: String
  /// Whether the operator has named the game; otherwise the game of the journal goes on.
  package var isGameNamed = true
  /// What the show is called, for a start that does not say it.
  package var title: String?
  /// How often events are repeated, and how large their tags may be.
  package var policy = CopyPolicy()
  /// What answers are sealed with; `nil` for a key that the journal keeps.
  package var sealKey: SealKey?
  /// Whether the right answers travel in the clear.
  package var hasOpenAnswers = false
  /// Signs each event; `nil` for no signatures.
  package var sign: EventSigner?
  /// The cues that are there from the start; `nil` for none.
  package var cues: LiveSheet?
  package var options = PacketStamper.Options()
  /// Which playlist of a presentation is read, by a name; `nil` for the variant with the highest bandwidth.
  package var rendition: String?
  /// How long segments should be.
  package var segmentType = SegmentType.transportStream
  package var segmentDuration = MediaTime(seconds: 4)
  /// How long the parts of segments are that clients of low-latency HLS load; `nil` for none.
  package var partDuration: MediaTime?
  /// Which segments the playlist lists.
  package var playlist: LivePlaylist.Kind
  /// The journal's path; `nil` for none.
  package var journal: String?
  /// How fast a file is read: 1 for its own pace, 2 for twice that.
  package var pace = 1.0
  /// Whether a file starts again at its end.
  package var loops = false
  /// The programme time at which the session ends; `nil` where it ends with the input.
  package var duration: MediaTime?
  /// Whether recordings that exist are replaced.
  package var overwrite = false

  /// Settings with the usual values for the rest.
  package init(input: LiveInput, outputs: [LiveOutputAddress], game: String, playlist: LivePlaylist.Kind) {
    (self.input, self.outputs, self.game, self.playlist) = (input, outputs, game, playlist)
  }

  /// The application name in the paths of the Wowza and OvenMediaEngine interfaces.
  package var application: String { if case .publisher(let address) = input { address.application } else { "live" } }
}

extension LiveSettings {
  /// Whether an earlier session has begun the journal.
  var continuesJournal: Bool { journal.map { JournalFile.hasContents(path: $0) } ?? false }

  /// Lets recordings go on in further files.
  ///
  /// - Parameter say: Receives what goes where.
  mutating func continueRecordings(_ say: (String) -> Void) {
    for (index, output) in outputs.enumerated() {
      let continued = output.continued { FileSink.hasName($0) }
      guard continued != output else { continue }
      say("\(output.name) is there from an earlier session; the recording goes on in \(continued.name)")
      outputs[index] = continued
    }
  }

  /// The folder whose file system has the older segments of a long playlist; `nil` for a short one, which is in memory.
  package var spoolFolder: String? {
    if case .window(let length) = playlist, length <= Self.longestInMemory { return nil }
    if let file = journal ?? outputs.lazy.compactMap(\.file).first { return PathParts(file).folder }
    // Where /tmp is in memory, /var/tmp is not.
    return ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
  }

  private static let longestInMemory = MediaTime(seconds: 60)

  /// Keeps other sessions out of the folders that this one writes to.
  func lockFolders() throws(FileSinkError) -> [FolderLock] {
    var locks: [FolderLock] = []
    for output in outputs {
      if let folder = output.folder, let lock = try FolderLock(folder) { locks.append(lock) }
    }
    return locks
  }
}
