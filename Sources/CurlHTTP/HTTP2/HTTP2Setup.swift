internal import CCurl

/// What all connections of a client are made from; it outlives them.
@safe
final class HTTP2Setup {
    /// How the server is reached.
    let configuration: HTTP2Configuration
    /// The server.
    let target: RequestTarget
    /// The server's name as requests bear it.
    let authority: FixedText
    /// Certificate and key, where libcurl reads them.
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

    /// Hands a handle the certificate, which must be freed before this object.
    @unsafe
    func setCertificate(of handle: EasyHandle) throws(LibcurlFailure) {
        guard let chain, let key else { return }
        // This object's own, see above.
        try unsafe handle.set(CURLOPT_SSLCERT_BLOB, blob: chain.bytes)
        try unsafe handle.set(CURLOPT_SSLKEY_BLOB, blob: key.bytes)
    }
}

/// Bytes that stay where they are, for C to read; overwritten with zeros when they go.
@safe
final class FixedText {
    /// Where they are; at least one byte, so that there is an address.
    @unsafe let bytes: UnsafeMutableRawBufferPointer

    /// Copies bytes.
    init(_ source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, source.count), alignment: 1)
        unsafe copy[0] = 0
        unsafe copy.copyBytes(from: source)
        // Freed in deinit; without the byte that only gives an address.
        unsafe bytes = UnsafeMutableRawBufferPointer(start: copy.baseAddress, count: source.count)
    }

    deinit {
        // The one owner.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe bytes.deallocate()
    }
}

@available(*, unavailable, message: "a text belongs to the thread of what reads it")
extension FixedText: Sendable {}
