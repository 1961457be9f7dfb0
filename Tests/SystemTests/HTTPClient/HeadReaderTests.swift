import Testing

@testable import HTTPClient

@Suite struct HeadReaderTests {
  /// The result of reading these lines. An empty line ends the head of an answer, which has the next status.
  private func read(_ lines: [String], statuses: [Int] = [200], limit: Int = 1000) -> Result<
    (HeadReader, [HeadReader.Step]), NetworkInputError.Reason
  > {
    var reader = HeadReader(limit: limit)
    var steps: [HeadReader.Step] = []
    var statuses = statuses[...]
    do throws(NetworkInputError.Reason) {
      for line in lines {
        let status = line.isEmpty ? statuses.popFirst() ?? 0 : 0
        steps.append(try reader.read(Array((line + "\r\n").utf8), status: status))
      }
      return .success((reader, steps))
    } catch {
      return .failure(error)
    }
  }

  @Test func readsAHead() throws {
    let (reader, steps) = try read(["HTTP/1.1 200 OK", "Content-LENGTH: \t12 ", "X:", "a b", "a: b:c", "A: d", ""]).get()
    #expect(steps == [.more, .more, .more, .more, .more, .more, .complete])
    #expect(reader.head.status == 200)
    let fields = reader.head.fields.map { "\($0.name)=\($0.value)" }
    #expect(fields == ["content-length=12", "x=", "a=b:c", "a=d"])
    #expect(reader.head["a"] == "d")
    #expect(reader.head["b"] == nil)
  }

  @Test func skipsInterimAnswersAndTrailers() throws {
    let (reader, steps) = try read(
      ["HTTP/1.1 103 Hints", "Link: a", "", "HTTP/1.1 200 OK", "A: b", "", "Trailer: c", ""], statuses: [103, 200]
    ).get()
    #expect(steps == [.more, .more, .more, .more, .more, .complete, .more, .more])
    #expect(reader.head.fields.map { $0.name } == ["a"])
  }

  @Test func tellsWhatLeadsElsewhere() throws {
    let lines = ["HTTP/1.1 302 F", "Location: /b", "", "HTTP/1.1 302 F", "Location:", ""]
    let (reader, steps) = try read(lines, statuses: [302, 302], limit: 40).get()
    #expect(steps == [.more, .more, .redirected, .more, .more, .complete])
    #expect(reader.head.status == 302)
  }

  @Test func limitsWhatComes() {
    func error(_ lines: [String], limit: Int) -> NetworkInputError.Reason? {
      guard case .failure(let error) = read(lines, limit: limit) else { return nil }
      return error
    }
    let lines = ["HTTP/1.1 200 OK", "A: b", ""]
    #expect(error(lines, limit: 25) == nil)
    #expect(error(lines, limit: 24) == .malformed(.head))
    #expect(error(lines + ["T: u"], limit: 30) == .malformed(.head))
    #expect(error(["Transfer-Encoding: Chunked", ""], limit: 100) == nil)
    #expect(error(["Transfer-Encoding: gzip, chunked", ""], limit: 100) == .malformed(.transferEncoding))
  }

  @Test(arguments: [
    (["7"], true), (["0"], true), (["7", "7"], true), (["7", "8"], false), (["7, 7"], false), (["7", "07"], false), ([""], false),
    (["-1"], false), (["+7"], false), (["0x7"], false), (["9223372036854775807"], true), (["9223372036854775808"], false),
  ])
  func lengthsAreClear(lengths: [String], isClear: Bool) {
    let lines = ["HTTP/1.1 200 OK"] + lengths.map { "Content-Length: \($0)" } + [""]
    switch read(lines) {
    case .success(let (reader, _)): #expect(isClear && reader.isComplete)
    case .failure(let error): #expect(!isClear && error == .malformed(.contentLength))
    }
    // The content of a redirection is not read, so its length does not matter.
    #expect((try? read(["HTTP/1.1 302 F", "Location: /b"] + lines.dropFirst(), statuses: [302]).get()) != nil)
  }
}
