import Stamping
import Testing

@testable import cuelight

/// How far the work has come, in a line.
@Suite struct ProgressBarTests {
  @Test func theBar() {
    func text(_ fraction: Double?) -> String { ProgressBar.text(WorkProgress(bytes: 12_345_678, fraction: fraction)) }
    let (full, empty) = (String(repeating: "=", count: 15), String(repeating: " ", count: 15))
    #expect(text(nil) == "12 MB")
    #expect(text(0) == "[\(empty)\(empty)] 0 %  12 MB")
    #expect(text(0.5) == "[\(full)\(empty)] 50 %  12 MB")
    #expect(text(0.999) == "[\(full)============== ] 99 %  12 MB")
    #expect(text(1) == "[\(full)\(full)] 100 %  12 MB")
  }
}
