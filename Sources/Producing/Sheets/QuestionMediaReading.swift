import Basics
package import GameEvents

// The picture and the sound of a question, as sheets, quiz files and tables write them.

/// The picture and the sound of a question as they were written, with their places. The same rules check those of all formats.
package struct MediaDraft: Sendable {
  /// The addresses and the words.
  package var picture, pictureText, sound, soundText: Placed<String>?
  /// The width and the height, as one text such as `640x480`.
  package var pictureSize: Placed<String>?

  /// A draft without picture and sound.
  package init() {}

  /// The maximum number of bytes of words.
  package static let largestText = 200

  /// Returns what has no mistakes; mistakes are reported.
  package func checked(_ problems: inout [SheetProblem]) -> QuestionMedia {
    var media = QuestionMedia()
    let pictureWords = Self.words(pictureText, "pictureText", of: "picture", isThere: picture != nil, &problems)
    let size = checkedSize(&problems)
    if let picture, let address = Self.address(picture, "picture", &problems) {
      media.picture = QuestionMedia.Picture(address: address, text: pictureWords, size: size)
    }
    let soundWords = Self.words(soundText, "soundText", of: "sound", isThere: sound != nil, &problems)
    if let sound, let address = Self.address(sound, "sound", &problems) {
      media.sound = QuestionMedia.Sound(address: address, text: soundWords)
    }
    return media
  }

  private static func address(_ text: Placed<String>, _ key: String, _ problems: inout [SheetProblem]) -> MediaAddress? {
    if let address = MediaAddress(text.value) { return address }
    let count = text.value.utf8.count
    return problems.refuse(
      at: text.place,
      count > MediaAddress.largestSize
        ? "the address of the \(key) has \(count) bytes, above the limit of \(MediaAddress.largestSize); shorten it"
        : "\(key.quoted) is \(text.value.quoted), which is no address; write one that begins with https://, or a file such as pictures/map.png"
    )
  }

  private static func words(
    _ text: Placed<String>?, _ key: String, of owner: String, isThere: Bool, _ problems: inout [SheetProblem]
  ) -> String? {
    guard let text else { return nil }
    guard isThere else {
      return problems.refuse(at: text.place, "\(key.quoted) is the text of a \(owner), and there is none; add \(owner):")
    }
    if let fault = HiddenCharacters.faults(of: text.value).first { return problems.refuse(at: text.place, "\(key.quoted) \(fault)") }
    let count = text.value.utf8.count
    guard count <= largestText else {
      return problems.refuse(at: text.place, "\(key.quoted) has \(count) bytes, above the limit of \(largestText); shorten it")
    }
    return text.value
  }

  private func checkedSize(_ problems: inout [SheetProblem]) -> QuestionMedia.Size? {
    guard let pictureSize else { return nil }
    guard picture != nil else {
      return problems.refuse(at: pictureSize.place, "\"pictureSize\" is the size of a picture, and there is none; add picture:")
    }
    // As 640x480, 640 × 480, or 640, 480.
    let parts = pictureSize.value.split { "xX×*,; ".contains($0) }
    if parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), let size = QuestionMedia.Size(width: width, height: height)
    {
      return size
    }
    return problems.refuse(
      at: pictureSize.place,
      "\"pictureSize\" is \(pictureSize.value.quoted); write the width and the height in pixels, such as 640x480, up to \(QuestionMedia.Size.range.upperBound)"
    )
  }
}

extension SheetFields {
  /// The picture and the sound of a question as they are written.
  package mutating func mediaDraft() -> MediaDraft {
    var draft = MediaDraft()
    draft.picture = placedText("picture")
    draft.pictureText = placedText("pictureText")
    draft.pictureSize = pictureSize()
    draft.sound = placedText("sound")
    draft.soundText = placedText("soundText")
    return draft
  }

  private mutating func placedText(_ key: String) -> Placed<String>? {
    guard let node = take(key) else { return nil }
    return node.text(key, &problems).map { Placed($0, at: node.place) }
  }

  /// The size, as one text or as a list of two numbers.
  private mutating func pictureSize() -> Placed<String>? {
    let key = "pictureSize"
    guard let node = take(key) else { return nil }
    guard case .list(let elements, let place) = node else { return node.text(key, &problems).map { Placed($0, at: node.place) } }
    return Placed(elements.compactMap { $0.text(key, &problems) }.joined(separator: ", "), at: place)
  }
}

extension QuestionMedia {
  /// What the writer should know who wants everybody to follow: what a picture or a sound lacks.
  ///
  /// - Parameter knowsSizes: Whether the size of a picture with a relative address will be read from its file.
  package func advice(knowsSizes: Bool) -> [String] {
    var advice: [String] = []
    if let picture, picture.text == nil {
      advice.append("the picture has no alternative text; add pictureText: with what it shows, for those who do not see it")
    }
    if let picture, picture.size == nil, !(knowsSizes && picture.address.isRelative) {
      advice.append("the picture has no size; add pictureSize: such as 640x480, so that nothing moves when it is loaded")
    }
    if let sound, sound.text == nil {
      advice.append("the sound has no description; add soundText: with what is heard, for those who do not hear it")
    }
    return advice
  }
}
