import Basics

/// Where in the programme a stream starts.
struct ProgrammeStart: Equatable, Sendable {
  /// The programme time of its first random-access picture (or first sound), unless copies of events tell another one.
  var time = MediaTime.zero
  /// The same as the pictures before it tell it.
  var videoTime = MediaTime.zero
}
