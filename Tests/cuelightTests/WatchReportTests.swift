import CommandSupport
import DeliveryWatch
import Foundation
import Testing

@testable import cuelight

/// What a watch writes besides its findings.
@Suite struct WatchReportTests {
  /// The file of metrics cannot be made for a while: that is a failure only where it is so in the end.
  @Test func metricsThatCannotBeWritten() throws {
    let scratch = try Scratch()
    let folder = scratch["metrics"]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let path = folder.appending(path: "watch.prom").path
    let report = WatchReport(isJSON: false, metrics: try OutputFile(path: path, overwrites: true), webhook: nil)
    try FileManager.default.removeItem(at: folder)
    var tally = DeliveryWatch.Tally()
    report.tell([], tally)
    #expect(report.metricsFailure?.status == CommandFailure.cannotCreate && report.metricsFailure?.message == nil)
    tally.inTime = 1
    report.tell([], tally)
    #expect(report.metricsFailure != nil)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    // The same again: what was not written is written.
    report.tell([], tally)
    #expect(report.metricsFailure == nil && report.failure == nil)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == tally.metrics)
  }
}
