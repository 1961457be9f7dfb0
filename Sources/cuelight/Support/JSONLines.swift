import Basics

extension JSONObject {
  mutating func add(_ key: String, _ text: String?) { append(key, orNull: text) }

  mutating func add(_ key: String, _ number: Int) { append(key, number) }

  mutating func add(_ key: String, _ flag: Bool) { append(key, flag) }

  mutating func add(_ key: String, _ time: MediaTime) { append(key, time) }
}
