/// A message of RTMP (RTMP 1.0, section 6.1).
package struct RTMPMessage: Equatable, Sendable {
  /// What a message is (sections 5.4 and 7.1).
  package enum Kind {
    package static let setChunkSize: UInt8 = 1
    package static let abort: UInt8 = 2
    package static let acknowledgement: UInt8 = 3
    package static let userControl: UInt8 = 4
    package static let windowSize: UInt8 = 5
    package static let peerBandwidth: UInt8 = 6
    package static let audio: UInt8 = 8
    package static let video: UInt8 = 9
    package static let dataAMF3: UInt8 = 15
    package static let commandAMF3: UInt8 = 17
    package static let data: UInt8 = 18
    package static let command: UInt8 = 20
  }

  /// The message type: one of ``Kind``, or another.
  package var kind: UInt8
  /// The message stream that it belongs to; 0 for the connection.
  package var streamID: UInt32
  /// Milliseconds, in 32 bits.
  package var timestamp: UInt32
  /// The payload.
  package var payload: [UInt8]

  /// A message.
  package init(kind: UInt8, streamID: UInt32 = 0, timestamp: UInt32 = 0, payload: [UInt8]) {
    (self.kind, self.streamID, self.timestamp, self.payload) = (kind, streamID, timestamp, payload)
  }
}
