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

/// The settings of a live session.
package struct LiveSettings: Sendable {
  /// The input.
  package var input: LiveInput
  /// The input that takes over when the first one is silent; `nil` for none.
  package var backup: LiveInput?
  /// The inputs of further renditions of the programme.
  package var variants: [LiveInput] = []
  /// How long a segment waits for other renditions; `nil` for a target duration.
  package var variantPatience: Duration?
  /// The outputs besides the memory that clients load from.
  package var outputs: [LiveOutputAddress]
  /// The stream's name in addresses.
  package var name = "live"
  /// The name of the game.
  package var game: String
  /// Whether the operator has named the game. Otherwise that of the journal continues.
  package var isGameNamed = true
  /// The show's title, for a start that does not have one.
  package var title: String?
  /// How often events are repeated, and how large their tags may be.
  package var policy = CopyPolicy()
  /// The key that seals answers; `nil` for a key in the journal.
  package var sealKey: SealKey?
  /// Whether right answers are not sealed.
  package var hasOpenAnswers = false
  /// Signs each event; `nil` for no signatures.
  package var sign: EventSigner?
  /// What happens to questions whose time meets an ad break.
  package var breaks = BreakPolicy.pass
  /// The cues for the start; `nil` for none.
  package var cues: LiveSheet?
  package var options = PacketStamper.Options()
  /// The name of the playlist to read of a presentation; `nil` for the variant with the highest bandwidth.
  package var rendition: String?
  /// How long segments should be.
  package var segmentType = SegmentType.transportStream
  package var segmentDuration = MediaTime(seconds: 4)
  /// The duration of parts of low-latency HLS; `nil` for none.
  package var partDuration: MediaTime?
  /// Whether media playlists have each event as a date range, too.
  package var hasDateRanges = false
  /// Whether pages may report which events they have shown.
  package var hasReach = false
  /// Which segments the playlist lists.
  package var playlist: LivePlaylist.Kind
  /// The journal's path; `nil` for none.
  package var journal: String?
  /// The speed at which a file is read; 1 for its own.
  package var pace = 1.0
  /// Whether a file starts again at its end.
  package var loops = false
  /// The programme time at which the session ends; `nil` if it ends with the input.
  package var duration: MediaTime?
  /// What authenticates pushes to origins, and where buckets are.
  package var pushCredentials = PushCredentials()
  package var pushStorage = PushStorage(environment: [:])
  /// Whether pushes to an ingest have a track with the events, besides the messages in the main track.
  package var hasEventTrack = false
  /// Whether recordings that exist are replaced.
  package var overwrite = false
  /// Whether a session that fails is begun again, so that its playlists do not end.
  package var beginsAgain = false

  /// Settings with the usual values for the rest.
  package init(input: LiveInput, outputs: [LiveOutputAddress], game: String, playlist: LivePlaylist.Kind) {
    (self.input, self.outputs, self.game, self.playlist) = (input, outputs, game, playlist)
  }

  /// The application name in the paths of the Wowza and OvenMediaEngine interfaces.
  package var application: String { if case .publisher(let address) = input { address.application } else { "live" } }
}

extension LiveSettings {
  /// Whether the arrivals of access units tell the time, whichever input feeds the session.
  var tellTime: Bool { input.tellsTime && backup?.tellsTime ?? true }

  /// All inputs, the first one first.
  var inputs: [LiveInput] { [input, backup].compactMap(\.self) + variants }

  /// Whether an earlier session has begun the journal.
  var continuesJournal: Bool { journal.map { JournalFile.hasContents(path: $0) } ?? false }

  /// Whether clients see one presentation if a session with these settings continues one with others: the files have the same names and forms, and are
  /// kept in the same places.
  func hasSamePresentation(as other: LiveSettings) -> Bool {
    segmentType == other.segmentType && (partDuration == nil) == (other.partDuration == nil) && variants.count == other.variants.count
      && hasDateRanges == other.hasDateRanges && playlist == other.playlist && presentationFolder == other.presentationFolder
      && spoolFolder == other.spoolFolder
  }

  /// The folder that the presentation is written to as well; `nil` for memory alone.
  var presentationFolder: String? { outputs.lazy.compactMap(\.folder).first }

  /// Continues recordings in further files.
  ///
  /// - Parameter say: Receives messages for the operator.
  mutating func continueRecordings(_ say: (String) -> Void) {
    for (index, output) in outputs.enumerated() {
      let continued = output.continued { FileSink.hasName($0) }
      guard continued != output else { continue }
      say("\(output.name) exists from an earlier session; the recording continues in \(continued.name)")
      outputs[index] = continued
    }
  }

  /// A folder on the file system for the older segments of a long playlist; `nil` for a short one, which is in memory.
  package var spoolFolder: String? {
    if case .window(let length) = playlist, length <= Self.longestInMemory { return nil }
    if let file = journal ?? outputs.lazy.compactMap(\.file).first { return PathParts(file).folder }
    // /tmp may be in memory, /var/tmp is not.
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
