/// The files in a tar archive, in order.
///
/// Reads `ustar`, and the GNU and pax extensions for long names and large files.
final class TarMembers: ArchiveMembers {
    private static let blockSize = 512
    private static let mostNameBytes: Int64 = 1 << 20

    private let reader: ByteReader
    /// The member returned last.
    private var current: PartBytes?
    private var padding = 0

    init(_ reader: ByteReader) {
        self.reader = reader
    }

    static func begins(with bytes: [UInt8]) -> Bool {
        // The oldest tar format has no magic.
        bytes.count >= blockSize && (bytes[257..<262].elementsEqual("ustar".utf8) || hasItsSum(bytes))
    }

    func next() throws(TransferError) -> ArchiveMember? {
        var name: String?
        var size: Int64?
        try skip()
        while let header = try header() {
            let part = PartBytes(reader, count: size ?? header.size, name: name ?? header.name)
            padding = Int(-part.left & Int64(Self.blockSize - 1))
            current = part
            switch header.type {
            case UInt8(ascii: "0"), 0, UInt8(ascii: "7"):
                return ArchiveMember(name: name ?? header.name, bytes: part)
            case UInt8(ascii: "L"): name = Self.text(try text(part)[...])
            case UInt8(ascii: "x"):
                let records = Self.records(try text(part))
                name = records["path"] ?? name
                size = records["size"].flatMap { Int64($0) }.map { max(0, $0) } ?? size
            case UInt8(ascii: "1"), UInt8(ascii: "2"):
                throw unread(name, header, "a link", "with tar -h --hard-dereference")
            case UInt8(ascii: "S"): throw unread(name, header, "a file with holes", "without --sparse")
            default: (name, size) = (nil, nil)
            }
            try skip()
        }
        return nil
    }

    /// The error for a member whose content is elsewhere in the archive or stored out of order.
    private func unread(_ name: String?, _ header: Header, _ what: String, _ how: String) -> TransferError {
        TransferError("\(reader.name): \(name ?? header.name) is \(what): repack it, \(how)")
    }

    /// Skips the rest of the member returned last.
    private func skip() throws(TransferError) {
        guard let part = current else { return }
        while try !part.next().isEmpty {}
        if padding > 0 { _ = try reader.exactly(padding) }
        current = nil
    }

    private struct Header {
        let name: String
        let size: Int64
        let type: UInt8
    }

    /// Reads the next header; nil at the end of the archive.
    private func header() throws(TransferError) -> Header? {
        var isOver = false
        // Zero blocks end the archive; more may follow, and in gzip a checksum does.
        while true {
            let block = try reader.peek(Self.blockSize)
            if isOver, block.isEmpty { return nil }
            guard isOver || block.count == Self.blockSize, block.allSatisfy({ $0 == 0 }) else { break }
            _ = try reader.take(block.count)
            isOver = true
        }
        guard let block = try reader.exactly(Self.blockSize) else { throw .cutOff(reader.name, at: reader.count) }
        guard Self.hasItsSum(block), let size = Self.number(block[124..<136]), size >= 0 else {
            throw .damaged(reader.name, at: reader.count, "not a tar header")
        }
        var name = Self.text(block[0..<100])
        let prefix = Self.text(block[345..<500])
        if !prefix.isEmpty, block[257..<263].elementsEqual("ustar\0".utf8) { name = prefix + "/" + name }
        return Header(name: name, size: size, type: block[156])
    }

    /// True if a header's checksum matches the sum of its bytes, with the checksum field counted as spaces.
    private static func hasItsSum(_ block: [UInt8]) -> Bool {
        let sum = block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int64($1.element)) }
        return number(block[148..<156]) == sum
    }

    private func text(_ part: PartBytes) throws(TransferError) -> [UInt8] {
        guard part.left <= Self.mostNameBytes else { throw .damaged(reader.name, at: reader.count, "an endless name") }
        var bytes: [UInt8] = []
        while true {
            let more = try part.next()
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Parses octal digits or, if the first bit is set, a big-endian number.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
        if let first = bytes.first, first & 0x80 != 0 {
            return bytes.dropFirst().suffix(8).reduce(0) { $0 << 8 | Int64($1) }
        }
        let digits = bytes.drop { $0 == 32 }.prefix { $0 != 0 && $0 != 32 }
        return digits.isEmpty ? 0 : Int64(String(decoding: digits, as: UTF8.self), radix: 8)
    }

    /// Parses pax records: `LENGTH KEY=VALUE`, each followed by a line break.
    private static func records(_ bytes: [UInt8]) -> [String: String] {
        var records: [String: String] = [:]
        var rest = bytes[...]
        while let space = rest.firstIndex(of: 32),
            let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
            length > space - rest.startIndex + 1, length <= rest.count
        {
            let record = rest[(space + 1)..<(rest.startIndex + length - 1)]
            if let equals = record.firstIndex(of: UInt8(ascii: "=")) {
                records[String(decoding: record[..<equals], as: UTF8.self)] =
                    String(decoding: record[(equals + 1)...], as: UTF8.self)
            }
            rest = rest.dropFirst(length)
        }
        return records
    }
}
