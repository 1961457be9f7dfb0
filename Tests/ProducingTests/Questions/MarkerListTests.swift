import Sheets
import Testing

@testable import Questions

/// Lists of markers as editors write them.
@Suite struct MarkerListTests {
  private static func read(_ bytes: [UInt8]) throws -> [String] { try MarkerList.read(bytes).map { "\($0.time) \($0.name)" } }
  private static func read(_ text: String) throws -> [String] { try read(Array(text.utf8)) }

  @Test func premierePro() throws {
    let text =
      "Marker Name\tDescription\tIn\tOut\tDuration\tMarker Type\r\nQ1\tfirst\t00:00:10:05\t00:00:10:05\t00:00:00:00\tComment\r\n"
      + "\tsecond\t00:00:40;00\t00:00:40;00\t00:00:00:00\tComment\r\n"
    let wide: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    for bytes in [Array(text.utf8), wide] { #expect(try Self.read(bytes) == ["00:00:10:05 Q1", "00:00:40;00 second"]) }
  }

  @Test func daVinciResolve() throws {
    let table = "#,Reel,V,C,Dur,Source In,Source Out,Record In,Record Out,Name,Comments,Color\n1,,,,,00:00:00:00,,01:00:05:00,,One,,Blue\n"
    #expect(try Self.read(table) == ["01:00:05:00 One"])
    let list = """
      TITLE: Timeline 1
      FCM: NON-DROP FRAME

      001  001      V     C        01:00:05:00 01:00:05:01 01:00:05:00 01:00:05:01
       |C:ResolveColorBlue |M:Who is it? |D:1

      002  001      V     C        01:00:35:12 01:00:35:13 01:00:35:12 01:00:35:13
       |C:ResolveColorRed |M:Marker 2 |D:1
      """
    #expect(try Self.read(list) == ["01:00:05:00 Who is it?", "01:00:35:12 Marker 2"])
    #expect(try Self.read(list.replacing("NON-DROP", with: "DROP")) == ["01:00:05;00 Who is it?", "01:00:35;12 Marker 2"])
  }

  @Test func editDecisionLists() throws {
    let list = """
      001  AX       V     C        00:00:00:00 00:00:10:00 01:00:00:00 01:00:10:00
      * FROM CLIP NAME: intro.mov
      * COMMENT: First question
      002  AX       V     C        00:00:00:00 00:00:10:00 01:00:10:00 01:00:20:00
      """
    #expect(try Self.read(list) == ["01:00:00:00 First question", "01:00:10:00 "])
    #expect(try Self.read(list + "\n* LOC: 01:00:12:00 RED     Second one") == ["01:00:12:00 Second one"])
  }

  @Test func audacity() throws {
    #expect(try Self.read("12.500000\t12.500000\tWho?\n\\\t100.0\t200.0\n40,25\t41\t\n") == ["12.500000 Who?", "40.25 "])
  }

  @Test(arguments: ["", "just a text", "a,b\nc,d\n", "name,time\n"]) func others(text: String) {
    #expect(throws: SheetError.self) { try MarkerList.read(Array(text.utf8)) }
  }
}
