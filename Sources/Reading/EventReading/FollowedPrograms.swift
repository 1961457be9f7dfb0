package import Basics
package import TransportStream

/// A program of a transport stream that is read.
package protocol FollowedProgram: Sendable {
  /// Its PMT.
  var map: ProgramMapTable { get }
  /// Where it is in the programme.
  var timeline: ProgrammeTimeline { get }
  /// Replaces the PMT. Streams that it still lists continue.
  mutating func update(_ map: ProgramMapTable)
}

/// The programs of a transport stream that are read, as its tables list them.
package struct FollowedPrograms<Program: FollowedProgram>: Sendable {
  /// The programs in the order of their numbers.
  package var all: [Program] = []
  /// The start of programs whose PMTs have not arrived.
  private var start: ProgrammeTimeline.Start

  /// The maximum number of programs that are read, because each may hold metadata. These are the first ones whose PMTs arrive.
  private static var most: Int { 64 }

  /// Starts without programs.
  package init(startingAt start: ProgrammeTimeline.Start) { self.start = start }

  /// Records that about `duration` of the stream is missing here: programs whose PMTs have not arrived start later. The others are the caller's.
  package mutating func skip(_ duration: MediaTime) { start.skip(duration) }

  /// Removes the programs that a PAT no longer lists. If none of the old ones is left, the programme continues with those that it lists.
  ///
  /// - Parameter end: Ends a program before it is removed.
  package mutating func follow(_ table: ProgramAssociationTable, ending end: (inout Program) -> Void) {
    func isListed(_ program: Program) -> Bool { table.programs.contains { $0.number == program.map.programNumber } }
    for index in all.indices where !isListed(all[index]) { end(&all[index]) }
    if !all.contains(where: isListed), let end = all.compactMap({ $0.timeline.end }).max() {
      let videoEnd = all.compactMap { $0.timeline.videoEnd }.max()
      start = ProgrammeTimeline.Start(time: end, videoTime: videoEnd ?? end)
    }
    all.removeAll { !isListed($0) }
  }

  /// Updates the program of a PMT, or adds it.
  ///
  /// - Parameter make: Makes a program that starts there.
  package mutating func follow(_ map: ProgramMapTable, adding make: (ProgrammeTimeline.Start) -> Program) {
    let place = all.firstIndex { $0.map.programNumber >= map.programNumber } ?? all.endIndex
    if place < all.endIndex, all[place].map.programNumber == map.programNumber {
      all[place].update(map)
    } else if all.count < Self.most {
      all.insert(make(start), at: place)
    }
  }
}
