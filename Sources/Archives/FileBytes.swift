internal import CLibrary

/// A file, or a pipe, as its bytes.
final class FileBytes: ByteSource {
    /// Bytes a piece.
    static let pieceSize = 256 << 10

    /// The path as people wrote it.
    let name: String
    /// How many bytes it has; nil for a pipe.
    let size: Int64?
    private let descriptor: Int32
    private let onRead: (Int) -> Void

    /// Opens a file.
    ///
    /// - Parameter onRead: told how many bytes were read, each time.
    init(path: String, onRead: @escaping (Int) -> Void = { _ in }) throws(ArchiveError) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ArchiveError("\(path) cannot be opened: \(Self.reason)") }
        size = Self.size(of: path, followingLink: true)
        name = path
        self.onRead = onRead
    }

    deinit { close(descriptor) }

    func next() throws(ArchiveError) -> [UInt8] {
        try unsafe bytes(Self.pieceSize) { buffer in unsafe read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// At most so many bytes from an offset.
    func bytes(at offset: Int64, _ most: Int) throws(ArchiveError) -> [UInt8] {
        try unsafe bytes(most) { buffer in unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    private func bytes(
        _ most: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in unsafe body(buffer) }
            if count >= 0 {
                bytes.removeLast(most - count)
                onRead(count)
                return bytes
            }
            guard errno == EINTR else { throw ArchiveError("\(name) cannot be read: \(Self.reason)") }
        }
    }

    /// How large a file is; nil when it is none, but a folder, a pipe or a link.
    static func size(of path: String, followingLink: Bool = false) -> Int64? {
        var status = stat()
        let result = unsafe followingLink ? stat(path, &status) : lstat(path, &status)
        return result == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    /// The system's words for the last error.
    private static var reason: String { unsafe String(cString: strerror(errno)) }
}
