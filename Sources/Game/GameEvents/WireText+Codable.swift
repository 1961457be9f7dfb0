// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)
  extension WireText where Self: Encodable {
    /// Encodes the text alone.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  extension GUID: Codable {
    /// Decodes a text.
    ///
    /// - Throws: `DecodingError` if it does not have 1 to ``largestLength`` bytes.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard let guid = GUID(try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "a GUID has 1 to \(GUID.largestLength) bytes")
      }
      self = guid
    }
  }

  extension GameID: Codable {
    /// Decodes a text.
    public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }
  }

  extension EventType: Codable {
    /// Decodes a text.
    public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }
  }

  extension AnswerText: Codable {
    /// Encodes the text alone.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }

    /// Decodes a text.
    ///
    /// - Throws: `DecodingError` if it does not have 1 to ``largestLength`` visible characters.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard let text = AnswerText(try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "an answer has 1 to \(Self.largestLength) characters")
      }
      self = text
    }
  }
#endif
