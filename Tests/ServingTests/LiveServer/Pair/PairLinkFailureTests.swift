import Foundation
import NIOCore
import Testing

@testable import LiveServer

/// Why a connection to the other node of a pair could not be made.
@Suite struct PairLinkFailureTests {
  private struct Row {
    var code: CInt
    var isRefusal: Bool
    var isLocal: Bool
  }

  /// A machine that refuses, networks that are away, and this machine, which does not allow a socket option.
  @Test func causes() {
    let rows = [
      Row(code: ECONNREFUSED, isRefusal: true, isLocal: false), Row(code: EHOSTUNREACH, isRefusal: false, isLocal: false),
      Row(code: ETIMEDOUT, isRefusal: false, isLocal: false), Row(code: EACCES, isRefusal: false, isLocal: true),
      Row(code: EPERM, isRefusal: false, isLocal: true), Row(code: EMFILE, isRefusal: false, isLocal: true),
    ]
    for row in rows {
      let failure = PairLinkFailure(IOError(errnoCode: row.code, reason: "connect"))
      #expect((failure.isRefusal, failure.isLocal) == (row.isRefusal, row.isLocal), "\(row.code)")
      #expect(!failure.reason.contains("errno"))
    }
    let late = PairLinkFailure(ChannelError.connectTimeout(.seconds(1)))
    #expect((late.isRefusal, late.isLocal, late.reason) == (false, false, "no answer in time"))
  }
}
