package import Basics

/// How the stream is, for those who watch it, as far as anybody knows.
package struct StreamCondition: Equatable, Sendable {
  /// Whether there is a picture.
  package enum Picture: String, CaseIterable, Sendable {
    /// Frames arrive, and viewers can load them.
    case up
    /// Nothing arrives, or nothing can be loaded yet.
    case down
    /// The stream has ended for good.
    case ended
  }

  /// How far viewers are behind the live edge.
  package struct Lag: Equatable, Sendable {
    /// What the playlist makes usual players stay behind.
    package var behind: MediaTime
    /// How far the last viewers are behind.
    package var furthest: MediaTime
    /// What makes it less, in words, if the encoder makes it more than the settings say; otherwise `nil`.
    package var advice: String?

    package init(behind: MediaTime, furthest: MediaTime, advice: String? = nil) {
      (self.behind, self.furthest, self.advice) = (behind, furthest, advice)
    }

    /// The same for people.
    package var text: String {
      let seconds = MediaTime(seconds: Int((behind.seconds).rounded())).shortestDecimalSeconds
      return "viewers are \(seconds) s behind" + (advice.map { ": \($0)" } ?? "")
    }
  }

  /// Whether there is a picture; `nil` if nobody knows.
  package var picture: Picture?
  /// How far viewers are behind; `nil` if nobody knows.
  package var lag: Lag?

  /// A stream of which nobody knows anything unless it is said here.
  package init(picture: Picture? = nil, lag: Lag? = nil) { (self.picture, self.lag) = (picture, lag) }
}
