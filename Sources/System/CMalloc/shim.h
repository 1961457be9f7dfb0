#ifndef CUELIGHT_CMALLOC_SHIM_H
#define CUELIGHT_CMALLOC_SHIM_H

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Makes the C library return blocks of this size and more to the system as soon as they are free, and take smaller ones from a few pools, if it
/// supports that.
static inline void cuelight_return_blocks(int size) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, size);
  mallopt(M_TRIM_THRESHOLD, size);
  mallopt(M_ARENA_MAX, 4);
#else
  (void)size;
#endif
}

#endif
