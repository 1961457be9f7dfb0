import LibC
import Testing

@Suite struct SharedLibraryTests {
  @Test func findsTheFirstOfTheNames() {
    #expect(SharedLibrary(["libm.so.no", "libm.so.6", "libSystem.B.dylib"]) != nil)
    #expect(SharedLibrary(["libm.so.no"]) == nil && SharedLibrary([]) == nil)
  }
}
