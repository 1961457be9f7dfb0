import HLSPlaylist
import Testing

@Suite struct PlaylistDecimalTests {
  @Test(arguments: [
    ("0", 0), ("10", 10_000_000_000), ("6.006", 6_006_000_000), ("0.000000001", 1), ("-12.5", -12_500_000_000), ("29.97", 29_970_000_000),
    ("9000000000", 9_000_000_000_000_000_000),
  ])
  func isReadAndWrittenExactly(text: String, billionths: Int64) {
    #expect(PlaylistDecimal(text) == PlaylistDecimal(billionths: billionths))
    #expect(PlaylistDecimal(billionths: billionths).text == text)
  }

  @Test(arguments: [
    ("00.10", "0.1"), (".360", "0.36"), ("-.5", "-0.5"), ("5.", "5"), ("0.0000000014", "0.000000001"), ("0.00000000150", "0.000000002"),
    ("0.9999999999", "1"), ("-0", "0"),
  ])
  func isReadInOtherForms(text: String, canonical: String) { #expect(PlaylistDecimal(text)?.text == canonical) }

  @Test(arguments: ["", "-", ".", "-.", "1e3", "+1", " 1", "1,5", "0x1", "9000000000.1", "99999999999999999999", "1.2.3", "--1"])
  func isRefused(_ text: String) { #expect(PlaylistDecimal(text) == nil) }

  @Test(arguments: [("0.499", 0), ("0.5", 1), ("10.499999999", 10), ("10.5", 11), ("-3", 0)])
  func isRounded(text: String, rounded: UInt64) { #expect(PlaylistDecimal(text)?.rounded == rounded) }
}

@Suite struct PlaylistDateTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00.000Z", 0), ("2000-02-29T23:59:59.999Z", 951_868_799_999), ("2026-11-20T20:00:00.250Z", 1_795_204_800_250),
    ("1969-12-31T23:59:59.999Z", -1), ("0000-01-01T00:00:00.000Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ("1900-03-01T00:00:00.000Z", -2_203_891_200_000),
  ])
  func isReadAndWritten(text: String, milliseconds: Int64) {
    #expect(PlaylistDate(text)?.milliseconds == milliseconds)
    #expect(PlaylistDate(milliseconds: milliseconds) == PlaylistDate(text))
  }

  @Test(arguments: [
    "2010-02-19T14:54:23.031+08:00", "2010-02-19T14:54:23.031+0800", "2010-02-19T14:54:23.0319+08", "2010-02-19T06:54:23.031",
    "2010-02-19t06:54:23.031z", "2010-02-18T23:24:23.031-07:30",
  ])
  func isReadInEveryZone(_ text: String) {
    #expect(PlaylistDate(text)?.milliseconds == 1_266_562_463_031)
    #expect(PlaylistDate(text)?.text == text)
  }

  @Test(arguments: [
    "", "2010-02-19", "2010-02-19T14:54", "2010-02-19 14:54:23", "2010-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2010-13-01T00:00:00Z",
    "2010-00-01T00:00:00Z", "2010-01-00T00:00:00Z", "2010-01-01T24:00:00Z", "2010-01-01T00:60:00Z", "2010-01-01T00:00:61Z",
    "2010-01-01T00:00:00.Z", "2010-01-01T00:00:00+1", "2010-01-01T00:00:00+24:00", "2010-01-01T00:00:00+01:60", "2010-01-01T00:00:00Zx",
    "2010-01-01T00:00:00+01:",
  ])
  func isRefused(_ text: String) { #expect(PlaylistDate(text) == nil) }

  @Test func daysGoByOneByOne() {
    for day in stride(from: Int64(-719_528), through: 2_932_896, by: 997) {
      let date = PlaylistDate(milliseconds: day * 86_400_000 + 1)
      #expect(date.flatMap { PlaylistDate($0.text) } == date)
      #expect(date != nil)
    }
    #expect(PlaylistDate(milliseconds: 253_402_300_800_000) == nil)
    #expect(PlaylistDate(milliseconds: .min) == nil)
  }
}

@Suite struct AttributeListTests {
  private static let lists: [(text: String, list: AttributeList)] = [
    ("A=1", AttributeList([Attribute("A", .integer(1))])),
    (
      "B-2=\"x,y=z ä\",A=0x0AFF,C=1280x720,D=-1.5,E=\"\",F=YES",
      AttributeList([
        Attribute("B-2", .quoted("x,y=z ä")), Attribute("A", .hexadecimal([0x0A, 0xFF])), Attribute("C", .unquoted("1280x720")),
        Attribute("D", .decimal(PlaylistDecimal(billionths: -1_500_000_000))), Attribute("E", .quoted("")),
        Attribute("F", .unquoted("YES")),
      ])
    ),
  ]

  @Test(arguments: lists) func isReadAndWritten(text: String, list: AttributeList) throws {
    #expect(try AttributeList(text) == list)
    #expect(try list.text() == text)
    #expect(list["A"] != nil)
    #expect(list["Z"] == nil)
  }

  @Test func spacesAfterACommaAreAccepted() throws {
    #expect(try AttributeList("A=1, \tB=2").text() == "A=1,B=2")
  }

  @Test(arguments: [
    ("", PlaylistError.Reason.missing("an attribute's name"), 1), ("a=1", .missing("an attribute's name"), 1),
    ("A", .missing("the = after an attribute's name"), 2), ("A =1", .missing("the = after an attribute's name"), 2),
    ("A=", .missing("an attribute's value"), 3), ("A=1,", .missing("an attribute's name"), 5),
    ("A=,B=1", .missing("an attribute's value"), 3),
    ("A=\"x", .missing("the closing quote"), 3), ("A=\"x\"y", .missing("a comma between two attributes"), 6),
    ("A=1\"", .missing("a comma between two attributes"), 4), ("A=1,BB=2,A=3", .repeated("A"), 10),
  ])
  func isRefused(text: String, reason: PlaylistError.Reason, column: Int) {
    #expect(throws: PlaylistError(reason, line: 1, column: column)) { try AttributeList(text) }
  }

  @Test(arguments: [
    Attribute("", .integer(1)), Attribute("a", .integer(1)), Attribute("A=B", .integer(1)), Attribute("A", .quoted("\"")),
    Attribute("A", .quoted("\n")), Attribute("A", .quoted("\r")), Attribute("A", .quoted("\r\n")), Attribute("A", .unquoted("")),
    Attribute("A", .unquoted("a b")), Attribute("A", .unquoted("a,b")), Attribute("A", .unquoted("a\"b")),
  ])
  func isNotWritten(_ attribute: Attribute) {
    #expect(throws: PlaylistError.self) { try AttributeList([attribute]).text() }
  }

  @Test func aNameIsNotWrittenTwice() {
    let list = AttributeList([Attribute("A", .integer(1)), Attribute("A", .quoted(""))])
    #expect(throws: PlaylistError(.repeated("A"), line: 1)) { try list.text() }
  }

  @Test func valuesHaveTheirKinds() {
    #expect(AttributeValue.unquoted("18446744073709551615").integer == .max)
    #expect(AttributeValue.unquoted("18446744073709551616").integer == nil)
    #expect(AttributeValue.quoted("1").integer == nil)
    #expect(AttributeValue.unquoted("0Xabc").hexadecimal == [0x0A, 0xBC])
    #expect(AttributeValue.unquoted("0x").hexadecimal == [])
    #expect(AttributeValue.unquoted("0xG").hexadecimal == nil)
    #expect(AttributeValue.unquoted("AB").hexadecimal == nil)
    #expect(AttributeValue.unquoted("1x2").resolution == Resolution(width: 1, height: 2))
    #expect(AttributeValue.unquoted("1x").resolution == nil)
    #expect(AttributeValue.unquoted("x").resolution == nil)
    #expect(AttributeValue.unquoted("1.5").decimal == PlaylistDecimal(billionths: 1_500_000_000))
  }
}
