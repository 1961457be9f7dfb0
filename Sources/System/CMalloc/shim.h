#ifndef CUELIGHT_CMALLOC_SHIM_H
#define CUELIGHT_CMALLOC_SHIM_H

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Lets blocks of this size and more always go back to the system once they are free, where the C library can be told so.
static inline void cuelight_return_blocks(int size) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, size);
  mallopt(M_TRIM_THRESHOLD, size);
#else
  (void)size;
#endif
}

#endif
