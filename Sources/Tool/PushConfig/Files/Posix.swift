internal import CLibrary
internal import LocatedYAML

/// The few calls of POSIX that reading a workspace needs; the only file that knows them.
enum Posix {
    /// Why a call failed, in the system's words.
    struct Failure: Error {
        var code: Int32

        /// For example `No such file or directory`.
        var message: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

        /// Whether there is nothing of that name.
        var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
    }

    /// What stands under a name.
    enum EntryKind {
        case file
        case folder
        case link
        /// A device, a socket, a pipe.
        case other
    }

    /// An absolute path without links, `.` and `..`.
    static func realPath(_ path: String) throws(Failure) -> String {
        guard let resolved = realpath(path, nil) else { throw Failure(code: errno) }
        // `realpath` allocated it for us.
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What a path leads to, links followed.
    static func kind(of path: String) throws(Failure) -> EntryKind {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Failure(code: errno) }
        return kind(status.st_mode)
    }

    /// Whether a path ends in a link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && kind(status.st_mode) == .link
    }

    /// What a link says, as it was written; nil when there is none.
    static func text(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &bytes, bytes.count - 1)
        return count < 0 ? nil : String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names in a folder with what each of them is, links not followed; `.` and `..` left out, in no order.
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
        // The name is an array of characters inside the entry, ended by a zero.
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
            // Some file systems do not say.
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
    /// The bytes of a regular file, at most one more than a configuration may have; nil when it is no regular file.
    static func contents(of path: String) throws(Failure) -> [UInt8]? {
        // Without O_NONBLOCK a pipe of that name would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(code: errno) }
        guard kind(status.st_mode) == .file else { return nil }
        let limit = Limits.bytes + 1
        // One byte more than there are, so that the end is seen by the same call.
        let room = min(limit, max(0, Int(status.st_size)) + 1)
        var failure: Failure?
        var bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            failure = fill(buffer, &count, from: descriptor)
        }
        if let failure { throw failure }
        while bytes.count == room, bytes.count < limit {
            // The file has grown meanwhile.
            var failure: Failure?
            let more = [UInt8](unsafeUninitializedCapacity: limit - bytes.count) { buffer, count in
                failure = fill(buffer, &count, from: descriptor)
            }
            if let failure { throw failure }
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    private static func fill(
        _ buffer: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int, from descriptor: Int32
    ) -> Failure? {
        // Every read goes behind what is there and stays inside the buffer.
        while count < buffer.count, let start = buffer.baseAddress {
            let room = buffer.count - count
            let length = read(descriptor, start + count, room)
            if length >= 0 {
                count += length
                // A regular file gives less than was asked for only at its end.
                if length < room { return nil }
            } else if errno != EINTR {
                return Failure(code: errno)
            }
        }
        return nil
    }
}
