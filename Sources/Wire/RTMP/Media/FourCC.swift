/// The codecs of enhanced RTMP by their four letters.
package enum FourCC {
  package static let h264 = "avc1"
  package static let hevc = "hvc1"
  package static let aac = "mp4a"

  /// The codecs that are carried into a transport stream.
  package static let carried = [h264, hevc, aac]
}
