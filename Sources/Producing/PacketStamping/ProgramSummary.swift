public import TransportStream

/// What a stream's tables say of one of its programs.
public struct ProgramSummary: Equatable, Sendable {
  /// The program's number.
  public var number: UInt16
  /// The types of its streams, in the order of its map; `nil` where no map came.
  public var streams: [StreamType]?

  /// A program of these streams.
  public init(number: UInt16, streams: [StreamType]?) {
    self.number = number
    self.streams = streams
  }

  /// What a map says.
  init(number: UInt16, map: ProgramMapTable?) {
    self.init(number: number, streams: map.map { $0.streams.map { $0.type } })
  }
}

extension ProgramSummary: CustomStringConvertible {
  /// The number and the streams, in words.
  public var description: String {
    guard let streams else { return "\(number) (no program map)" }
    return "\(number) (\(streams.isEmpty ? "empty" : streams.map { $0.name }.joined(separator: ", ")))"
  }
}
