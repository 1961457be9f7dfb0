package import Basics
import Nicknames
package import Scoring

/// The teams of a game, and how their points are computed.
package struct TeamRules: Equatable, Sendable {
  /// The teams that the host has made; empty if players make up the names of their teams.
  package var names: [Nickname] = []
  /// How the points of a team come from those of its players.
  package var scoring = TeamScoring.mean

  /// The maximum number of teams that a host makes.
  package static let mostNames = 100

  /// - Throws: ``HostingProblem`` if the value is neither `"free"` nor a list of names that do not look alike.
  static func names(_ value: JSONValue) throws(HostingProblem) -> [Nickname] {
    if value.string == "free" { return [] }
    guard let list = value.array, (2...mostNames).contains(list.count) else {
      throw .invalid("/rules/teams", "write \"free\" for teams that players make up, or a list of 2 to \(mostNames) names")
    }
    var (names, looks) = ([Nickname](), Set<String>())
    for (index, entry) in list.enumerated() {
      let name = try name(entry.string ?? "", "/rules/teams/\(index)")
      guard looks.insert(NicknameLook.look(of: name.text)).inserted else {
        throw .invalid("/rules/teams/\(index)", "another team has this name, or one that looks like it")
      }
      names.append(name)
    }
    return names
  }

  private static func name(_ text: String, _ pointer: String) throws(HostingProblem) -> Nickname {
    do throws(HostingProblem) { return try name(text) } catch {
      guard case .teamInvalid(let reason) = error else { throw error }
      throw .invalid(pointer, reason)
    }
  }

  /// The name of a team, by the rules for nicknames.
  ///
  /// - Throws: ``HostingProblem/teamInvalid(_:)``.
  static func name(_ text: String) throws(HostingProblem) -> Nickname {
    let name: Nickname
    do throws(NicknameError) { name = try Nickname(text) } catch {
      throw .teamInvalid("\(error)".replacing("the nickname", with: "the name of the team"))
    }
    guard !NicknameLook.look(of: name.text).isEmpty else { throw .teamInvalid("the name of the team has no letter or digit; write one") }
    guard !NicknameLook.isForbidden(name.text) else { throw .teamInvalid("a team cannot have this name; choose another") }
    return name
  }

  /// The teams as players learn of them.
  package var object: JSONObject { JSONObject(fields: ["names": names.map(\.text), "points": scoring.text]) }

  /// The JSON that ``names(_:)`` reads.
  var value: JSONValue { names.isEmpty ? .string("free") : .array(names.map { .string($0.text) }) }
}
