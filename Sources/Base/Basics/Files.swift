internal import CLibrary

/// A file that gets its name when it is whole and on the disk: until then the name is that of the old file, or of none.
public struct FileDraft {
    /// The path until it gets its name: in the same folder, or it could not be renamed.
    public let path: String
    private let target: String

    /// Creates it, empty.
    ///
    /// - Throws: ``SystemError`` when it cannot be created.
    public init(of target: String, mode: UInt32) throws(SystemError) {
        self.target = target
        path = target + ".partial-" + String(UInt64.random(in: .min ... .max), radix: 16)
        close(try Self.create(path, mode))
    }

    /// Gives it its name, and has both on the disk afterwards.
    ///
    /// - Parameter isReplacing: whether a file of that name is replaced; if not, even one that came a moment ago and a
    ///   link are refused.
    /// - Throws: ``SystemError``; then the name is as it was, unless the folder could not be written to the disk.
    public func publish(replacing isReplacing: Bool) throws(SystemError) {
        let file = try Self.opened(path, O_RDONLY)
        defer { close(file) }
        try publish(file, replacing: isReplacing)
    }

    private func publish(_ file: Int32, replacing isReplacing: Bool) throws(SystemError) {
        try SystemError.check(fsync(file))
        unsafe try SystemError.check(isReplacing ? rename(path, target) : link(path, target))
        try Self.flush(folderOf: target)
    }

    /// Removes what stands under its own path, whether it has got its name or not.
    public func discard() { unsafe unlink(path) }
}

extension FileDraft {
    /// Writes a file, new or in the place of a regular one, by way of a draft.
    ///
    /// - Parameters:
    ///   - bytes: the whole content.
    ///   - path: the file's path.
    ///   - mode: the permissions; nil: those of the file that is there, and its owner where the system allows it, or
    ///     0644.
    /// - Throws: ``SystemError``; then the name is as it was, unless the folder could not be written to the disk.
    public static func write(_ bytes: [UInt8], to path: String, mode: UInt32? = nil) throws(SystemError) {
        let old = mode == nil ? FileOwnership(of: path) : nil
        if old != nil { unsafe try SystemError.check(access(path, W_OK)) }
        // Nobody reads it before it has the right owner.
        let draft = try FileDraft(of: path, mode: mode ?? (old == nil ? 0o644 : 0o600))
        defer { draft.discard() }
        let file = try opened(draft.path, O_WRONLY | O_NOFOLLOW)
        defer { close(file) }
        if let old {
            // Another owner's file stays theirs where we may say so; otherwise it becomes ours, as with any editor.
            _ = fchown(file, old.user, old.group)
        }
        try Descriptor.write(bytes, to: file)
        if let old { try SystemError.check(fchmod(file, old.mode)) }
        try draft.publish(file, replacing: true)
    }

    /// Makes sure that a file can be written by way of a draft, which is made and removed again.
    ///
    /// - Throws: ``SystemError``; the file itself is never touched.
    public static func check(_ path: String) throws(SystemError) {
        if FileOwnership(of: path) != nil { unsafe try SystemError.check(access(path, W_OK)) }
        try FileDraft(of: path, mode: 0o600).discard()
    }

    /// Writes a file where nothing was, not even a link, also where the file system knows no links.
    ///
    /// - Throws: ``SystemError``; what was written of it is removed again.
    public static func create(_ bytes: [UInt8], at path: String) throws(SystemError) {
        let file = try create(path, 0o644)
        defer { close(file) }
        do throws(SystemError) {
            try Descriptor.write(bytes, to: file)
            try SystemError.check(fsync(file))
            try flush(folderOf: path)
        } catch {
            unsafe unlink(path)
            throw error
        }
    }

    /// Puts the names in a file's folder on the disk, where the file system can be asked for it.
    public static func flush(folderOf path: String) throws(SystemError) {
        let folder = try opened(folder(of: path), O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        if fsync(folder) != 0, errno != EINVAL { throw SystemError() }
    }

    private static func create(_ path: String, _ mode: UInt32) throws(SystemError) -> Int32 {
        try opened(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode_t(mode))
    }

    private static func opened(_ path: String, _ flags: Int32, _ mode: mode_t = 0) throws(SystemError) -> Int32 {
        let descriptor = unsafe open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw SystemError() }
        return descriptor
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }
}

/// Whose a regular file is, and what they may do with it.
private struct FileOwnership {
    /// The permission bits, at most `0o777`: set-user-id is not for a file that may come to have another owner.
    let mode: mode_t
    let user: uid_t
    let group: gid_t

    /// Looks at a file; nil when there is no regular file at the path itself, links not followed.
    init?(of path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        mode = status.st_mode & 0o777
        user = status.st_uid
        group = status.st_gid
    }
}

/// A file itself, whatever its name; links are followed.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Looks for the file that has a name; nil when there is none.
    public init?(_ path: String) {
        guard let status = fileStatus(path) else { return nil }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        (device, inode) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
    }
}

/// Facts that differ when a file was written or replaced; links are followed.
public struct FileStamp: Hashable, Sendable {
    /// The file; nil when there is none.
    public let identity: FileIdentity?
    /// The size in bytes.
    public let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Looks at a file; all zeros when there is none.
    public init(_ path: String) {
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
    return unsafe stat(path, &status) == 0 ? status : nil
}

/// Writing to an open file, a terminal or a pipe.
public enum Descriptor {
    /// Writes all bytes.
    ///
    /// - Throws: ``SystemError`` when not all of them could be written.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe CLibrary.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError() }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes text to standard error in one go, so that lines of several threads do not mix; a reader that is gone is not
    /// an error.
    @Sendable public static func writeToStandardError(_ text: String) {
        try? write(Array(text.utf8), to: STDERR_FILENO)
    }
}

/// The number of files, connections included, that the system lets this process have open.
public enum OpenFileLimit {
    /// Raises the limit to `wanted`, as far as the system allows, and returns it; a greater one stays.
    public static func raise(to wanted: UInt) -> UInt {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard unsafe getrlimit(resource, &limit) == 0 else { return wanted }
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = rlim_t(min(wanted, UInt(limit.rlim_max)))
            if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return UInt(limit.rlim_cur)
    }
}

/// The reason a system call failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number, such as `ENOENT`.
    public let code: Int32

    /// The error of the call that has just failed on this thread.
    public init() { code = errno }

    /// In the system's words, for example `No such file or directory`.
    public var description: String { unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)" }

    /// Throws when a call's result means that it failed.
    static func check(_ result: Int32) throws(SystemError) {
        if result != 0 { throw SystemError() }
    }
}
