internal import FoundationEssentials

/// Iterates over every file of a path: a file, a folder, a `.tar`, a `.zip`, or any of these compressed with gzip.
///
/// The first bytes of a file decide its format, not its name. Nothing is written to disk, so the paths in an archive
/// are only names and cannot lead anywhere. A file is read once, from its beginning, in bounded memory.
package final class ArchiveWalk {
    /// The depth to which nested archives are opened.
    private static let mostDepth = 4

    /// The size on disk in bytes, for progress; nil for a pipe.
    package let size: Int64?
    private let onRead: (Int) -> Void
    private let isFolder: Bool
    /// The remaining files, the next one last.
    private var files: [(path: String, name: String)]
    private var file = ""
    /// The open archives, the innermost last.
    private var open: [any ArchiveMembers] = []

    /// Opens a path; `onRead` is called with the number of bytes of each read from disk.
    ///
    /// - Throws: ``TransferError`` if nothing exists at the path.
    package init(path: String, onRead: @escaping (Int) -> Void = { _ in }) throws(TransferError) {
        self.onRead = onRead
        var found = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &found) else {
            throw TransferError("\(path) does not exist")
        }
        isFolder = found
        if isFolder {
            files = try Self.files(in: path)
            size = files.reduce(0) { $0 + (FileBytes.size(of: $1.path) ?? 0) }
        } else {
            files = [(path, path)]
            size = FileBytes.size(of: path)
        }
    }

    /// Returns the next file; nil at the end.
    ///
    /// - Throws: ``TransferError`` if the file or its archive cannot be read.
    package func next() throws(TransferError) -> ArchiveMember? {
        while true {
            if let archive = open.last {
                guard let member = try archive.next() else {
                    open.removeLast()
                    continue
                }
                guard !Self.isHidden(member.name) else { continue }
                let reader = ByteReader(member.bytes, name: "\(file): \(member.name)")
                if let found = try unpacked(reader, member.name) { return found }
                continue
            }
            guard let next = files.popLast() else { return nil }
            file = next.path
            let bytes = try FileBytes(path: file, onRead: onRead)
            let reader = ByteReader(bytes, name: file)
            if ZipMembers.begins(with: try reader.peek(4)) {
                open.append(try ZipMembers(bytes))
            } else if let found = try unpacked(reader, next.name) {
                return found
            }
        }
    }

    /// The file without its gzip layers; nil when it is an archive, which is opened instead.
    private func unpacked(_ reader: ByteReader, _ name: String) throws(TransferError) -> ArchiveMember? {
        var (reader, name) = (reader, name)
        var depth = 0
        while try reader.peek(2) == InflatedBytes.gzipMark {
            depth += 1
            guard depth + open.count <= Self.mostDepth else { throw Self.tooDeep(reader.name) }
            if name.hasSuffix(".gz") { name.removeLast(3) }
            reader = ByteReader(try InflatedBytes(reader, .gzip), name: reader.name)
        }
        let head = try reader.peek(512)
        if TarMembers.begins(with: head) {
            guard open.count < Self.mostDepth else { throw Self.tooDeep(reader.name) }
            open.append(TarMembers(reader))
            return nil
        }
        if let packer = Self.packer(head) {
            throw TransferError("\(reader.name) is \(packer): unpack it and give the folder, or pack it as .tar.gz")
        }
        return ArchiveMember(name: name, bytes: reader, isWhole: !isFolder && open.isEmpty)
    }

    private static func tooDeep(_ name: String) -> TransferError {
        TransferError("\(name) holds archives within archives, more than \(mostDepth) deep: that is not an export")
    }

    /// The name of an unsupported format, recognised by its first bytes.
    private static func packer(_ head: [UInt8]) -> String? {
        let marks: [(String, [UInt8])] = [
            ("a zip within an archive", [0x50, 0x4B, 3, 4]), ("packed with bzip2", [0x42, 0x5A, 0x68]),
            ("packed with xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A]), ("packed with zstd", [0x28, 0xB5, 0x2F, 0xFD]),
            ("a 7z", [0x37, 0x7A, 0xBC, 0xAF]), ("a rar", [0x52, 0x61, 0x72, 0x21]),
        ]
        return marks.first { head.starts(with: $0.1) }?.0
    }

    /// True for files that operating systems leave behind.
    private static func isHidden(_ name: String) -> Bool {
        name.split(separator: "/").contains { $0 == "__MACOSX" }
            || (name.split(separator: "/").last ?? ".").hasPrefix(".")
    }

    /// The files in a folder and its subfolders, in descending order of name.
    ///
    /// - Throws: ``TransferError`` for anything that is neither file nor folder, such as a link that does not lead to a
    ///   file inside the folder.
    private static func files(in folder: String) throws(TransferError) -> [(path: String, name: String)] {
        let paths: [String]
        do {
            paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        } catch {
            throw TransferError("\(folder) cannot be read")
        }
        var files: [(path: String, name: String)] = []
        for name in paths.sorted(by: >) where !isHidden(name) {
            let path = folder + "/" + name
            switch FileBytes.kind(of: path, within: folder) {
            case .file: files.append((path, name))
            case .folder: break
            case .unreadable: throw TransferError("\(path) cannot be read")
            case .other:
                throw TransferError(
                    "\(path) is not a file, or is a link to none within the folder: copy its target there")
            }
        }
        return files
    }
}

/// A file in an archive, or a plain file.
package struct ArchiveMember {
    /// The path within the archive or folder.
    package let name: String
    /// The unpacked content; read it before asking for the next member, or not at all.
    package let bytes: any ByteSource
    /// True when this is the given path itself and not a part of it.
    package var isWhole = false
}

protocol ArchiveMembers: AnyObject {
    /// Returns the next member; nil at the end.
    ///
    /// - Throws: ``TransferError`` when the archive is damaged or cut off.
    func next() throws(TransferError) -> ArchiveMember?
}

extension TransferError {
    /// The archive ends before its declared content does.
    static func cutOff(_ name: String, at count: Int64) -> TransferError {
        TransferError("\(name) ends too early, after \(count) bytes: fetch the file again")
    }

    static func damaged(_ name: String, at count: Int64, _ what: String) -> TransferError {
        TransferError("\(name) is damaged at byte \(count) (\(what)): fetch the file again")
    }
}
