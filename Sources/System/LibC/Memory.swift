internal import CMalloc

/// How the C library treats memory.
package enum Memory {
  /// Makes the C library return blocks of 128 KiB and more to the system as soon as they are free, and take smaller ones from four pools.
  ///
  /// glibc adapts to large blocks that are freed, and then keeps them: a server that runs for days would seem to grow. It also gives each thread a pool,
  /// up to eight for each processor, and none of them shrinks, which shows with the threads of many streams.
  package static func returnLargeBlocks() { cuelight_return_blocks(128 << 10) }
}
