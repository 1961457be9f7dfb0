import ArgumentParser
import Basics
import Benchmarks

@main struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-bench",
    abstract: "Measure how fast this machine parses, logs and plays, within one process and on one core.",
    discussion: """
      Prints a Markdown table of medians, by the time of the processor. A build for release is many times as fast as one for debugging.

      Example:
        cuelight-bench
        cuelight-bench --seconds 5 event-log state-machine
      """)

  @Argument(help: "What is measured: \(Benchmark.all.map(\.name).joined(separator: ", ")). All without it.")
  var names: [String] = []

  // A number below 0 is refused as such, and not taken for an option.
  @Option(name: .long, parsing: .unconditional, help: "How many seconds each is measured.")
  var seconds = 1.0

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    guard seconds > 0, seconds <= 3_600 else {
      throw ValidationError("--seconds takes a number above 0, and 3600 at most, not \(seconds).")
    }
    for name in names where !Benchmark.all.contains(where: { $0.name == name }) {
      throw ValidationError("there is no benchmark \(name); there are \(Benchmark.all.map(\.name).joined(separator: ", ")).")
    }
  }

  mutating func run() throws {
    if !json {
      print("| what | median | best | unit | one run |")
      print("|---|---:|---:|---|---:|")
    }
    for benchmark in Benchmark.all where names.isEmpty || names.contains(benchmark.name) {
      let figure = benchmark.measure(seconds: seconds)
      print(json ? figure.json : figure.row)
    }
  }
}

extension Benchmark.Figure {
  fileprivate var row: String {
    let (unit, divisor) = benchmark.unit.rate
    let (rate, best) = (grouped(median / divisor), grouped(best / divisor))
    return "| \(benchmark.summary) | \(rate) | \(best) | \(unit) | \(Self.time(Double(unitsPerRun) / median)) |"
  }

  /// Seconds, in thousandths where they are few.
  private static func time(_ seconds: Double) -> String {
    seconds < 1 ? "\(Int((seconds * 1_000).rounded())) ms" : "\(Int(seconds)).\(Int(seconds * 10) % 10) s"
  }

  fileprivate var json: String {
    var line = JSONObject()
    line.append("type", .string("figure"))
    line.append("name", .string(benchmark.name))
    line.append("unit", .string("\(benchmark.unit.rawValue)/s"))
    line.append("median", .number(JSONNumber(Int(median))))
    line.append("best", .number(JSONNumber(Int(best))))
    line.append("runs", .number(JSONNumber(runs)))
    return line.text
  }

  /// A rate with commas between its thousands.
  private func grouped(_ value: Double) -> String {
    let digits = String(Int(value.rounded()))
    return String(digits.enumerated().flatMap { (digits.count - $0) % 3 == 0 && $0 > 0 ? [",", $1] : [$1] })
  }
}
