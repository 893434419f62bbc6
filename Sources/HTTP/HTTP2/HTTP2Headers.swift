internal import CNghttp2

/// Headers shared by many requests, ready for framing; each request adds its path and one header of its own.
@safe
package final class HTTP2Headers {
    /// The name of the header that differs from request to request.
    let ownName: FixedText
    /// The fields to frame: `:method`, `:scheme`, `:authority`, `:path`, the shared ones, and the request's own.
    private let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    private let texts: [FixedText]

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
        let open = [(":method", "POST"), (":scheme", "https"), (":authority", ""), (":path", "")]
        let all = open + headers.map { ($0.0.lowercased(), $0.1) } + [(ownName, "")]
        let texts = all.map { (FixedText(Array($0.0.utf8)), FixedText(Array($0.1.utf8))) }
        self.texts = texts.flatMap { [$0.0, $0.1] }
        self.ownName = texts[texts.count - 1].0
        // Freed in deinit.
        unsafe fields = .allocate(capacity: all.count)
        for (index, text) in texts.enumerated() {
            // The texts live as long as this object.
            unsafe fields.initializeElement(
                at: index, to: Self.field(text.0.bytes, text.1.bytes, isIndexed: index < texts.count - 1))
        }
    }

    deinit {
        // The only owner; requests keep their headers until they have ended.
        unsafe fields.deallocate()
    }

    /// The reason a header cannot be sent; nil when all can.
    package static func fault(in headers: [(String, String)]) -> String? { HeaderList.fault(in: headers) }

    /// The fields of one request, valid until the next call; the memory they point to must live until they are framed.
    @unsafe
    func fields(
        authority: UnsafeMutableRawBufferPointer, path: UnsafeMutableRawBufferPointer,
        own: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableBufferPointer<nghttp2_nv> {
        // There are at least five.
        unsafe Self.set(&fields[2], authority)
        unsafe Self.set(&fields[3], path)
        unsafe Self.set(&fields[fields.count - 1], own)
        return unsafe fields
    }

    @unsafe
    private static func set(_ field: inout nghttp2_nv, _ value: UnsafeMutableRawBufferPointer) {
        // The caller guarantees validity.
        unsafe field.value = value.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe field.valuelen = value.count
    }

    /// A header field; `isIndexed` is true when it deserves an entry in the server's HPACK table.
    @unsafe
    private static func field(
        _ name: UnsafeMutableRawBufferPointer, _ value: UnsafeMutableRawBufferPointer, isIndexed: Bool
    ) -> nghttp2_nv {
        // nghttp2 reads both in place, and writes neither.
        let kept = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        return unsafe nghttp2_nv(
            name: name.baseAddress?.assumingMemoryBound(to: UInt8.self),
            value: value.baseAddress?.assumingMemoryBound(to: UInt8.self), namelen: name.count,
            valuelen: value.count,
            flags: UInt8(kept | (isIndexed ? 0 : NGHTTP2_NV_FLAG_NO_INDEX.rawValue)))
    }
}

@available(*, unavailable, message: "the headers belong to the thread of their client")
extension HTTP2Headers: Sendable {}
