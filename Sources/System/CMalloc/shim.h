#ifndef CMALLOC_SHIM_H
#define CMALLOC_SHIM_H

#ifdef __linux__
#include <malloc.h>
#endif

/// Makes each thread's heap writable as a whole when it is made. By default it grows a page at a time, with a system call
/// that holds up the other threads, ten thousands of times where ten thousand files are read.
static inline void bugle_malloc_reserve_heaps(void) {
#ifdef M_TOP_PAD
    mallopt(M_TOP_PAD, 60 << 20);
#endif
}

#endif
