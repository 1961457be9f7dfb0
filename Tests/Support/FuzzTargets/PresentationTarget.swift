import Basics
import HLSPlaylist
import HLSReading

extension FuzzTarget {
  /// A presentation whose playlists are anything: reading ends. The first byte says which of the segments fail; the rest is the playlist, whose
  /// second version, for those that are loaded again, begins behind a NUL.
  static let presentation = FuzzTarget("presentation") { bytes in
    var input = FuzzInput(bytes)
    let failing = input.next()
    let versions = input.rest.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
    let decrypt: HLSReader.Options.Decryption = { blocks, _, _ in blocks }
    var reader = HLSReader(playlist: URIReference("index.m3u8"), options: .init(attempts: 2, decrypt: decrypt))
    do throws(HLSReadingError) {
      try read(&reader, versions, failing: failing)
    } catch {
      guard !error.description.isEmpty else { throw Finding("an error without words") }
    }
    _ = (reader.start, reader.end, reader.stop())
  }

  private static func read(_ reader: inout HLSReader, _ versions: [[UInt8]], failing: UInt8) throws(HLSReadingError) {
    var playlists = 0
    // Live presentations go on for ever.
    for step in 0..<200 {
      switch reader.step {
      case .finished: return
      case .wait(let time): if time >= .zero { reader.waited() }
      case .load(let resource):
        let content: [UInt8]?
        switch resource.kind {
        case .playlist:
          content = playlists < versions.count ? versions[playlists] : nil
          playlists += 1
        case .key: content = [UInt8](repeating: 7, count: 16)
        case .initializationSegment, .segment: content = failing >> UInt8(step & 7) & 1 == 1 ? nil : [0, 0, 0, 8] + Array("styp".utf8)
        }
        guard let content else {
          _ = try reader.fail(HLSLoadFailure(failing & 1 == 1 ? .missing : .temporary, "not found"), elapsed: MediaTime(seconds: 1))
          continue
        }
        _ = try reader.receive(content.span)
        if reader.step == .load(resource) { _ = try reader.complete(elapsed: MediaTime(seconds: 1)) }
      }
    }
  }
}
