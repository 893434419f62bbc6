/// A source of bytes that is read once, from its beginning.
package protocol ByteSource: AnyObject {
    /// Returns the next chunk, of bounded size; empty at the end and from then on.
    ///
    /// - Throws: ``ArchiveError`` if the bytes cannot be read.
    func next() throws(ArchiveError) -> [UInt8]
}

/// A byte source with lookahead.
final class ByteReader: ByteSource {
    /// The name of the source in messages.
    let name: String
    /// The number of bytes consumed.
    private(set) var count: Int64 = 0
    private let source: any ByteSource
    private var buffer: ArraySlice<UInt8> = []

    init(_ source: any ByteSource, name: String) {
        self.source = source
        self.name = name
    }

    func next() throws(ArchiveError) -> [UInt8] { try take(.max) }

    /// Consumes at most `most` bytes; empty only at the end.
    func take(_ most: Int) throws(ArchiveError) -> [UInt8] {
        if buffer.isEmpty { buffer = try source.next()[...] }
        let taken = Array(buffer.prefix(most))
        buffer = buffer.dropFirst(taken.count)
        count += Int64(taken.count)
        return taken
    }

    /// The next `wanted` bytes, or fewer at the end, without consuming them.
    func peek(_ wanted: Int) throws(ArchiveError) -> [UInt8] {
        while buffer.count < wanted {
            let more = try source.next()
            if more.isEmpty { break }
            buffer = Array(buffer)[...] + more
        }
        return Array(buffer.prefix(wanted))
    }

    /// Consumes exactly `wanted` bytes, a small number; nil when none are left.
    ///
    /// - Throws: ``ArchiveError`` if there are some bytes left, but not enough.
    func exactly(_ wanted: Int) throws(ArchiveError) -> [UInt8]? {
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
    /// The number of bytes left.
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
