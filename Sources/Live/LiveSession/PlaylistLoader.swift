import HLSPlaylist
import HLSReading
import LibAV
import LiveInterface
import StreamInput

/// Loads the presentation that is a session's input, on a thread of its own, so that no other thread waits for the server.
struct PlaylistLoader<Receiver: InputReceiver>: Sendable {
  let session: Receiver
  let name: String
  let buffer: SegmentBuffer

  /// Loads until the playlist or the session ends. A server that does not answer is tried again.
  func run() {
    let stop = session.inputStop
    var backOff = BackOff(.seconds(1))
    while !stop.isSet {
      do throws(StreamInputError) {
        try load()
        guard session.settings.loops else { break }
        buffer.add(.discontinuity)
      } catch {
        guard error != .interrupted else { break }
        guard error.isWorthWaiting else { return buffer.close(.presentation(error)) }
        if backOff.fail("\(error)", at: .now) { session.report("\(error)") }
        stop.wait(until: backOff.nextTry ?? .now)
      }
    }
    buffer.close()
  }

  private func load() throws(StreamInputError) {
    let stop = session.inputStop
    var input = StreamInput(name)
    input.isInterrupted = { stop.isSet }
    input.options.isPatient = true
    input.options.start = .lastSegments(1)
    input.options.rendition = session.settings.rendition.map { .named($0) } ?? .highestBandwidth
    var sorter = SegmentSorter()
    var isKnown = false
    try input.load { portions, choices, choice in
      for portion in portions where !stop.isSet {
        if case .segments(let playlist, _, _) = portion, !isKnown {
          isKnown = true
          if let choice { tell(choice, choices) }
          buffer.add(.playlist(isLive: !playlist.isFinal))
        }
        if case .notice(let notice) = portion { session.report("\(name.withoutSecrets): \(notice)") }
        let (pieces, problem) = sorter.receive(portion)
        for piece in pieces { buffer.add(piece) }
        if let problem { session.report("\(name.withoutSecrets): \(problem)") }
      }
      return !stop.isSet
    }
  }

  private func tell(_ choice: HLSChoice, _ choices: [HLSChoice]) {
    let others = choices.filter { $0 != choice }
    guard !others.isEmpty else { return }
    let why = session.settings.rendition == nil ? ", which has the highest bandwidth" : ""
    session.report("\(name.withoutSecrets): \(choice) is read\(why), and not \(others.map { "\($0)" }.joined(separator: ", "))")
  }
}
