public import TransportStream

/// One of a stream's programs, as the tables describe it.
public struct ProgramSummary: Equatable, Sendable {
  /// The program's number.
  public var number: UInt16
  /// The types of its streams, in the order of its PMT; `nil` if there was no PMT.
  public var streams: [StreamType]?

  /// A program of these streams.
  public init(number: UInt16, streams: [StreamType]?) {
    self.number = number
    self.streams = streams
  }

  /// A program as its PMT describes it.
  init(number: UInt16, pmt: ProgramMapTable?) {
    self.init(number: number, streams: pmt.map { $0.streams.map { $0.type } })
  }
}

extension ProgramSummary: CustomStringConvertible {
  /// The number and the streams, in words.
  public var description: String {
    guard let streams else { return "\(number) (no program map)" }
    return "\(number) (\(streams.isEmpty ? "empty" : streams.map { $0.name }.joined(separator: ", ")))"
  }
}
