internal import CNghttp2

/// Headers shared by many requests; each request adds its path and one header of its own.
package final class HTTP2Headers: Sendable {
    /// The name of the header that differs from request to request.
    let ownName: [UInt8]
    /// The shared headers, names in lower case.
    fileprivate let fields: [HeaderField]

    /// Prepares headers given as names and values.
    ///
    /// - Parameters:
    ///   - headers: the headers that requests share.
    ///   - ownName: the name of the header that differs from request to request, in lower case.
    /// - Throws: `TransportError` with `refusedHeader` when a header cannot be sent unchanged.
    package init(_ headers: [(String, String)], ownName: String) throws(TransportError) {
        if let fault = Self.fault(in: headers) {
            throw TransportError(.refusedHeader, sent: .nothing, request: "POST", detail: fault)
        }
        fields = headers.map { HeaderField(name: Array($0.0.lowercased().utf8), value: Array($0.1.utf8)) }
        self.ownName = Array(ownName.utf8)
    }

    /// The reason a header cannot be sent; nil when all can.
    package static func fault(in headers: [(String, String)]) -> String? { HeaderList.fault(in: headers) }
}

/// A header as HPACK's tables hold it.
private struct HeaderField: Hashable {
    let name: [UInt8]
    let value: [UInt8]

    /// Its size in a table (RFC 7541, 4.1).
    var size: Int { name.count + value.count + 32 }
}

// MARK: - Compressing

/// Compresses the headers of one connection's requests (HPACK, RFC 7541).
///
/// A header that requests share is sent once and then referred to by its place in the table that both sides keep; paths
/// and individual values stay out of it. While nothing new is shared, the bytes around a path are the same for every
/// request and are copied.
struct HeaderEncoder {
    private let authority: HeaderField
    private var table = HeaderTable()
    /// The limits of the table to announce with the next headers: the lowest one meanwhile, and the one that holds now.
    private var announced: (lowest: Int, last: Int)?
    /// What precedes and follows the path of requests with these headers.
    private var prepared: (headers: HTTP2Headers, start: [UInt8], end: [UInt8])?

    init(authority: [UInt8]) {
        self.authority = HeaderField(name: Array(":authority".utf8), value: authority)
    }

    /// Follows the server's limit on the table, `SETTINGS_HEADER_TABLE_SIZE`.
    mutating func setLimit(_ limit: Int) {
        let limit = min(limit, HeaderTable.standardLimit)
        announced = (min(announced?.lowest ?? limit, limit), limit)
        table.setLimit(limit)
        prepared = nil
    }

    /// Appends a request's headers.
    mutating func write(_ request: HTTP2Request, _ headers: HTTP2Headers, to block: inout [UInt8]) {
        if prepared?.headers !== headers { return writeAnew(request, headers, to: &block) }
        // Not nil, as it has these headers.
        guard let prepared else { return }
        block.append(contentsOf: prepared.start)
        Self.write(request.path, to: &block)
        block.append(contentsOf: prepared.end)
        Self.write(request.own, to: &block)
    }

    private mutating func writeAnew(_ request: HTTP2Request, _ headers: HTTP2Headers, to block: inout [UInt8]) {
        if let announced {
            for limit in Set([announced.lowest, announced.last]).sorted() {
                Self.write(limit, Self.limitChange, to: &block)
            }
        }
        announced = nil
        let additions = table.additions
        let begin = block.count
        block.append(contentsOf: [Self.post, Self.https])
        write(authority, to: &block)
        block.append(Self.path)
        let start = block[begin...]
        Self.write(request.path, to: &block)
        let middle = block.count
        for field in headers.fields { write(field, to: &block) }
        writeName(HeaderField(name: headers.ownName, value: request.own), isShared: false, to: &block)
        let end = block[middle...]
        Self.write(request.own, to: &block)
        // Otherwise the next request finds in the table what this one has added.
        prepared = table.additions == additions ? (headers, Array(start), Array(end)) : nil
    }

    /// Writes a field by its place in the table, where it is added when it is new and fits.
    private mutating func write(_ field: HeaderField, to block: inout [UInt8]) {
        if let index = table.index(of: field) { return Self.write(index, Self.reference, to: &block) }
        writeName(field, isShared: true, to: &block)
        Self.write(field.value, to: &block)
    }

    /// Writes how a field is given and its name; the value follows. A name that is new is added with its first value.
    private mutating func writeName(_ field: HeaderField, isShared: Bool, to block: inout [UInt8]) {
        let index = table.index(ofName: field.name)
        let isAdded = (isShared || index == nil) && field.size <= table.limit
        Self.write(index ?? 0, isAdded ? Self.addition : Self.literal, to: &block)
        if index == nil { Self.write(field.name, to: &block) }
        if isAdded { table.add(field) }
    }

