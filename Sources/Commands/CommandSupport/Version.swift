/// The version of the programs.
package enum Version {
  package static let number = "0.1.0"
}
