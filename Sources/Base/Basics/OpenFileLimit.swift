internal import CLibrary

/// The number of files, connections included, that the system lets this process have open.
package enum OpenFileLimit {
    /// Raises the limit to `wanted`, as far as the system allows, and returns it; a greater one stays.
    package static func raise(to wanted: UInt) -> UInt {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return wanted }
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = rlim_t(min(wanted, UInt(limit.rlim_max)))
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return UInt(limit.rlim_cur)
    }
}
