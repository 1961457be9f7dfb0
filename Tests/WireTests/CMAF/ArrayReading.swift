import Basics
import CMAF

// The readers take borrowed bytes; tests have arrays, also ones that nothing else holds.

extension BoxHeader {
  init(_ bytes: [UInt8], baseOffset: Int = 0) throws(ParseError) { try self.init(bytes.span, baseOffset: baseOffset) }

  static func length(startingWith bytes: [UInt8]) -> Int { length(startingWith: bytes.span) }
}

extension FileTypeBox {
  init(_ bytes: [UInt8]) throws(ParseError) { try self.init(bytes.span) }
}

extension EventMessageBox {
  init(_ bytes: [UInt8], baseOffset: Int = 0) throws(ParseError) { try self.init(bytes.span, baseOffset: baseOffset) }
}

extension MovieHeader {
  init(_ bytes: [UInt8]) throws(ParseError) { try self.init(bytes.span) }
}

extension Fragment {
  init(_ bytes: [UInt8], movie: MovieHeader?) throws(ParseError) { try self.init(bytes.span, movie: movie) }
}

extension SegmentIndexBox {
  init(_ bytes: [UInt8]) throws(ParseError) { try self.init(bytes.span) }
}

extension FragmentReader {
  mutating func push(_ chunk: [UInt8]) -> [FragmentItem] { push(chunk.span) }
}

extension AACConfiguration {
  init(audioSpecificConfig: [UInt8]) throws(ParseError) { try self.init(audioSpecificConfig: audioSpecificConfig.span) }

  init(adtsHeader: [UInt8]) throws(ParseError) { try self.init(adtsHeader: adtsHeader.span) }
}
