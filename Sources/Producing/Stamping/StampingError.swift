public import Basics
public import EventReading
import EventSchedule
public import Files
public import GameEvents
public import HLSPlaylist
public import LibAV
public import PacketStamping

/// Why no stamped file was made.
public indirect enum StampingError: Error, Equatable, Sendable {
  /// The input could not be read.
  case input(FileInputError)
  /// The input was changed while it was read.
  case inputChanged(path: String)
  /// The tags of so many events cannot be read in what was written.
  case unreadable(events: Int)
  /// So many packets of timed ID3 hold no tag, and none that could be restored.
  case notRepairable(packets: Int)
  /// So many tags that were made whole cannot be read in what was written.
  case unreadableTags(Int)
  /// The input is empty.
  case emptyInput
  /// Standard input carries something other than a transport stream.
  case notATransportStreamOnStandardInput
  /// A choice about the packets of a transport stream was made for an input that is not a transport stream.
  case notATransportStream(path: String, TransportStreamChoice)
  /// HLS cannot be made from standard input, which can be read once only, and not by libavformat.
  case presentationFromStandardInput
  /// A fragmented MP4 file cannot be made from standard input, which can be read once only.
  case fileFromStandardInput
  /// The input must be read twice, and is no file.
  case notRepeatable
  /// A file that would be written is the input, by this name.
  case outputIsInput(path: String)
  /// libavformat could not read the input, or could not copy it into a transport stream.
  case remuxing(path: String, RemuxError)
  /// Events could not be put into the transport stream.
  case packets(PacketStampingError)
  /// An event does not fit into an event message.
  case event(EventError)
  /// Tags should go into SEI messages too, but the codec of the track that carries the events has none.
  case samplesWithoutMessages(codec: String?)
  /// libavformat wrote boxes that are not valid.
  case box(ParseError)
  /// The output could not be written.
  case output(FileSinkError)
  /// The first segment would have to start at this time, but no video frame with which decoding can start is there.
  case noRandomAccess(at: MediaTime)
  /// Renditions cannot have the same segment boundaries: this input has no closed key frame at the time of one in the first input.
  case noCommonKeyFrame(input: String, at: MediaTime, of: String)
  /// The error of one of several inputs.
  case rendition(input: String, StampingError)
  /// A playlist could not be written.
  case playlist(PlaylistError)
  /// A playlist has more bytes than readers accept.
  case playlistTooLarge(name: String, bytes: Int)
  /// The programme ends, at this time, before the last events.
  case eventsAfterTheEnd(of: MediaTime)
  /// The input has events of a game, the first one at this byte, which a copy by libavformat would lose.
  case carriesEvents(GameID, offset: Int)
  /// Inputs of this container cannot be edited this way.
  case notEditable(Container)
  /// An MP4 file that is to be edited has no fragments.
  case plainMP4
  /// Events cannot be removed from the video of a fragment, because of the box at this byte.
  case fragment(FragmentFault, offset: Int)
  /// A presentation to be edited is not completely in one folder, or is encrypted.
  case presentation(path: String, PresentationFault)
  /// A segment could not be encrypted.
  case notEncrypted
  /// The user has interrupted.
  case interrupted
}

/// Why the samples of a fragment of MP4 cannot be edited.
public enum FragmentFault: Equatable, Sendable {
  /// The `mdat` is cut off.
  case cutOff
  /// The `mdat` does not state its size.
  case withoutSize
  /// The `mdat`, or what precedes it, has more bytes than are held.
  case tooLarge
  /// A box of this type is between the `moof` and its `mdat`.
  case separated(by: String)
  /// Several `moof` share the `mdat`, or it is not the only one of its `moof`.
  case notAlone

  fileprivate var reason: String {
    switch self {
    case .cutOff: "mdat is cut off"
    case .withoutSize: "mdat states no size"
    case .tooLarge: "there is more of a fragment than can be held"
    case .separated(let type): "\(type) lies between moof and mdat"
    case .notAlone: "mdat is not the only one of its moof, or belongs to several"
    }
  }
}

