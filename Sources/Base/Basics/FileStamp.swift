internal import CLibrary

/// A file itself, whatever its name; links are followed.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Looks for the file that has a name; nil when there is none.
    package init?(_ path: String) {
        guard let status = fileStatus(path) else { return nil }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        (device, inode) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }
}

/// Facts that differ when a file was written or replaced; links are followed.
package struct FileStamp: Hashable, Sendable {
    /// The file; nil when there is none.
    package let identity: FileIdentity?
    /// The size in bytes.
    package let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Looks at a file; all zeros when there is none.
    package init(_ path: String) {
        let found = fileStatus(path)
        identity = found.map(FileIdentity.init)
        let status = found ?? stat()
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        (seconds, nanoseconds) = (changed.tv_sec, changed.tv_nsec)
    }
}

private func fileStatus(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
}
