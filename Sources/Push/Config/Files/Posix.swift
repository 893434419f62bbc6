internal import CLibrary
internal import YAML

/// The few POSIX calls that reading a workspace needs; only this file uses them.
enum Posix {
    /// The reason a call failed, in the system's words.
    struct Failure: Error {
        var code: Int32

        /// The system's message, such as `No such file or directory`.
        var message: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

        /// True when nothing of that name exists.
        var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
    }

    enum EntryKind {
        case file
        case folder
        case link
        /// A device, a socket or a pipe.
        case other
    }

    /// An absolute path without links, `.` and `..`.
    static func realPath(_ path: String) throws(Failure) -> String {
        guard let resolved = realpath(path, nil) else { throw Failure(code: errno) }
        // `realpath` allocated it for us.
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The kind of entry a path leads to, following links.
    static func kind(of path: String) throws(Failure) -> EntryKind {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Failure(code: errno) }
        return kind(status.st_mode)
    }

    /// True when a path ends in a link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && kind(status.st_mode) == .link
    }

    /// The target of a link, as written; nil when there is no link.
    static func text(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &bytes, bytes.count - 1)
        return count < 0 ? nil : String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names in a folder with their kinds, in no order, without following links; `.` and `..` are left out.
    static func entries(of folder: String) throws(Failure) -> [(name: String, kind: EntryKind)] {
        guard let directory = opendir(folder) else { throw Failure(code: errno) }
        defer { closedir(directory) }
        var entries: [(name: String, kind: EntryKind)] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = name(of: entry)
            guard name != ".", name != ".." else { continue }
            entries.append((name, try kind(Int32(entry.pointee.d_type), name, folder)))
            errno = 0
        }
        guard errno == 0 else { throw Failure(code: errno) }
        return entries
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        // The name is a zero-terminated character array inside the entry.
        withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                String(cString: $0)
            }
        }
    }

    private static func kind(_ type: Int32, _ name: String, _ folder: String) throws(Failure) -> EntryKind {
        switch type {
        case Int32(DT_REG): return .file
        case Int32(DT_DIR): return .folder
        case Int32(DT_LNK): return .link
        case Int32(DT_UNKNOWN):
            // Some file systems do not report the kind.
            var status = stat()
            guard lstat(folder + "/" + name, &status) == 0 else { throw Failure(code: errno) }
            return kind(status.st_mode)
        default: return .other
        }
    }

    private static func kind(_ mode: mode_t) -> EntryKind {
        switch mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .other
        }
    }
}

extension Posix {
    /// The bytes of a regular file, at most one more than it may have; nil when it is not a regular file.
    static func contents(of path: String, atMost most: Int = Limits.bytes) throws(Failure) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe of that name would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(code: errno) }
        guard kind(status.st_mode) == .file else { return nil }
        let limit = most + 1
        var bytes: [UInt8] = []
        // One byte more than the file has, so that the same call sees the end.
        var room = min(limit, max(0, Int(status.st_size)) + 1)
        while room > 0 {
            var failure: Failure?
            let more = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                failure = fill(buffer, &count, from: descriptor)
            }
            if let failure { throw failure }
            bytes = bytes.isEmpty ? more : bytes + more
            // A file that fills it has grown in the meantime.
            room = more.count == room ? limit - bytes.count : 0
        }
        return bytes
    }

    private static func fill(
        _ buffer: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int, from descriptor: Int32
    ) -> Failure? {
        // Every read appends to the bytes already read and stays inside the buffer.
        while count < buffer.count, let start = buffer.baseAddress {
            let room = buffer.count - count
            let length = read(descriptor, start + count, room)
            if length >= 0 {
                count += length
                // A regular file returns less than requested only at its end.
                if length < room { return nil }
            } else if errno != EINTR {
                return Failure(code: errno)
            }
        }
        return nil
    }
}
