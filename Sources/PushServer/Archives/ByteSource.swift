internal import CLibrary

/// A source of bytes that is read once, from its beginning.
package protocol ByteSource: AnyObject {
    /// Returns the next chunk, of bounded size; empty at the end and from then on.
    ///
    /// - Throws: ``TransferError`` if the bytes cannot be read.
    func next() throws(TransferError) -> [UInt8]
}

/// A byte source with lookahead.
final class ByteReader: ByteSource {
    let name: String
    private(set) var count: Int64 = 0
    private let source: any ByteSource
    private var buffer: ArraySlice<UInt8> = []

    init(_ source: any ByteSource, name: String) {
        self.source = source
        self.name = name
    }

    func next() throws(TransferError) -> [UInt8] { try take(.max) }

    /// Consumes at most `most` bytes; empty only at the end.
    func take(_ most: Int) throws(TransferError) -> [UInt8] {
        if buffer.isEmpty { buffer = try source.next()[...] }
        let taken = Array(buffer.prefix(most))
        buffer = buffer.dropFirst(taken.count)
        count += Int64(taken.count)
        return taken
    }

    /// The next `wanted` bytes, or fewer at the end, without consuming them.
    func peek(_ wanted: Int) throws(TransferError) -> [UInt8] {
        while buffer.count < wanted {
            let more = try source.next()
            if more.isEmpty { break }
            buffer = Array(buffer)[...] + more
        }
        return Array(buffer.prefix(wanted))
    }

    /// Consumes exactly `wanted` bytes, a small number; nil when none are left.
    ///
    /// - Throws: ``TransferError`` if there are some bytes left, but not enough.
    func exactly(_ wanted: Int) throws(TransferError) -> [UInt8]? {
        let found = try peek(wanted)
        guard !found.isEmpty else { return nil }
        guard found.count == wanted else { throw .cutOff(name, at: count + Int64(found.count)) }
        buffer = buffer.dropFirst(wanted)
        count += Int64(wanted)
        return found
    }
}

/// A fixed number of bytes of a reader.
final class PartBytes: ByteSource {
    private let reader: ByteReader
    private let name: String
    private(set) var left: Int64

    init(_ reader: ByteReader, count: Int64, name: String) {
        self.reader = reader
        self.name = name
        left = count
    }

    func next() throws(TransferError) -> [UInt8] {
        guard left > 0 else { return [] }
        let bytes = try reader.take(Int(clamping: left))
        guard !bytes.isEmpty else { throw .cutOff("\(reader.name), within \(name),", at: reader.count) }
        left -= Int64(bytes.count)
        return bytes
    }
}

final class FileBytes: ByteSource {
    /// The chunk size in bytes.
    static let pieceSize = 256 << 10

    /// The path as the user wrote it.
    let name: String
    /// The size in bytes; nil for a pipe.
    let size: Int64?
    private let descriptor: Int32
    private let onRead: (Int) -> Void

    /// Opens a file; `onRead` is called with the number of bytes of each read.
    init(path: String, onRead: @escaping (Int) -> Void = { _ in }) throws(TransferError) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TransferError("\(path) cannot be opened: \(Self.reason)") }
        size = Self.size(of: path)
        name = path
        self.onRead = onRead
    }

    deinit { close(descriptor) }

    func next() throws(TransferError) -> [UInt8] {
        try unsafe bytes(Self.pieceSize) { buffer in unsafe read(descriptor, buffer.baseAddress, buffer.count) }
    }

    func bytes(at offset: Int64, _ most: Int) throws(TransferError) -> [UInt8] {
        try unsafe bytes(most) { buffer in unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    private func bytes(_ most: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) throws(TransferError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in unsafe body(buffer) }
            if count >= 0 {
                bytes.removeLast(most - count)
                onRead(count)
                return bytes
            }
            guard errno == EINTR else { throw TransferError("\(name) cannot be read: \(Self.reason)") }
        }
    }

    /// The size of a file or a link's target; nil for anything that is not a regular file.
    static func size(of path: String) -> Int64? {
        var status = stat()
        let result = unsafe stat(path, &status)
        return result == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    /// The kind of entry at a path in a folder.
    enum Kind {
        /// A file, or a link to one within the folder.
        case file
        case folder
        /// A folder whose files cannot be listed.
        case unreadable
        case other
    }

    /// The kind of entry at a path; a link that leaves the folder is ``Kind/other``.
    static func kind(of path: String, within folder: String) -> Kind {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return .other }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return unsafe access(path, R_OK | X_OK) == 0 ? .folder : .unreadable
        case S_IFLNK:
            guard size(of: path) != nil, let target = resolved(path), let root = resolved(folder) else { return .other }
            return target.hasPrefix(root == "/" ? root : root + "/") ? .file : .other
        default: return .other
        }
    }

    /// The path with all links resolved.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The system's message for the last error.
    private static var reason: String { unsafe String(cString: strerror(errno)) }
}
