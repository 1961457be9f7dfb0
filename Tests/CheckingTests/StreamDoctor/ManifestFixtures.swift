import Basics
import CMAF
import DASHReading
import HLSReading
import StreamDoctor
import TestSupport

extension Fixture {
  /// Fragmented MP4 whose MPD says this in its adaptation set, at its end, and of its type.
  static func manifest(
    _ rule: String, announcing inband: String, period: String = "", end: String = "", type: String = "static",
    _ change: @escaping @Sendable (inout EventMessageBox) -> Void = { _ in }
  ) -> Fixture {
    Fixture(
      rule,
      reporting: {
        let text = """
          <MPD type="\(type)" mediaPresentationDuration="PT1S"><Period>\(period)<AdaptationSet contentType="video">\(inband)
          <Representation id="v" bandwidth="1"><BaseURL>v.mp4</BaseURL></Representation></AdaptationSet></Period>\(end)</MPD>
          """
        let manifest = try Manifest(Array(text.utf8), now: 0)
        var doctor = StreamDoctor(name: "show.mpd")
        let tag = try SampleTag.event(at: 9_000)
        let message = try BoxSample.message(9_000, tag: tag) {
          $0.id = CRC32MPEG2.checksum("info")
          change(&$0)
        }
        let bytes = BoxSample.map() + BoxSample.segment(0, [message])
        doctor.receive(.bytes(bytes[...]))
        doctor.receive(manifest, announced: manifest.playlists(name: "show.mpd").inband["show.mpd#v"] ?? [], for: "show.mpd#v")
        return doctor.finish()
      })
  }

  static let announced = "<InbandEventStream schemeIdUri=\"https://aomedia.org/emsg/ID3\" value=\"\"/>"

  static let manifests: [Fixture] = [
    manifest("DASH-INBAND", announcing: ""),
    manifest("DASH-INBAND", announcing: "<InbandEventStream schemeIdUri=\"urn:scte:scte35:2013:bin\" value=\"\"/>"),
    manifest("DASH-INBAND-VALUE", announcing: "<InbandEventStream schemeIdUri=\"https://aomedia.org/emsg/ID3\" value=\"7\"/>"),
    manifest(
      "DASH-EVENT-STREAM", announcing: announced,
      period: "<EventStream schemeIdUri=\"urn:x\"><Event id=\"1\">x</Event><Event id=\"2\"/></EventStream>"),
    manifest("DASH-CLOCK", announcing: announced, type: "dynamic"),
  ]

  /// Fixtures whose MPD is as it should be.
  static let rightManifests: [Fixture] = [
    manifest("", announcing: announced), manifest("", announcing: announced, end: "<UTCTiming/>", type: "dynamic"),
  ]
}
