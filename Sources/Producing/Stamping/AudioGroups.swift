import Basics
import LibAV

extension [WrittenRendition] {
  /// Gives each variant with video its audio group: its own tracks, or those of the input that `roles` names, and those of inputs that are audio
  /// of all variants.
  ///
  /// - Returns: The variants, and the files that are not needed because others are the same.
  func grouped(_ roles: InputRoles) -> (variants: [WrittenRendition], discarded: [String]) {
    let sounds = zip(self, roles.roles).filter { $0.1 == .sound }.flatMap { $0.0.allAudio }
    var groups: [(name: String, tracks: [WrittenRendition.Audio])] = []
    var discarded: [String] = []
    var ownGroups: [Int: Int] = [:]
    for (index, rendition) in enumerated() where roles.roles[index] != .sound && !rendition.audio.isEmpty {
      // Identical audio of several inputs is kept once.
      if let same = groups.firstIndex(where: { $0.tracks.map { $0.hash } == rendition.audio.map { $0.hash } }) {
        discarded += rendition.audio.flatMap { $0.track.fileNames }
        ownGroups[index] = same
      } else {
        ownGroups[index] = groups.count
        groups.append(("audio-\(index + 1)", rendition.audio))
      }
    }
    if groups.isEmpty, !sounds.isEmpty { groups.append(("audio", [])) }
    if groups.count == 1 { groups[0].name = "audio" }
    for index in groups.indices { groups[index].tracks += sounds }
    let common = roles.reference.flatMap { ownGroups[$0] } ?? (sounds.isEmpty ? nil : 0)
    let variants = indices.filter { roles.roles[$0] != .sound }.map { index in
      var variant = self[index]
      // Audio in the same segments as the video needs no group.
      let placement = roles.roles[index]
      let group = ownGroups[index] ?? (variant.hasVideo && placement != .variant(.withVideo) ? common : nil)
      variant.audio = group.map { groups[$0].tracks } ?? []
      variant.audioGroup = group.map { groups[$0].name }
      return variant
    }
    return (variants, discarded)
  }
}
