internal import CLibrary
internal import PushConfig

/// Replaces files atomically: a reader sees the old bytes or the new ones, never a mixture.
enum ReplacedFile {
    /// Replaces an existing file and syncs it to disk. Its permissions are kept, and its owner where the system allows
    /// it.
    ///
    /// - Throws: ``Failure`` when it is not a regular file or cannot be written; the old file is then still there.
    static func write(_ bytes: [UInt8], over path: String) throws {
        guard let ownership = FileOwnership(of: path), access(path, W_OK) == 0,
            replace(path, with: bytes, ownership, isDurable: true)
        else { throw Failure(.failed, "\(path) cannot be written") }
    }

    /// Writes a new file, or replaces a regular one; returns false when it could not be written.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let ownership = FileOwnership(of: path)
        guard ownership == nil || access(path, W_OK) == 0 else { return false }
        return replace(path, with: bytes, ownership, isDurable: false)
    }

    private static func replace(
        _ path: String, with bytes: [UInt8], _ ownership: FileOwnership?, isDurable: Bool
    ) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let temporary = folder + ".bugle-" + RandomName.make()
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(temporary, flags, ownership == nil ? 0o644 : 0o600)
        guard descriptor >= 0 else { return false }
        if let ownership {
            // The owner is kept where we are allowed to set it; otherwise the file becomes ours, as with any editor.
            _ = fchown(descriptor, ownership.user, ownership.group)
        }
        let isWritten =
            Console.write(bytes, to: descriptor) == 0
            && (ownership.map { fchmod(descriptor, mode_t($0.mode)) == 0 } ?? true)
            && (!isDurable || fsync(descriptor) == 0)
        guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
            unlink(temporary)
            return false
        }
        return true
    }
}
