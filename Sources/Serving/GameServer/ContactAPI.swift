import Basics
import GameHosting
import GameStore
import HTTPTypes
import LibC
import LiveInterface
import Scoring
import WebSupport

/// Addresses that players leave after a game.
extension GameAPI {
  static let contactCalls = [
    Entry(
      "leaveContact", Route("POST", "/v1/games/{game}/contacts"), .player, .making, "players",
      "Leave an address after the game, with consent.", [.done], body: .json(GameOpenAPI.contactRequest),
      problems: [409: ["too-early"], 503: ["overloaded"]], .function(GameAPI.leaveContact)),
    Entry(
      "getContacts", Route("GET", "/v1/games/{game}/contacts"), .host, .reading, "hosts", "Give the addresses that players have left.",
      [.json(200, "The addresses.", .object(["contacts": .list(.reference("Contact"))], optional: ["next": .text]))],
      parameters: [.nextPage], problems: [422: ["invalid"]], .function(GameAPI.contacts)),
    Entry(
      "removeContacts", Route("DELETE", "/v1/games/{game}/contacts"), .host, .making, "hosts",
      "Forget the addresses that players have left.", [.done],
      .game { (api, _, game) throws(Problem) in
        try await api.write([.removeContacts(game: game.stored.id)])
        return .noContent
      }),
  ]

  private static let contactKeys = ["name", "email", "phone", "address", "message"]
  private static let longTexts: Set<String> = ["address", "message"]

  private func leaveContact(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    guard let token = call.token else { throw .unauthorized }
    let player = try player(token, runner)
    guard runner.look({ game in game.end != nil }) else { throw Problem("too-early", .conflict, "the form comes after the game") }
    let object = try call.object()
    guard object["consent"]?.bool == true else { throw .invalid("/consent", "nothing is kept without consent; write true to give it") }
    var kept = JSONObject()
    for member in object.members where member.key != "consent" {
      guard Self.contactKeys.contains(member.key) else {
        throw .invalid("/\(member.key)", "there is no such field; there are \(Self.contactKeys.joined(separator: ", "))")
      }
      guard let text = member.value.string, text.utf8.count <= 1_000 else {
        throw .invalid("/\(member.key)", "write up to 1000 bytes of text")
      }
      if !text.isEmpty, let fault = HiddenCharacters.faults(of: text, mayHaveLines: Self.longTexts.contains(member.key)).first {
        throw .invalid("/\(member.key)", "the text \(fault)")
      }
      if member.key == "email", !text.isEmpty, !EmailAddress.isValid(text) {
        throw .invalid("/email", "write an e-mail address such as ann@example.org")
      }
      kept.append(member.key, text)
    }
    guard !kept.isEmpty else { throw .invalid("", "write one of \(Self.contactKeys.joined(separator: ", "))") }
    let contact = StoredContact(game: runner.stored.id, player: player, text: kept.text, at: WallClock.now)
    // Runs in the same order as the deletion of contacts.
    try await perform(runner) { (game, _) throws(HostingProblem) in
      guard !game.isRemoved(player) else { throw .unknownPlayer }
      return ((), HostedGame.Change(), [.contact(contact)])
    }
    return .noContent
  }

  private func contacts(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    let (id, cursor) = (runner.stored.id, try Self.cursor(call))
    return try await list(call) { (store) throws(StoreError) in
      let page = try store.contacts(of: id, after: cursor, size: Self.pageSize)
      let nicknames = runner.look { game in
        let nicknames = game.scored.roster.nicknames
        return page.elements.map { nicknames.indices.contains($0.player) ? nicknames[$0.player].text : "" }
      }
      let contacts = zip(page.elements, nicknames).map { contact, nickname in
        var object = JSONObject(fields: ["player": contact.player, "nickname": nickname, "at": Self.date(contact.at)])
        if let value = (try? JSONValue(parsing: contact.text))?.object { object.appendAbsent(value) }
        return object
      }
      return JSONObject(fields: ["contacts": contacts]).with("next", page.next?.description)
    }
  }
}
