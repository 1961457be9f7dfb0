/// A player whose handling of timed ID3 is known. The raw value is its name.
package enum Player: String, Sendable {
  case hlsjs = "hls.js"
  case videojs = "video.js"
  case videojs8 = "video.js 8"
  case shaka = "Shaka Player"
  case media3
  case dashjs = "dash.js"
  case avFoundation = "AVFoundation"
}