    // RFC 7541, 6: the pattern of a representation and the bits that its number has in the first byte.
    private static let reference = (pattern: UInt8(0x80), bits: 7)
    private static let addition = (pattern: UInt8(0x40), bits: 6)
    private static let limitChange = (pattern: UInt8(0x20), bits: 5)
    private static let literal = (pattern: UInt8(0), bits: 4)
    // RFC 7541, appendix A: `:method: POST` and `:scheme: https` as references, `:path` as a literal's name.
    private static let post: UInt8 = 0x80 | 3
    private static let https: UInt8 = 0x80 | 7
    private static let path: UInt8 = 4

    /// Writes a number (RFC 7541, 5.1).
    private static func write(_ number: Int, _ form: (pattern: UInt8, bits: Int), to block: inout [UInt8]) {
        let most = 1 << form.bits - 1
        guard number >= most else { return block.append(form.pattern | UInt8(number)) }
        block.append(form.pattern | UInt8(most))
        var rest = number - most
        while rest >= 0x80 {
            block.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        block.append(UInt8(rest))
    }

    /// Writes a text as it is (RFC 7541, 5.2): Huffman's code would save some bytes and cost both sides time.
    private static func write(_ text: [UInt8], to block: inout [UInt8]) {
        write(text.count, (pattern: 0, bits: 7), to: &block)
        block.append(contentsOf: text)
    }
}

/// The dynamic table of HPACK, as the encoder knows the decoder's (RFC 7541, 2.3.2).
private struct HeaderTable {
    /// The limit of both sides until they say otherwise.
    static let standardLimit = 4096
    /// The names among the 61 fixed entries that requests use (RFC 7541, appendix A).
    private static let fixedNames = [
        Array(":authority".utf8): 1, Array("authorization".utf8): 23, Array("content-length".utf8): 28,
        Array("content-type".utf8): 31,
    ]

    /// The limit on the sum of the entries' sizes.
    private(set) var limit = Self.standardLimit
    /// The number of entries ever added.
    private(set) var additions = 0
    /// Oldest first.
    private var entries: [HeaderField] = []
    private var size = 0

    /// The index of a field.
    func index(of field: HeaderField) -> Int? { entries.lastIndex(of: field).map(index) }

    /// The index of an entry with a name.
    func index(ofName name: [UInt8]) -> Int? {
        Self.fixedNames[name] ?? entries.lastIndex { $0.name == name }.map(index)
    }

    /// The newest entry follows the fixed ones.
    private func index(_ place: Int) -> Int { 61 + entries.count - place }

    /// Adds a field that is no larger than the limit.
    mutating func add(_ field: HeaderField) {
        makeRoom(for: field.size)
        entries.append(field)
        size += field.size
        additions += 1
    }

    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        makeRoom(for: 0)
    }

    private mutating func makeRoom(for more: Int) {
        while size + more > limit { size -= entries.removeFirst().size }
    }
}

// MARK: - Decompressing

/// Decompresses the headers of one connection's answers with nghttp2.
///
/// https://nghttp2.org/documentation/nghttp2_hd_inflate_hd2.html
@safe
final class HeaderDecoder {
    private let pointer: OpaquePointer

    /// Throws ``HTTP2Failure`` when memory is short.
    init() throws(HTTP2Failure) {
        var inflater: OpaquePointer?
        // Freed in deinit.
        guard unsafe nghttp2_hd_inflate_new(&inflater) == 0, let inflater = unsafe inflater else {
            throw HTTP2Failure(.internalFailure, "out of memory")
        }
        unsafe pointer = inflater
    }

    deinit {
        // The only owner.
        unsafe nghttp2_hd_inflate_del(pointer)
    }

    /// Passes on the fields of a whole block, name and value, which are valid during the call; false when it is invalid.
    @unsafe
    func decode(
        _ block: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var offset = 0
        while true {
            var field = unsafe nghttp2_nv()
            var flags: Int32 = 0
            // Reads within the block, which lives during the call.
            let used = unsafe nghttp2_hd_inflate_hd2(
                pointer, &field, &flags, block.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self),
                block.count - offset, 1)
            guard used >= 0 else { return false }
            offset += used
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                // Valid until the next call.
                unsafe take(
                    UnsafeRawBufferPointer(start: field.name, count: field.namelen),
                    UnsafeRawBufferPointer(start: field.value, count: field.valuelen))
            } else if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                // Ready for the next block.
                _ = unsafe nghttp2_hd_inflate_end_headers(pointer)
                return true
            } else if used == 0 {
                return false
            }
        }
    }
}

@available(*, unavailable, message: "a decoder belongs to the thread of its connection")
extension HeaderDecoder: Sendable {}
