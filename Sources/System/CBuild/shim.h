#ifndef CBUILD_SHIM_H
#define CBUILD_SHIM_H

/// The commit that a package was built from. `make package` links an object that holds it; other builds have none, and can
/// be linked anew for another commit without compiling anything.
extern const char bugle_commit[] __attribute__((weak));

/// The commit; null when the build does not know it.
static inline const char *bugle_build_commit(void) {
#ifdef __APPLE__
    // There what is missing is an error of the linker.
    return 0;
#else
    return bugle_commit;
#endif
}

#endif