/// Why a presentation cannot be edited.
public enum PresentationFault: Equatable, Sendable {
  /// The file is not a playlist.
  case notAPlaylist
  /// It names a file that is elsewhere.
  case outside(uri: String)
  /// A segment is encrypted.
  case encrypted(uri: String)
  /// A file exceeds the size limit of playlists.
  case tooLarge
  /// Restored tags would move bytes in a file of which a playlist names parts.
  case partsWouldMove
  /// It is a partial segment of a transport stream, and events from SEI messages go into whole segments only.
  case partialSegment

  fileprivate var reason: String {
    switch self {
    case .notAPlaylist: "it is no playlist that can be read"
    case .outside(let uri): "it names \(uri), which does not lie in the playlist's folder: save the whole presentation in one folder first"
    case .encrypted(let uri): "\(uri) is encrypted, and nothing can be changed in it: edit before encrypting"
    case .partsWouldMove:
      "it names parts of files by their bytes, and these would move: write the presentation with a file for each segment first"
    case .partialSegment:
      "it is a partial segment, and events from SEI messages go into whole segments: name the segments in a playlist without EXT-X-PART first"
    case .tooLarge: "it has more than \(PlaylistLimits.presentationBytes) bytes"
    }
  }
}

/// An option that is only valid for a transport stream.
public enum TransportStreamChoice: Equatable, Sendable {
  /// The program that the events belong to.
  case program
  /// Keeping the rate.
  case constantRate
  /// Remuxing instead of keeping packets.
  case remux

  fileprivate var reason: String {
    switch self {
    case .program: "so there is no program to choose"
    case .constantRate: "so there is no constant rate to keep"
    case .remux: "and is muxed anew in any case"
    }
  }
}

extension StampingError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .input(let error): "\(error)"
    case .inputChanged(let path): "\(path): was changed while it was read: wait until it is written, and try again"
    case .unreadable(let count): "nothing was written: \(count) of the events could not be read in the stamped stream"
    case .notRepairable(let count):
      "nothing was written: \(count) packets of timed ID3 start with no tag, and not with the rest of one that could be made whole"
    case .unreadableTags(let count): "nothing was written: \(count) of the tags could not be read after they were made whole"
    case .emptyInput: "the input is empty"
    case .notATransportStreamOnStandardInput: "standard input is no transport stream; other formats are read from files only"
    case .notATransportStream(let path, let choice): "\(path): is no transport stream, \(choice.reason)"
    case .presentationFromStandardInput: "HLS is made from files only: save standard input to a file first"
    case .fileFromStandardInput: "fragmented MP4 is made from a file only: save standard input to a file first"
    case .notRepeatable: "the stream is read twice, which only a file allows: save it to a file first"
    case .outputIsInput(let path): "\(path): would be replaced by a file of the output; choose another name or folder for the output"
    case .remuxing(let path, let error): "\(path): \(error)"
    case .packets(let error): "\(error)"
    case .output(let error): "\(error)"
    case .noRandomAccess(let time):
      "at \(time.clockText), where the first segment would start, there is no key frame at which decoding can start"
    case .event(let error): "\(error)"
    case .samplesWithoutMessages(let codec):
      "SEI messages belong to H.264 and HEVC video, and the events travel in a track of \(codec ?? "another coding")"
    case .box(let error): "the boxes of fragmented MP4 cannot be made: \(error)"
    case .noCommonKeyFrame(let input, let time, let first):
      "\(input) has no closed key frame at \(time.clockText), where \(first) has one: encode all renditions with the same key frames"
    case .rendition(let input, let error): "\(input): \(error)"
    case .playlist(let error): "the playlist cannot be written: \(error)"
    case .playlistTooLarge(let name, let bytes):
      "\(name) would have \(bytes) bytes, and readers accept \(PlaylistLimits.presentationBytes): let segments be longer, "
        + "or leave date ranges out"
    case .eventsAfterTheEnd(let end): "the programme ends at \(end.clockText), before the last events"
    case .carriesEvents(let game, let offset): "at byte \(offset) it carries an event of the game \(game) already"
    case .notEditable(.packedAudio): "packed audio cannot be edited"
    case .notEditable: "tags can be made whole in transport streams and in HLS presentations"
    case .plainMP4: "\(ReadingError.plainMP4)"
    case .fragment(let fault, let offset): "at byte \(offset) \(fault.reason), and events cannot be taken out of its pictures"
    case .presentation(let path, let fault): "\(path): \(fault.reason)"
    case .notEncrypted: "a segment cannot be encrypted"
    case .interrupted: "interrupted"
    }
  }
}

