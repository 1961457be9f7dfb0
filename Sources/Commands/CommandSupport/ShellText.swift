extension String {
  /// The text, quoted so that a shell reads it as one word.
  package var shellWord: String {
    let plain = utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "-_./,+@%".utf8.contains(byte)
    }
    return plain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}
