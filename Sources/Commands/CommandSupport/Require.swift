package import ArgumentParser

/// Refuses the arguments of a command unless a condition holds.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(ValidationError) {
  if !condition { throw ValidationError(message()) }
}

/// Returns the value of an argument, and refuses the argument if there is none.
package func require<Value>(_ value: Value?, _ message: @autoclosure () -> String) throws(ValidationError) -> Value {
  guard let value else { throw ValidationError(message()) }
  return value
}
