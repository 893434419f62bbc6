/// Bytes that are read once, from their beginning.
package protocol ByteSource: AnyObject {
    /// The next of them, a bounded piece; empty at the end, and ever after.
    ///
    /// - Throws: ``ArchiveError`` when they cannot be read.
    func next() throws(ArchiveError) -> [UInt8]
}

/// Bytes that can be looked at before they are taken.
final class ByteReader: ByteSource {
    /// What it reads, for people.
    let name: String
    /// How many bytes were taken.
    private(set) var count: Int64 = 0
    private let source: any ByteSource
    private var buffer: ArraySlice<UInt8> = []

    init(_ source: any ByteSource, name: String) {
        self.source = source
        self.name = name
    }

    func next() throws(ArchiveError) -> [UInt8] { try take(.max) }

    /// At most so many bytes; empty only at the end.
    func take(_ most: Int) throws(ArchiveError) -> [UInt8] {
        if buffer.isEmpty { buffer = try source.next()[...] }
        let taken = Array(buffer.prefix(most))
        buffer = buffer.dropFirst(taken.count)
        count += Int64(taken.count)
        return taken
    }

    /// So many bytes, or fewer at the end, which stay to be taken.
    func peek(_ wanted: Int) throws(ArchiveError) -> [UInt8] {
        while buffer.count < wanted {
            let more = try source.next()
            if more.isEmpty { break }
            buffer = Array(buffer)[...] + more
        }
        return Array(buffer.prefix(wanted))
    }

    /// Exactly so many bytes, which are few; nil when there are none left.
    ///
    /// - Throws: ``ArchiveError`` when there are some, but not enough.
    func exactly(_ wanted: Int) throws(ArchiveError) -> [UInt8]? {
        let found = try peek(wanted)
        guard !found.isEmpty else { return nil }
        guard found.count == wanted else { throw .cutOff(name, at: count + Int64(found.count)) }
        buffer = buffer.dropFirst(wanted)
        count += Int64(wanted)
        return found
    }
}

/// The next so many bytes of a reader.
final class PartBytes: ByteSource {
    private let reader: ByteReader
    private let name: String
    /// How many are left.
    private(set) var left: Int64

    init(_ reader: ByteReader, count: Int64, name: String) {
        self.reader = reader
        self.name = name
        left = count
    }

    func next() throws(ArchiveError) -> [UInt8] {
        guard left > 0 else { return [] }
        let bytes = try reader.take(Int(clamping: left))
        guard !bytes.isEmpty else { throw .cutOff("\(reader.name), within \(name),", at: reader.count) }
        left -= Int64(bytes.count)
        return bytes
    }
}
