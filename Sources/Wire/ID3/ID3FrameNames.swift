import Basics

/// The identifiers of ID3v2.2 text frames and what they are called from 2.3 on.
enum ID3FrameNames {
  private static let table: [(old: String, new: String)] = [
    ("TXX", "TXXX"), ("TT1", "TIT1"), ("TT2", "TIT2"), ("TT3", "TIT3"), ("TP1", "TPE1"), ("TP2", "TPE2"), ("TP3", "TPE3"),
    ("TP4", "TPE4"), ("TAL", "TALB"), ("TRK", "TRCK"), ("TPA", "TPOS"), ("TCO", "TCON"), ("TCM", "TCOM"), ("TYE", "TYER"),
    ("TEN", "TENC"), ("TLE", "TLEN"), ("TXT", "TEXT"), ("TLA", "TLAN"), ("TCR", "TCOP"), ("TPB", "TPUB"), ("TBP", "TBPM"),
    ("TSS", "TSSE"),
  ]

  /// The current identifier of a frame of 2.2, or nil if none is known here.
  static func present(for old: String) -> String? { table.first { $0.old.hasSameBytes(as: old) }?.new }
}
