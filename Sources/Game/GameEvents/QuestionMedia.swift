package import Basics

/// The picture and the sound that belong to a question.
public struct QuestionMedia: Equatable, Sendable {
  /// What is shown with the question.
  public var picture: Picture?
  /// What a player may listen to while the question is open.
  public var sound: Sound?

  /// A picture, a sound, both or none.
  public init(picture: Picture? = nil, sound: Sound? = nil) {
    self.picture = picture
    self.sound = sound
  }

  /// A picture.
  public struct Picture: Equatable, Sendable {
    /// Where it is.
    public var address: MediaAddress
    /// What it shows, in words for those who do not see it.
    public var text: String?
    /// Its size, with which a page leaves room for it before it is loaded.
    public var size: Size?

    /// A picture.
    public init(address: MediaAddress, text: String? = nil, size: Size? = nil) {
      self.address = address
      self.text = text
      self.size = size
    }

    /// Whether both are equal; texts are compared byte by byte.
    public static func == (left: Picture, right: Picture) -> Bool {
      left.address == right.address && left.text.hasSameBytes(as: right.text) && left.size == right.size
    }
  }

  /// The size of a picture.
  public struct Size: Equatable, Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    /// The range of both.
    public static let range = 1...16_384

    /// A size; `nil` if one of the numbers is out of range.
    public init?(width: Int, height: Int) {
      guard Self.range.contains(width), Self.range.contains(height) else { return nil }
      self.width = width
      self.height = height
    }
  }

  /// A sound.
  public struct Sound: Equatable, Sendable {
    /// Where it is.
    public var address: MediaAddress
    /// What is heard, in words for those who do not hear it.
    public var text: String?

    /// A sound.
    public init(address: MediaAddress, text: String? = nil) {
      self.address = address
      self.text = text
    }

    /// Whether both are equal; texts are compared byte by byte.
    public static func == (left: Sound, right: Sound) -> Bool {
      left.address == right.address && left.text.hasSameBytes(as: right.text)
    }
  }
}

extension QuestionMedia {
  /// A line for the picture and one for the sound, for those who see and hear neither: what it is in words, or else its address.
  package var descriptions: [String] {
    [picture.map { "Picture: \($0.text ?? $0.address.text)" }, sound.map { "Sound: \($0.text ?? $0.address.text)" }].compactMap { $0 }
  }
}

// MARK: - JSON

extension QuestionMedia {
  /// The names of the keys, in their order.
  package static let keys = ["picture", "pictureText", "pictureSize", "sound", "soundText"]

  /// Reads the keys that are there. What is not of their form stays an unknown key: streams had keys of these names before the wire format did.
  init(from fields: inout EventFields) {
    if let address = fields.text("picture", { MediaAddress($0) }) {
      picture = Picture(address: address, text: fields.text("pictureText") { $0 }, size: fields.size("pictureSize"))
    }
    if let address = fields.text("sound", { MediaAddress($0) }) { sound = Sound(address: address, text: fields.text("soundText") { $0 }) }
  }

  /// Writes the keys that there are.
  package func write(to object: inout JSONObject) {
    if let picture {
      object.append("picture", picture.address.text)
      if let text = picture.text { object.append("pictureText", text) }
      if let size = picture.size { object.append("pictureSize", [size.width, size.height]) }
    }
    if let sound {
      object.append("sound", sound.address.text)
      if let text = sound.text { object.append("soundText", text) }
    }
  }
}

extension EventFields {
  /// Reads a text, if it is one that converts.
  @inline(never) fileprivate mutating func text<Value>(_ key: String, _ convert: (String) -> Value?) -> Value? {
    guard let value = peek(key)?.string.flatMap(convert) else { return nil }
    _ = removeValue(key)
    return value
  }

  /// Reads a width and a height, if that is what there is.
  fileprivate mutating func size(_ key: String) -> QuestionMedia.Size? {
    guard let numbers = peek(key)?.array, numbers.count == 2, let width = numbers[0].int, let height = numbers[1].int,
      let size = QuestionMedia.Size(width: width, height: height)
    else { return nil }
    _ = removeValue(key)
    return size
  }
}
