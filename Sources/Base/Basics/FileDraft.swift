internal import CLibrary

/// A file that gets its name when it is whole and on the disk: until then the name is that of the old file, or of none.
package struct FileDraft {
    /// The path until it gets its name: in the same folder, or it could not be renamed.
    package let path: String
    private let target: String

    /// Creates it, empty.
    ///
    /// - Throws: ``SystemError`` when it cannot be created.
    package init(of target: String, mode: UInt32) throws(SystemError) {
        self.target = target
        path = target + ".partial-" + String(UInt64.random(in: .min ... .max), radix: 16)
        close(try Self.create(path, mode))
    }

    /// Gives it its name, and has both on the disk afterwards.
    ///
    /// - Parameter isReplacing: whether a file of that name is replaced; if not, even one that came a moment ago and a
    ///   link are refused.
    /// - Throws: ``SystemError``; then the name is as it was, unless the folder could not be written to the disk.
    package func publish(replacing isReplacing: Bool) throws(SystemError) {
        let file = try Self.opened(path, O_RDONLY)
        defer { close(file) }
        try publish(file, replacing: isReplacing)
    }

    private func publish(_ file: Int32, replacing isReplacing: Bool) throws(SystemError) {
        try SystemError.check(fsync(file))
        try SystemError.check(isReplacing ? rename(path, target) : link(path, target))
        try Self.flush(folderOf: target)
    }

    /// Removes what stands under its own path, whether it has got its name or not.
    package func discard() { unlink(path) }
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
    package static func write(_ bytes: [UInt8], to path: String, mode: UInt32? = nil) throws(SystemError) {
        let old = mode == nil ? FileOwnership(of: path) : nil
        if old != nil { try SystemError.check(access(path, W_OK)) }
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
    package static func check(_ path: String) throws(SystemError) {
        if FileOwnership(of: path) != nil { try SystemError.check(access(path, W_OK)) }
        try FileDraft(of: path, mode: 0o600).discard()
    }

    /// Writes a file where nothing was, not even a link, also where the file system knows no links.
    ///
    /// - Throws: ``SystemError``; what was written of it is removed again.
    package static func create(_ bytes: [UInt8], at path: String) throws(SystemError) {
        let file = try create(path, 0o644)
        defer { close(file) }
        do throws(SystemError) {
            try Descriptor.write(bytes, to: file)
            try SystemError.check(fsync(file))
            try flush(folderOf: path)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Puts the names in a file's folder on the disk, where the file system can be asked for it.
    package static func flush(folderOf path: String) throws(SystemError) {
        let folder = try opened(folder(of: path), O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        if fsync(folder) != 0, errno != EINVAL { throw SystemError() }
    }

    private static func create(_ path: String, _ mode: UInt32) throws(SystemError) -> Int32 {
        try opened(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode_t(mode))
    }

    private static func opened(_ path: String, _ flags: Int32, _ mode: mode_t = 0) throws(SystemError) -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC, mode)
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
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        mode = status.st_mode & 0o777
        user = status.st_uid
        group = status.st_gid
    }
}
