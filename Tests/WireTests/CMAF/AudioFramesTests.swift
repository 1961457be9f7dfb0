import Basics
import TestSupport
import Testing

@testable import CMAF

/// Frames of audio in bytes that come in pieces.
@Suite struct AudioFramesTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var coding: AudioFormat.Coding
    /// Frames as a stream has them, and how many bytes of each are a header that samples do not have.
    var frames: [[UInt8]]
    var headerSize = 0
    var sampleCount: Int
    var sampleRate: Int
    var channels: Int
    var configuration: String
    var codec: String

    var testDescription: String { name }
  }

  private static func frame(_ header: String, size: Int, _ number: Int) -> [UInt8] {
    let start = hex(header)
    return start + (0..<size - start.count).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ number) & 0x7E | 1 }
  }

  /// The headers are of files that FFmpeg has written; what follows is nothing.
  static let samples = [
    Sample(
      name: "AAC", coding: .aac, frames: (0..<4).map { frame("fff14c800c9ffc", size: 100, $0) }, headerSize: 7, sampleCount: 1_024,
      sampleRate: 48_000, channels: 2, configuration: "1190", codec: "mp4a.40.2"),
    Sample(
      name: "AAC with a checksum", coding: .aac, frames: (0..<4).map { frame("fff050400c9ffc1234", size: 100, $0) }, headerSize: 9,
      sampleCount: 1_024, sampleRate: 44_100, channels: 1, configuration: "1208", codec: "mp4a.40.2"),
    Sample(
      name: "MP3", coding: .mp3, frames: (0..<4).map { frame("fffb9464", size: 384, $0) }, sampleCount: 1_152, sampleRate: 48_000,
      channels: 2, configuration: "", codec: "mp4a.40.34"),
    Sample(
      name: "MP3 of MPEG-2", coding: .mp3, frames: (0..<4).map { frame("fff384c4", size: 192, $0) }, sampleCount: 576, sampleRate: 24_000,
      channels: 1, configuration: "", codec: "mp4a.40.34"),
    Sample(
      name: "AC-3", coding: .ac3, frames: (0..<4).map { frame("0b77a5b9144043e1", size: 768, $0) }, sampleCount: 1_536, sampleRate: 48_000,
      channels: 2, configuration: "101140", codec: "ac-3"),
    Sample(
      name: "E-AC-3", coding: .eac3, frames: (0..<4).map { frame("0b77017f3486ff", size: 768, $0) }, sampleCount: 1_536,
      sampleRate: 48_000, channels: 2, configuration: "0600200400", codec: "ec-3"),
    Sample(
      name: "Opus", coding: .opus, frames: (0..<4).map { frame("7fe05ffc", size: 98, $0) }, headerSize: 3, sampleCount: 960,
      sampleRate: 48_000, channels: 2, configuration: "00020000" + "0000bb80" + "000000", codec: "Opus"),
  ]

  private func frames(_ sample: Sample, _ bytes: [UInt8], chunk: Int) -> [AudioFrames.Frame] {
    var reader = AudioFrames(sample.coding, channels: sample.channels)
    var found: [AudioFrames.Frame] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      reader.push(bytes.span.extracting(start..<min(start + chunk, bytes.count)))
      while let frame = reader.next() { found.append(frame) }
    }
    if let frame = reader.finish() { found.append(frame) }
    return found
  }

  private func expected(_ sample: Sample, _ numbers: Range<Int>, at offset: Int = 0) -> [AudioFrames.Frame] {
    let format = AudioFormat(
      coding: sample.coding, sampleRate: sample.sampleRate, channelCount: sample.channels, configuration: hex(sample.configuration))
    return numbers.map { number in
      AudioFrames.Frame(
        bytes: Array(sample.frames[number].dropFirst(sample.headerSize)), sampleCount: sample.sampleCount, format: format,
        offset: offset + sample.frames[..<number].reduce(0) { $0 + $1.count })
    }
  }

  @Test(arguments: samples) func frames(_ sample: Sample) {
    let bytes = sample.frames.flatMap(\.self)
    let expected = expected(sample, 0..<4)
    #expect(expected[0].format.codec == sample.codec)
    for chunk in [1, 7, 184, bytes.count] { #expect(frames(sample, bytes, chunk: chunk) == expected) }
    // Cut anywhere, there are the frames that are whole.
    let size = sample.frames[0].count
    for count in stride(from: 0, through: bytes.count, by: 13) {
      #expect(frames(sample, Array(bytes[..<count]), chunk: 184) == Array(expected.prefix(count / size)))
    }
  }

  /// After a loss, a frame counts once another one follows it.
  @Test(arguments: samples) func afterALoss(_ sample: Sample) {
    let lost = Array(sample.frames[0].dropFirst(5)) + sample.frames[1...].flatMap(\.self)
    for chunk in [1, 184, lost.count] { #expect(frames(sample, lost, chunk: chunk) == expected(sample, 1..<4, at: -5)) }
  }

  /// Six blocks make a sample, and dependent substreams belong to the frame before them.
  @Test func enhanced() {
    // Two blocks a frame (numblkscod 1), then a dependent substream.
    let independent = Self.frame("0b77017f1486ff", size: 768, 1)
    let dependent = Self.frame("0b77417f3486ff", size: 768, 2)
    var sample = Self.samples[5]
    sample.frames = [independent, dependent, independent, dependent, independent, dependent, independent]
    let found = frames(sample, sample.frames.flatMap(\.self), chunk: 184)
    #expect(found.map(\.sampleCount) == [1_536, 512] && found.map(\.bytes.count) == [6 * 768, 768])
    #expect(found[0].bytes == sample.frames[..<6].flatMap(\.self) && found[0].format.configuration.count == 6)
  }

  /// Whatever comes, nothing traps, and a reader keeps no more than a frame may have.
  @Test(arguments: samples) func anyBytes(_ sample: Sample) {
    var random = SeededNumbers(seed: 3)
    for _ in 0..<50 {
      var bytes = sample.frames.flatMap(\.self)
      for _ in 0..<8 { bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random) }
      for frame in frames(sample, bytes, chunk: 50) { #expect(frame.sampleCount > 0 && !frame.bytes.isEmpty) }
    }
  }
}
