/// The files in a zip, in the order of the central directory at its end, which is read in pieces.
final class ZipMembers: ArchiveMembers {
    fileprivate struct Entry {
        let name: String
        /// The compression method: 0 for stored, 8 for deflate.
        let method: Int
        let checksum: UInt32
        let packedSize: Int64
        let size: Int64
        /// The offset of the file's local header.
        let offset: Int64
    }

    private static let endSize = 22
    private static let end64Size = 56
    private static let locatorSize = 20
    private static let entrySize = 46
    private static let mostComment = 0xFFFF
    /// The value of a 32-bit field whose number is stored in 64 bits elsewhere.
    private static let elsewhere: Int64 = 0xFFFF_FFFF

    private let file: FileBytes
    private var offset: Int64
    private let end: Int64
    /// The number of files and folders left; the end record holds it in 16 bits.
    private var left: Int64
    /// The compressed bytes listed so far: files that share theirs are a zip bomb.
    private var listed: Int64 = 0

    /// Locates the directory.
    init(_ file: FileBytes) throws(TransferError) {
        self.file = file
        guard let size = file.size else {
            throw TransferError("\(file.name) is a zip, which can only be read from a file: give its path")
        }
        let tailStart = max(0, size - Int64(Self.endSize + Self.mostComment))
        let tail = try file.bytes(at: tailStart, Int(size - tailStart))
        guard
            let found = (0...max(0, tail.count - Self.endSize)).reversed().first(where: {
                tail[$0...].starts(with: [0x50, 0x4B, 5, 6])
            }), found + Self.endSize <= tail.count
        else { throw TransferError("\(file.name) has no file list at its end: it was truncated; fetch it again") }
        guard [0, 0xFFFF].contains(tail.number(found + 4, 2)) else {
            throw TransferError("\(file.name) is a part of a zip in several files: pack it as one")
        }
        left = tail.number(found + 10, 2)
        var (length, start) = (tail.number(found + 12, 4), tail.number(found + 16, 4))
        let locator = tailStart + Int64(found - Self.locatorSize)
        if start == Self.elsewhere || length == Self.elsewhere, locator >= 0 {
            let place = try file.bytes(at: locator, Self.locatorSize)
            let record = try file.bytes(at: place.number(8, 8), Self.end64Size)
            guard record.count == Self.end64Size, record.starts(with: [0x50, 0x4B, 6, 6]) else {
                throw .damaged(file.name, at: locator, "not a file list")
            }
            (left, length, start) = (record.number(32, 8), record.number(40, 8), record.number(48, 8))
        }
        guard start >= 0, length >= 0, start <= size, length <= size - start else {
            throw .damaged(file.name, at: tailStart + Int64(found), "its file list is outside of it")
        }
        offset = start
        end = start + length
    }

    static func begins(with bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
    }

    func next() throws(TransferError) -> ArchiveMember? {
        while offset < end {
            let entry = try entry()
            // It may be any number, of which the last 16 bits count.
            left &-= 1
            if entry.name.hasSuffix("/") { continue }
            guard let size = file.size, (0...size - listed).contains(entry.packedSize),
                (0...size).contains(entry.offset)
            else { throw .damaged(file.name, at: offset, "its files claim more bytes than it has") }
            listed += entry.packedSize
            return ArchiveMember(name: entry.name, bytes: try ZipMemberBytes(file, entry))
        }
        guard offset == end, left & 0xFFFF == 0 else {
            throw .damaged(file.name, at: end, "its file list is longer or shorter than its end says")
        }
        return nil
    }

    private func entry() throws(TransferError) -> Entry {
        let head = try file.bytes(at: offset, Self.entrySize)
        guard head.count == Self.entrySize, head.starts(with: [0x50, 0x4B, 1, 2]) else {
            throw .damaged(file.name, at: offset, "not an entry of its file list")
        }
        let nameSize = Int(head.number(28, 2))
        let rest = try file.bytes(at: offset + Int64(Self.entrySize), nameSize + Int(head.number(30, 2)))
        guard rest.count >= nameSize else { throw .cutOff(file.name, at: offset) }
        let name = String(decoding: rest.prefix(nameSize), as: UTF8.self)
        guard head.number(8, 2) & 1 == 0 else {
            throw TransferError("\(file.name): \(name) is encrypted: unpack it and give the folder")
        }
        offset += Int64(Self.entrySize + rest.count) + head.number(32, 2)
        var large = Self.large(Array(rest.dropFirst(nameSize)))[...]
        func number(_ index: Int) -> Int64 {
            let number = head.number(index, 4)
            return number == Self.elsewhere ? large.popFirst() ?? number : number
        }
        let size = number(24)
        let packedSize = number(20)
        return Entry(
            name: name, method: Int(head.number(10, 2)), checksum: UInt32(head.number(16, 4)), packedSize: packedSize,
            size: size, offset: number(42))
    }

    /// The 64-bit numbers in an entry's extra field, in order.
    private static func large(_ extra: [UInt8]) -> [Int64] {
        var index = 0
        while index + 4 <= extra.count {
            let length = Int(extra.number(index + 2, 2))
            guard index + 4 + length <= extra.count else { return [] }
            if extra.number(index, 2) == 1 {
                return (0..<(length / 8)).map { extra.number(index + 4 + 8 * $0, 8) }
            }
            index += 4 + length
        }
        return []
    }
}

/// One file of a zip, decompressed and verified.
private final class ZipMemberBytes: ByteSource {
    private let entry: ZipMembers.Entry
    private let source: any ByteSource
    private let place: String
    private var checksum = Checksum()
    private var count: Int64 = 0

    init(_ file: FileBytes, _ entry: ZipMembers.Entry) throws(TransferError) {
        self.entry = entry
        place = "\(file.name), within \(entry.name),"
        let packed = ByteReader(try FileRange(file, entry), name: place)
        switch entry.method {
        case 0: source = packed
        case 8: source = try InflatedBytes(packed, .raw)
        default:
            throw TransferError("\(place) uses an unsupported compression method (\(entry.method)): pack it with zip")
        }
    }

    func next() throws(TransferError) -> [UInt8] {
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

    init(_ file: FileBytes, _ entry: ZipMembers.Entry) throws(TransferError) {
        self.file = file
        name = entry.name
        let header = try file.bytes(at: entry.offset, Self.headerSize)
        guard header.count == Self.headerSize, header.starts(with: [0x50, 0x4B, 3, 4]) else {
            throw .damaged(file.name, at: entry.offset, "not a header of \(entry.name)")
        }
        offset = entry.offset + Int64(Self.headerSize) + header.number(26, 2) + header.number(28, 2)
        left = entry.packedSize
    }

    func next() throws(TransferError) -> [UInt8] {
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