// These convert the errors of other modules. They take autoclosures, because the compiler infers their error type.

func reading<Value: ~Copyable>(_ body: @autoclosure () throws(FileInputError) -> Value) throws(StampingError) -> Value {
  do throws(FileInputError) { return try body() } catch { throw error == .interrupted ? .interrupted : .input(error) }
}

func remuxing<Value: ~Copyable>(_ path: String, _ body: @autoclosure () throws(RemuxError) -> Value) throws(StampingError) -> Value {
  do throws(RemuxError) { return try body() } catch { throw error == .interrupted ? .interrupted : .remuxing(path: path, error) }
}

func stamping<Value>(_ body: @autoclosure () throws(PacketStampingError) -> Value) throws(StampingError) -> Value {
  do throws(PacketStampingError) { return try body() } catch { throw .packets(error) }
}

func writing<Value: ~Copyable>(_ body: @autoclosure () throws(FileSinkError) -> Value) throws(StampingError) -> Value {
  do throws(FileSinkError) { return try body() } catch { throw .output(error) }
}

extension FileInput {
  /// Passes all bytes to `body`, first those of the beginning, which were read already.
  mutating func forEachPiece(
    after beginning: [UInt8], _ progress: (WorkProgress) -> Void, _ body: (Span<UInt8>) throws(StampingError) -> Void
  ) throws(StampingError) {
    try body(beginning.span)
    var byteCount = beginning.count
    progress(WorkProgress(bytes: byteCount, of: size))
    while try reading(fill()) {
      try body(bytes)
      byteCount += bytes.count
      progress(WorkProgress(bytes: byteCount, of: size))
    }
    guard !hasChanged else { throw .inputChanged(path: name) }
  }
}

extension FileSink {
  /// Writes now, so that the reader of a pipe does not wait.
  mutating func passOn() throws(StampingError) {
    release()
    try writing(check())
  }

  /// Gives the file its name.
  consuming func complete() throws(StampingError) {
    do throws(FileSinkError) { try commit() } catch { throw .output(error) }
  }
}

/// Opens a file of one program, or of a format without programs, through libavformat.
///
/// - Parameter details: What is needed to know of its streams.
func openMedia(
  _ path: String, details: MediaInput.StreamDetails = .all, _ isInterrupted: @escaping @Sendable () -> Bool
) throws(RemuxError) -> MediaInput {
  let media = try MediaInput(path: path, details: details, isInterrupted: isInterrupted)
  let programs = media.programs
  guard programs.count <= 1 else { throw .severalPrograms(programs) }
  return media
}

extension EventSchedule {
  /// Requires that the programme lasts longer than the last event's time.
  ///
  /// - Throws: `StampingError.eventsAfterTheEnd` if it does not, or if an event was not placed.
  func requireWithin(_ end: MediaTime, pending left: ArraySlice<PlannedEvent>) throws(StampingError) {
    // Tags of the input may be after the end of its pictures.
    let last = pending.last { !$0.isOfInput }
    guard left.allSatisfy(\.isOfInput), last.map({ $0.time < end }) ?? true else { throw .eventsAfterTheEnd(of: end) }
  }
}
