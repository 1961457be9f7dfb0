import Basics
import GameEvents
import Testing

@testable import Reach

@Suite struct ViewerReportTests {
  private static func read(_ text: String, pieces: Int? = nil) -> (reports: [ViewerReport], wrong: Int) {
    var reader = ViewerReportReader()
    var reports: [ViewerReport] = []
    let bytes = Array(text.utf8)
    var place = 0
    while place < bytes.count {
      let end = min(place + (pieces ?? bytes.count), bytes.count)
      reports += reader.push(bytes[place..<end])
      place = end
    }
    if let last = reader.finish() { reports.append(last) }
    return (reports, reader.wrongLines)
  }

  private static let guid = "6b1c2f52-3c5e-4f0e-9d3a-0f8f3c1f6a10"
  private static let shownLine =
    "com.cuelight-age=1250,com.cuelight-ahead=4000,com.cuelight-guid=\"\(guid)\",com.cuelight-player=\"hls.js 1.7.1\",cen=\"com.cuelight-shown\","
    + "e=ce,ltc=4200,sid=\"page-1\",sn=3,sta=p,ts=1764385200000,v=2"
  /// As hls.js 1.7 with cml-cmcd 2.4 writes them.
  private static let foreignLines = """
    bl=(12000),br=(2000;v 128;a),bs,cid="show",e=ps,ltc=4300,mtp=(25000),pr=1,pt=1764385195000,sf=h,sid="s-2",sn=0,st=l,sta=p,ts=1764385200100,v=2
    cid="show",e=t,ltc=4350,sid="s-2",sn=1,sta=p,ts=1764385230100,v=2

    """

  private static func shown(player: String? = "hls.js 1.7.1") throws -> ViewerReport {
    let guid = try #require(GUID(guid))
    return ViewerReport(
      session: "page-1", event: .shown(.init(guid: guid, age: 1_250, late: 0, ahead: 4_000)), time: 1_764_385_200_000, latency: 4_200,
      player: player)
  }

  @Test func lines() throws {
    let text = "\(Self.shownLine)\n\(Self.foreignLines)"
    let expected = [
      try Self.shown(), ViewerReport(session: "s-2", event: .other, time: 1_764_385_200_100, latency: 4_300),
      ViewerReport(session: "s-2", event: .other, time: 1_764_385_230_100, latency: 4_350),
    ]
    for pieces in [nil, 1, 2, 7, 100] {
      let (reports, wrong) = Self.read(text, pieces: pieces)
      #expect(reports == expected && wrong == 0)
    }
  }

  /// A line that is cut is no report, unless what was cut off was not needed.
  @Test func cutAtEveryLength() throws {
    let whole = try Self.shown()
    for length in 0..<Self.shownLine.utf8.count {
      let (reports, wrong) = Self.read(String(Self.shownLine.prefix(length)))
      #expect(reports.isEmpty && wrong == (length == 0 ? 0 : 1), "\(length)")
    }
    #expect(Self.read(Self.shownLine).reports == [whole] && Self.read(Self.shownLine + "\r\n").reports == [whole])
  }

  @Test(arguments: [
    "", "v=2", "e=ce,sid=\"a\",ts=1,v=1", "e=t,sid=\"\",ts=1,v=2", "e=t,sid=\"a\",ts=-1,v=2", "e=t,sid=\"a\",ts=1.5,v=2",
    "e=t,sid=a,ts=1,v=2",
    "e=t,sid=\"\(String(repeating: "a", count: 65))\",ts=1,v=2", "e=t,sid=\"a\",ts=1234567890123456,v=2", "e=t,,sid=\"a\",ts=1,v=2",
    "e=t,sid=\"a\",ts=1,v=2,", "E=t,sid=\"a\",ts=1,v=2", "e=t sid=\"a\",ts=1,v=2", "e=t,sid=\"a,ts=1,v=2", "e=t,sid=\"é\",ts=1,v=2",
    "cen=\"com.cuelight-shown\",e=ce,sid=\"a\",ts=1,v=2", "com.cuelight-guid=\"\",cen=\"com.cuelight-shown\",e=ce,sid=\"a\",ts=1,v=2",
    "com.cuelight-age=600001,com.cuelight-guid=\"g\",cen=\"com.cuelight-shown\",e=ce,sid=\"a\",ts=1,v=2",
    "com.cuelight-age=-1,com.cuelight-guid=\"g\",cen=\"com.cuelight-shown\",e=ce,sid=\"a\",ts=1,v=2",
    "a=%\"%C3%BC\",e=t,sid=\"a\",ts=1,v=2", "a=%\"%c3\",e=t,sid=\"a\",ts=1,v=2", "a=%\"%c\",e=t,sid=\"a\",ts=1,v=2",
    "a=:o:,e=t,sid=\"a\",ts=1,v=2",
    "com.cuelight-guid=\"g\",com.cuelight-late=1e3,cen=\"com.cuelight-shown\",e=ce,sid=\"a\",ts=1,v=2",
  ])
  func wrongLines(_ line: String) {
    let (reports, wrong) = Self.read("\(line)\n")
    #expect(reports.isEmpty && wrong == (line.isEmpty ? 0 : 1))
  }

  /// Members that this project does not know are left out, whatever their types are.
  @Test func otherMembers() {
    let line =
      "a;x=1;y=\"z\",b=?0,c=:aGk=:,d=@1764385200,dd=%\"a\\ %c3%bc\",e=t;p,f=(\"x\" y;q=1 2.5),g=-1.25,h=*t/k:x,sid=\"a\\\"b\\\\c\",ts=1 , v=2\n"
    #expect(Self.read(line).reports == [ViewerReport(session: "a\"b\\c", event: .other, time: 1)])
  }

  /// Delays that nobody can have, and names of players that are no names, are as if they were not there.
  @Test(arguments: ["ltc=600001", "ltc=-1", "com.cuelight-player=\"<b>\"", "com.cuelight-player=\"\(String(repeating: "a", count: 49))\""])
  func beyondBounds(_ member: String) {
    #expect(Self.read("e=t,\(member),sid=\"a\",ts=1,v=2").reports == [ViewerReport(session: "a", event: .other, time: 1)])
  }

  @Test func limits() {
    let line = "e=t,sid=\"a\",ts=1,v=2\n"
    let many = Self.read(String(repeating: line, count: ViewerReportReader.mostLines + 3))
    #expect(many.reports.count == ViewerReportReader.mostLines && many.wrong == 3)
    let long = "a=\"\(String(repeating: "b", count: ViewerReportReader.longestLine))\",\(line)"
    #expect(Self.read(long + line, pieces: 1000).reports.count == 1 && Self.read(long + line).wrong == 1)
  }
}
