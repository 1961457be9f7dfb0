import Basics
import GameEvents
import ID3
import Sheets

/// Reads the ID3 tag in a file that a cue sheet names.
///
/// - Returns: The bytes of the file.
/// - Throws: ``TagFileError`` if it cannot be read.
public typealias TagFileReader = @Sendable (String) throws(TagFileError) -> [UInt8]

/// Why the file of a tag cannot be read.
public struct TagFileError: Error, Equatable, Sendable {
  /// The reason: one line without a full stop.
  public var message: String

  /// An error with its reason.
  public init(_ message: String) { self.message = message }

  /// Stands in for all files: for work on the text of a cue sheet, which needs no tags.
  public static let unread: TagFileReader = { (_) throws(TagFileError) in
    // A tag with the frame TIT2 and the text "T".
    [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 12, 0x54, 0x49, 0x54, 0x32, 0, 0, 0, 2, 0, 0, 3, 0x54]
  }

  /// Reads no files: for a cue sheet that lies in no folder.
  public static let nowhere: TagFileReader = { (path) throws(TagFileError) in
    throw TagFileError("\(path) cannot be read here; write frames: instead of tag:")
  }
}

/// A cue of an ID3 tag that is no event of the game, as it was written.
struct ID3Cue: Sendable {
  /// The frames of the tag; `nil` if a file has the tag.
  var frames: [ID3Frame]?
  /// The name of the file, and its place.
  var file: Placed<String>?
  /// The number of copies in a burst.
  var copies: Int?
  /// How long the tag is refreshed.
  var currentFor: MediaTime?

  /// The largest number of copies in a burst.
  static let mostCopies = 16

  /// Reads the keys of a cue; `nil` if there is no tag, which has been reported.
  static func read(_ fields: inout SheetFields) -> ID3Cue? {
    var cue = ID3Cue()
    let problemCount = fields.problems.count
    if let node = fields.take("frames") { cue.frames = frames(node, &fields.problems) }
    if let node = fields.take("tag"), let name = node.text("tag", &fields.problems) { cue.file = Placed(name, at: node.place) }
    cue.copies = fields.integer("copies", in: 1...mostCopies)
    cue.currentFor = fields.duration("currentFor")
    guard fields.problems.count == problemCount else { return nil }
    guard (cue.frames == nil) != (cue.file == nil) else {
      fields.problems.report(
        at: fields.place,
        cue.file == nil
          ? "this id3 cue has no tag; write frames: { TIT2: A title } or tag: file.id3"
          : "this id3 cue has \"frames\" and \"tag\"; write one of them")
      return nil
    }
    return cue
  }

  /// The frames of a mapping, or of a list of mappings, so that a frame can occur more than once.
  private static func frames(_ node: SheetNode, _ problems: inout [SheetProblem]) -> [ID3Frame]? {
    let members: [SheetMember]
    switch node {
    case .mapping(let mapping, _): members = mapping
    case .list(let elements, _):
      members = elements.flatMap { element -> [SheetMember] in
        if case .mapping(let mapping, _) = element { return mapping }
        problems.report(at: element.place, "a frame is \(element.kind) here; write a mapping such as { TIT2: A title }")
        return []
      }
    case .scalar: return problems.refuse(at: node.place, "\"frames\" is a single value; write a mapping such as { TIT2: A title }")
    }
    guard !members.isEmpty else { return problems.refuse(at: node.place, "\"frames\" is empty; write a frame such as { TIT2: A title }") }
    guard members.count <= ID3Tag.mostFrames else {
      return problems.refuse(at: node.place, "there are \(members.count) frames, above the limit of \(ID3Tag.mostFrames); write fewer")
    }
    let frames = members.compactMap { frame($0, &problems) }
    return frames.count == members.count ? frames : nil
  }

  private static func frame(_ member: SheetMember, _ problems: inout [SheetProblem]) -> ID3Frame? {
    let (id, node) = (member.key, member.value)
    if id == "TXXX" {
      guard var fields = node.fields("this TXXX frame", &problems, else: "\"TXXX\" is \(node.kind); write { description: …, value: … }")
      else {
        return nil
      }
      let description = fields.text("description", isRequired: true)
      let value = fields.text("value", isRequired: true)
      fields.refuseRest()
      problems += fields.problems
      guard let description, let value else { return nil }
      return .userText(description: description, value: value)
    }
    if id == "PRIV" { return privateFrame(node, &problems) }
    let isText = id.utf8.count == 4 && id.utf8.first == UInt8(ascii: "T")
    guard isText, id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }) else {
      return problems.refuse(
        at: member.keyPlace,
        "\(id.quoted) is no frame that can be written here; write text frames such as TIT2, TXXX or PRIV, or name a file with tag:")
    }
    if case .list = node {
      guard let values = node.list(id, &problems, { node, problems in node.text(id, &problems) }) else { return nil }
      return .text(id: id, values: values)
    }
    return node.text(id, &problems).map { .text(id: id, values: [$0]) }
  }

  private static func privateFrame(_ node: SheetNode, _ problems: inout [SheetProblem]) -> ID3Frame? {
    guard var fields = node.fields("this PRIV frame", &problems, else: "\"PRIV\" is \(node.kind); write { owner: …, data: … }") else {
      return nil
    }
    let owner = fields.text("owner", isRequired: true)
    let text = fields.text("data")
    var data = text.map { Array($0.utf8) }
    if let base64 = fields.take("base64"), let digits = base64.text("base64", &fields.problems) {
      data = Base64.decode(Array(digits.utf8))
      if text != nil {
        fields.problems.report(at: base64.place, "this PRIV frame has \"data\" and \"base64\"; write one of them")
      } else if data == nil {
        fields.problems.report(at: base64.place, "\"base64\" is \(digits.quoted), which is not base64")
      }
    } else if text == nil {
      fields.problems.report(at: fields.place, "this PRIV frame has no content; write data: or base64:")
    }
    fields.refuseRest()
    let isFine = fields.problems.isEmpty
    problems += fields.problems
    guard isFine, let owner, let data else { return nil }
    return .privateData(owner: owner, data: data)
  }

  /// The bytes of the tag.
  func bytes(_ readTag: TagFileReader, at place: SheetPlace, _ problems: inout [SheetProblem]) -> [UInt8]? {
    if let file { return Self.bytes(of: file.value, readTag, at: file.place, &problems) }
    do throws(ParseError) {
      return try ID3Tag(frames: frames ?? []).encode()
    } catch {
      return problems.refuse(at: place, "the tag cannot be written: \(error.reason)")
    }
  }

  /// The bytes of the tag in a file.
  static func bytes(of file: String, _ readTag: TagFileReader, at place: SheetPlace, _ problems: inout [SheetProblem]) -> [UInt8]? {
    let bytes: [UInt8]
    do throws(TagFileError) { bytes = try readTag(file) } catch { return problems.refuse(at: place, error.message) }
    do throws(ParseError) {
      _ = try ID3Tag.decode(bytes)
    } catch {
      return problems.refuse(at: place, "\(file) is not one whole ID3 tag: \(error)")
    }
    return bytes
  }
}
