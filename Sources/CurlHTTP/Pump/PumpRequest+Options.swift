internal import CCurl

/// What all requests of a pump are made from; it outlives them.
@safe
final class PumpSetup {
    /// How the server is reached.
    let configuration: PumpConfiguration
    /// The server.
    let target: RequestTarget
    /// Certificate and key, where libcurl reads them.
    fileprivate let chain: UnsafeMutableRawBufferPointer?
    fileprivate let key: UnsafeMutableRawBufferPointer?

    /// Checks the endpoint and copies the certificate.
    init(_ configuration: PumpConfiguration) throws(RequestTarget.Refusal) {
        self.configuration = configuration
        target = try RequestTarget(configuration.endpoint, plainToLoopback: false)
        // Freed in deinit.
        unsafe chain = configuration.certificate.map { unsafe Self.copy($0.chainPEM) }
        unsafe key = configuration.certificate.map { unsafe Self.copy($0.keyPEM) }
    }

    deinit {
        // The one owner; the handles that read them are gone. The key is not left in free memory.
        unsafe key?.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe key?.deallocate()
        unsafe chain?.deallocate()
    }

    @unsafe
    private static func copy(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        // As long as the bytes; never empty, so that it has an address.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
        unsafe copy[0] = 0
        unsafe copy.copyBytes(from: bytes)
        return unsafe copy
    }
}

extension PumpRequest {
    /// Sets what never changes on this handle.
    func setFixedOptions(_ setup: PumpSetup) throws(LibcurlFailure) {
        let handle = self.handle
        let configuration = setup.configuration
        try handle.setRules(caFile: configuration.caFile, connectTimeout: configuration.connectTimeout, plain: false)
        // Freed after the handle: both are this object's, and the setup outlives all of them.
        try unsafe handle.set(CURLOPT_CURLU, pointer: url.raw)
        try unsafe handle.set(CURLOPT_HTTPHEADER, pointer: own.raw)
        if let chain = unsafe setup.chain, let key = unsafe setup.key {
            try unsafe handle.set(CURLOPT_SSLCERT_BLOB, blob: chain)
            try unsafe handle.set(CURLOPT_SSLKEY_BLOB, blob: key)
        }
        // Empty: no proxy, whatever the environment says; by default what it says.
        if setup.target.isLoopback { try handle.set(CURLOPT_PROXY, "") }
        try handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        try handle.set(CURLOPT_PIPEWAIT, 1)
        // The body comes from the read callback; by default it would be kept and sent again.
        try handle.set(CURLOPT_POST, 1)
        // Bytes; 16 and 64 KiB by default, for each of a thousand requests.
        try handle.set(CURLOPT_BUFFERSIZE, 4096)
        try handle.set(CURLOPT_UPLOAD_BUFFERSIZE, 16384)
        // Seconds; by default none are sent. What forgets idle connections on the way does so after minutes.
        try handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        try handle.set(CURLOPT_TCP_KEEPIDLE, 60)
        try handle.set(CURLOPT_TCP_KEEPINTVL, 30)
        // Seconds a connection may have been idle, and may be old (0: any age), to be used again; 118 by default.
        try handle.set(CURLOPT_MAXAGE_CONN, 3600)
        try setCallbacks()
    }
}
