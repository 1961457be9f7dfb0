package import Basics
package import NALUnits

/// What a ``FragmentReader`` finds, in the order of the input. Offsets are in bytes from the start of the input.
package enum FragmentItem: Equatable, Sendable {
  /// An initialization segment's movie, which applies to the fragments that follow.
  case initialisation(MovieHeader)
  /// An event message, and when it is presented on the timeline of the presentation.
  case eventMessage(EventMessageBox, time: MediaTime, offset: Int)
  /// A movie fragment.
  case fragment(Fragment, offset: Int)
  /// Tags in SEI messages of a video sample, which starts at `offset` and is presented at `time`.
  case tags([TagMessage], time: MediaTime, offset: Int)
  /// User data in SEI messages of a video sample, which starts at `offset` and is presented at `time`.
  case userData([UserData], time: MediaTime, offset: Int)
  /// Something that could not be read.
  case damage(offset: Int, reason: String)
}
