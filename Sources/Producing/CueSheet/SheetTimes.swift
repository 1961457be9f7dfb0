package import Basics
package import Sheets

// Values that only cue sheets have: times, and any JSON.

extension SheetNode {
  /// A time or a duration from 0.
  package func time(_ key: String, _ problems: inout [SheetProblem]) -> MediaTime? {
    guard let scalar = scalar(key, "a time", &problems) else { return nil }
    do throws(CueTimeError) {
      return try MediaTime(cueTime: scalar.text)
    } catch {
      let fault =
        switch error {
        case .negative: "is below zero; write a time from 0 on"
        case .notATime: "is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm"
        }
      return scalar.refuse(key, ", which \(fault)", &problems)
    }
  }

  /// A duration above 0.
  package func duration(_ key: String, _ problems: inout [SheetProblem]) -> MediaTime? {
    guard let duration = time(key, &problems) else { return nil }
    guard duration > .zero else { return problems.refuse(at: place, "\(key.quoted) is no time at all; write a duration above 0") }
    return duration
  }
}

extension SheetFields {
  mutating func time(_ key: String, isRequired: Bool = false) -> MediaTime? { take(key, isRequired: isRequired)?.time(key, &problems) }

  mutating func duration(_ key: String, isRequired: Bool = false) -> MediaTime? {
    take(key, isRequired: isRequired)?.duration(key, &problems)
  }

  /// Reads all remaining fields as JSON.
  mutating func readRest() -> JSONObject {
    let members = takeRemaining()
    let object = JSONObject(members.prefix(SheetLimits.elements).map { JSONObject.Member(key: $0.key, value: $0.value.json(&problems)) })
    if members.count > SheetLimits.elements {
      problems.report(at: place, "\(name) has \(members.count) keys, above the limit of \(SheetLimits.elements); use fewer")
    }
    return object
  }
}
