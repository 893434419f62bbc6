internal import Glibc
internal import PushConfig

/// Writes files anew that were there before.
enum ReplacedFile {
    /// Replaces a regular file at once: a reader sees the old bytes or the new ones. Its permissions stay, and its owner
    /// where the system allows it.
    ///
    /// - Throws: ``Failure`` when it cannot be written; the old file is there then.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let failure = Failure(.failed, "\(path) cannot be written")
        guard let ownership = FileOwnership(of: path), access(path, W_OK) == 0 else { throw failure }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let temporary = folder + ".bugle-fmt-" + RandomName.make()
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure }
        // Another owner's file stays theirs where we may say so; otherwise it becomes ours, as with any editor.
        _ = fchown(descriptor, ownership.user, ownership.group)
        let isWritten =
            Console.write(bytes, to: descriptor) == 0 && fchmod(descriptor, ownership.mode) == 0
            && fsync(descriptor) == 0
        guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
            unlink(temporary)
            throw failure
        }
    }
}
