/// The files in a zip, in the order of its directory.
final class ZipMembers: ArchiveMembers {
    private let file: FileBytes
    private var directory: ZipDirectory

    init(_ file: FileBytes) throws(ArchiveError) {
        self.file = file
        directory = try ZipDirectory(of: file)
    }

    /// True if the bytes begin a zip.
    static func begins(with bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
    }

    func next() throws(ArchiveError) -> ArchiveMember? {
        guard let entry = try directory.next() else { return nil }
        return ArchiveMember(name: entry.name, bytes: try ZipMemberBytes(file, entry))
    }
}

/// One file of a zip, decompressed and verified.
private final class ZipMemberBytes: ByteSource {
    private let entry: ZipDirectory.Entry
    private let source: any ByteSource
    private let place: String
    private var checksum = Checksum()
    private var count: Int64 = 0

    init(_ file: FileBytes, _ entry: ZipDirectory.Entry) throws(ArchiveError) {
        self.entry = entry
        place = "\(file.name), within \(entry.name),"
        let packed = ByteReader(try FileRange(file, entry), name: place)
        switch entry.method {
        case 0: source = packed
        case 8: source = try InflatedBytes(packed, .raw)
        default:
            throw ArchiveError("\(place) uses an unsupported compression method (\(entry.method)): pack it with zip")
        }
    }

    func next() throws(ArchiveError) -> [UInt8] {
        let bytes = try source.next()
        checksum.add(bytes)
        count += Int64(bytes.count)
        if bytes.isEmpty, count != entry.size || checksum.value != entry.checksum {
            throw .damaged(place, at: count, "its checksum does not match")
        }
        return bytes
    }
}

/// The compressed bytes of one file of a zip.
private final class FileRange: ByteSource {
    private static let headerSize = 30

    private let file: FileBytes
    private let name: String
    private var offset: Int64
    private var left: Int64

    init(_ file: FileBytes, _ entry: ZipDirectory.Entry) throws(ArchiveError) {
        self.file = file
        name = entry.name
        let header = try file.bytes(at: entry.offset, Self.headerSize)
        guard header.count == Self.headerSize, header.starts(with: [0x50, 0x4B, 3, 4]) else {
            throw .damaged(file.name, at: entry.offset, "not a header of \(entry.name)")
        }
        offset = entry.offset + Int64(Self.headerSize) + header.number(26, 2) + header.number(28, 2)
        left = entry.packedSize
    }

    func next() throws(ArchiveError) -> [UInt8] {
        guard left > 0 else { return [] }
        let bytes = try file.bytes(at: offset, Int(min(left, Int64(FileBytes.pieceSize))))
        guard !bytes.isEmpty else { throw .cutOff("\(file.name), within \(name),", at: offset) }
        offset += Int64(bytes.count)
        left -= Int64(bytes.count)
        return bytes
    }
}

extension [UInt8] {
    /// The little-endian number in `size` bytes from an index on.
    func number(_ index: Int, _ size: Int) -> Int64 {
        self[index..<(index + size)].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
