internal import CCurl

/// The setup shared by all connections of a client; it outlives them.
@safe
final class HTTP2Setup {
    /// The settings for connections.
    let configuration: HTTP2Configuration
    /// The server's address.
    let target: RequestTarget
    /// The server's name as sent in `:authority`.
    let authority: FixedText
    /// The certificate and its key, read by libcurl in place.
    private let chain: FixedText?
    private let key: FixedText?

    /// Checks the endpoint and copies the certificate.
    init(_ configuration: HTTP2Configuration) throws(RequestTarget.Refusal) {
        self.configuration = configuration
        target = try RequestTarget(configuration.endpoint, plainToLoopback: false)
        authority = FixedText(Array(target.authority.utf8))
        chain = configuration.certificate.map { FixedText($0.chainPEM) }
        key = configuration.certificate.map { FixedText($0.keyPEM) }
    }

    /// Sets a handle's certificate; the handle must be freed before this object.
    @unsafe
    func setCertificate(of handle: EasyHandle) throws(LibcurlFailure) {
        guard let chain, let key else { return }
        // This object's own, see above.
        try unsafe handle.set(CURLOPT_SSLCERT_BLOB, blob: chain.bytes)
        try unsafe handle.set(CURLOPT_SSLKEY_BLOB, blob: key.bytes)
    }
}

/// Bytes at a fixed address, for C to read; overwritten with zeros when freed.
@safe
final class FixedText {
    /// The bytes; at least one is allocated, so that there is an address.
    @unsafe let bytes: UnsafeMutableRawBufferPointer

    /// Copies the bytes.
    init(_ source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, source.count), alignment: 1)
        unsafe copy[0] = 0
        unsafe copy.copyBytes(from: source)
        // Freed in deinit; excludes the byte that only provides an address.
        unsafe bytes = UnsafeMutableRawBufferPointer(start: copy.baseAddress, count: source.count)
    }

    deinit {
        // The only owner.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe bytes.deallocate()
    }
}

@available(*, unavailable, message: "a text belongs to the thread of what reads it")
extension FixedText: Sendable {}
