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
    let payload = ID3Payload(bytes.span, largestTag: TimedMetadataAssembler.largestTag)
    var result = EditedTags()
    result.isIncomplete = payload.cutLength != nil
    var output: [UInt8] = []
    var position = 0
    for part in payload.tags {
      // Filling between tags belongs to the tag before it.
      if !output.isEmpty { output += bytes[position..<part.range.lowerBound] }
      position = part.range.upperBound
      guard part.missingCount == 0 else {
        output += edit(cut: part.bytes, missing: part.missingCount, &result)
        continue
      }
      // The header of a metadata_AU_cell is removed with its tag, or by a repair.
      let edited = edit(part.bytes, &result)
      if edit == .repair {
        if part.cellHeaderCount > 0 { result.repaired += 1 }
      } else if !edited.isEmpty {
        output += bytes[part.range.lowerBound..<part.range.lowerBound + part.cellHeaderCount]
      }
      output += edited
    }
    let rest = bytes[payload.rest]
    if !payload.isStuffed { result.hasOthers = true }
    if !payload.isStuffed, edit == .repair, !result.isIncomplete { result.unusable += 1 }
    // Stuffing is removed together with the tags before it.
    if !payload.isStuffed || payload.tags.isEmpty || !output.isEmpty { output += bytes[position..<payload.rest.lowerBound] + rest }
    if output != bytes { result.bytes = output }
    return result
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
