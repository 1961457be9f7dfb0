package import Basics
package import Reach

/// The condition of the stream for viewers, as far as it is known.
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
    /// The distance that the playlist tells usual players to keep.
    package var behind: MediaTime
    /// The distance of the viewers who are furthest behind.
    package var furthest: MediaTime
    /// How to reduce the lag, in words, if the encoder makes it larger than the settings require; otherwise `nil`.
    package var advice: String?

    package init(behind: MediaTime, furthest: MediaTime, advice: String? = nil) {
      (self.behind, self.furthest, self.advice) = (behind, furthest, advice)
    }

    /// The lag in words.
    package var text: String {
      let seconds = MediaTime(seconds: Int((behind.seconds).rounded())).shortestDecimalSeconds
      return "viewers are \(seconds) s behind" + (advice.map { ": \($0)" } ?? "")
    }
  }

  /// Whether there is a picture; `nil` if that is unknown.
  package var picture: Picture?
  /// How far viewers are behind; `nil` if that is unknown.
  package var lag: Lag?
  /// What the pages of viewers report of their delays; `nil` if the stream takes no reports.
  package var audience: AudienceDelay?

  /// A condition in which everything is unknown that is not given here.
  package init(picture: Picture? = nil, lag: Lag? = nil, audience: AudienceDelay? = nil) {
    (self.picture, self.lag, self.audience) = (picture, lag, audience)
  }
}
