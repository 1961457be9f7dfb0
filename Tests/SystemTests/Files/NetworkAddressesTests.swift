import Files
import Testing

@Suite struct NetworkAddressesTests {
  /// Whatever network there is, a phone could open its address.
  @Test func noLoopback() {
    let addresses = NetworkAddresses.listed + [NetworkAddresses.reachable].compactMap(\.self)
    for address in addresses {
      let parts = address.split(separator: ".").compactMap { UInt8($0) }
      #expect(parts.count == 4 && parts[0] != 127 && parts != [0, 0, 0, 0], "\(address)")
    }
    #expect(NetworkAddresses.listed.isEmpty == (NetworkAddresses.reachable == nil))
  }
}
