internal import CLibrary

/// Facts that differ when a file was written or replaced; links are followed.
package struct FileStamp: Hashable, Sendable {
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Looks at a file; all zeros when there is none.
    package init(_ path: String) {
        var status = stat()
        if stat(path, &status) != 0 { status = stat() }
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        (seconds, nanoseconds) = (changed.tv_sec, changed.tv_nsec)
    }
}
