import LibAV

/// What an input of a presentation becomes.
enum InputRole: Equatable {
  /// A variant, with its own audio, that of another input, or none.
  case variant(AudioPlacement)
  /// Audio that all variants have in common.
  case sound

  /// Where its audio goes.
  var audio: AudioPlacement { if case .variant(let placement) = self { placement } else { .apart } }
}

/// What each input of a presentation becomes, so that viewers of every variant with video hear the programme.
///
/// A file of audio alone is audio of all variants, unless the videos have audio of the same languages: then it is a variant without video. If some
/// videos have no audio, or not in all languages, they use that of the input that has most.
struct InputRoles {
  private(set) var roles: [InputRole] = []
  /// The input whose audio is that of the variants that have none of their own; `nil` if no video has audio.
  private(set) var reference: Int?

  /// An input's audio streams, by their languages.
  struct Streams: Equatable {
    var hasVideo: Bool
    var languages: [String?]
  }

  /// - Parameter audioIsApart: Whether the format has each audio stream in segments of its own.
  init(_ inputs: [Streams], audioIsApart: Bool) {
    let videos = inputs.indices.filter { inputs[$0].hasVideo }
    guard !videos.isEmpty else {
      roles = inputs.map { _ in .variant(audioIsApart ? .apart : .withVideo) }
      return
    }
    let most = videos.map { inputs[$0].languages.count }.max() ?? 0
    let reference = most > 0 ? videos.first { inputs[$0].languages.count == most } : nil
    self.reference = reference
    let own = reference.map { inputs[$0].languages } ?? []
    let sounds = inputs.indices.filter { index in
      !inputs[index].hasVideo && (own.isEmpty || !inputs[index].languages.allSatisfy { own.contains($0) })
    }
    let isComplete = videos.allSatisfy { inputs[$0].languages == own }
    let placement: AudioPlacement = audioIsApart || !sounds.isEmpty || !isComplete || most > 1 ? .apart : .withVideo
    roles = inputs.indices.map { index in
      if sounds.contains(index) { return .sound }
      guard inputs[index].hasVideo, inputs[index].languages != own else { return .variant(placement) }
      return .variant(.leftOut)
    }
  }
}

extension InputRoles.Streams {
  init(_ input: borrowing MediaInput) {
    let streams = input.streams.filter { $0.isVideoOrAudio }
    hasVideo = streams.contains { $0.kind == .video }
    languages = streams.filter { $0.kind == .audio }.map { $0.language.flatMap { LanguageTag(container: $0)?.text } }
  }
}
