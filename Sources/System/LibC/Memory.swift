internal import CMalloc

/// How the C library treats memory.
package enum Memory {
  /// Lets blocks of 128 KiB and more always go back to the system once they are free.
  ///
  /// glibc learns from large blocks that come and go, and then keeps them: a server that runs for days would seem to grow.
  package static func returnLargeBlocks() { cuelight_return_blocks(128 << 10) }
}
