import Basics
public import GameEvents
import ID3
import TransportStream

/// A change to the tags of a stream.
public enum TagEdit: Equatable, Sendable {
  /// Removes the events of a game, or of all games (`nil`).
  case strip(GameID?)
  /// Restores tags that lack their first five bytes: see `ID3Tag.restored`.
  case repair
}

/// The result of editing tags.
package struct EditedTags: Equatable, Sendable {
  /// The bytes that replace all tags; `nil` if nothing changes.
  package var bytes: [UInt8]?
  /// The copies of events that were removed.
  package var copies: [EventCopy] = []
  /// The number of removed events that cannot be used.
  package var unusable = 0
  /// The number of restored tags.
  package var repaired = 0
  /// Whether there is a whole tag that stays.
  package var hasTag = false
  /// Whether there is anything besides the removed events.
  package var hasOthers = false
  /// Whether the last tag needs more bytes.
  package var isIncomplete = false
  /// Whether the tags are in SEI messages of the video.
  var isInVideo = false

  /// Whether something was removed.
  package var hasOwn: Bool { !copies.isEmpty || unusable > 0 }
}

/// Edits whole tags.
package struct TagEditor: Sendable {
  private let edit: TagEdit
  private var parser = CopyParser()

  package init(_ edit: TagEdit) { self.edit = edit }

  /// Edits the tags at the start of a payload, one after another.
  package mutating func edit(payload bytes: [UInt8]) -> EditedTags {
    var result = EditedTags()
    var output: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let rest = bytes.span.extracting(position...)
      if let size = ID3Tag.encodedLength(rest), size <= TimedMetadataAssembler.largestTag {
        guard size <= rest.count else {
          result.isIncomplete = true
          break
        }
        output += edit(Array(bytes[position..<position + size]), &result)
        position += size
      } else if position == 0, let whole = ID3Tag.restored(rest) {
        position = whole.count - ID3Tag.cutLength
        output += edit(cut: whole, missing: ID3Tag.cutLength, &result)
      } else if position == 0, let whole = ID3Tag.restoredHeader(rest) {
        position = bytes.count
        output += edit(cut: whole, missing: whole.count - bytes.count, &result)
      } else if TimedMetadataAssembler.startsCell(rest), let tag = Self.cellTag(rest) {
        // The header of a metadata_AU_cell is removed with its tag, or by a repair.
        position += TimedMetadataAssembler.cellHeaderLength + tag.count
        let edited = edit(tag, &result)
        if edit == .repair {
          result.repaired += 1
        } else if !edited.isEmpty {
          output += [UInt8](copying: rest.extracting(..<TimedMetadataAssembler.cellHeaderLength))
        }
        output += edited
      } else {
        break
      }
    }
    let rest = bytes[position...]
    let isStuffing = rest.allSatisfy { $0 == 0 || $0 == 0xFF }
    if !isStuffing { result.hasOthers = true }
    if !isStuffing, edit == .repair, !result.isIncomplete { result.unusable += 1 }
    // Stuffing is removed together with the tags before it.
    if !isStuffing || position == 0 || !output.isEmpty { output += rest }
    if output != bytes { result.bytes = output }
    return result
  }

  /// The whole tag that follows the header of a metadata_AU_cell; `nil` if there is none.
  private static func cellTag(_ bytes: Span<UInt8>) -> [UInt8]? {
    let rest = bytes.extracting(TimedMetadataAssembler.cellHeaderLength...)
    guard let size = ID3Tag.encodedLength(rest), size <= rest.count else { return nil }
    return [UInt8](copying: rest.extracting(..<size))
  }

  /// Returns an edited tag that lacks its first bytes.
  private mutating func edit(cut whole: [UInt8], missing count: Int, _ result: inout EditedTags) -> [UInt8] {
    if edit == .repair {
      result.repaired += 1
      return whole
    }
    let edited = edit(whole, &result)
    // Stripping does not restore tags.
    return edited == whole ? Array(whole[count...]) : edited
  }

  private mutating func edit(_ bytes: [UInt8], _ result: inout EditedTags) -> [UInt8] {
    guard case .strip(let game) = edit, let tag = try? ID3Tag.decode(bytes.span) else {
      (result.hasOthers, result.hasTag) = (true, true)
      return bytes
    }
    var removed: [Int] = []
    // A frame that cannot be read may be anybody's.
    for (index, frame) in tag.frames.enumerated() where !frame.isUnreadable {
      switch parser.copies(in: ID3Tag(frames: [frame])).first {
      case .success(let copy) where game == nil || copy.event.gameID == game:
        result.copies.append(copy)
        removed.append(index)
      case .failure where game == nil:
        result.unusable += 1
        removed.append(index)
      case .success, .failure, nil: break
      }
    }
    if removed.count == tag.frames.count, !removed.isEmpty { return [] }
    result.hasOthers = true
    guard !removed.isEmpty else { return bytes }
    if let cut = try? ID3Tag.removing(removed, from: bytes.span) { return cut }
    var others = tag
    for index in removed.reversed() { others.frames.remove(at: index) }
    // Frames that ID3v2.4 cannot hold are removed with the event of their tag.
    return (try? others.encode()) ?? []
  }
}
