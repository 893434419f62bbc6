internal import CCurl

extension Transfer {
    /// Sets what never changes on this handle.
    func setFixedOptions(_ configuration: HTTPClient.Configuration) throws(LibcurlFailure) {
        let handle = self.handle
        try handle.setRules(
            caFile: configuration.caFile, connectTimeout: configuration.connectTimeout,
            plain: configuration.allowsPlainHTTPToLoopback)
        if let certificate = configuration.clientCertificate {
            try handle.set(CURLOPT_SSLCERT_BLOB, copying: certificate.chainPEM)
            try handle.set(CURLOPT_SSLKEY_BLOB, copying: certificate.keyPEM)
        }
        if let place = configuration.connectsTo {
            // `HOST:PORT:` of the address stays empty: whatever it is. The list lives as long as the handle.
            let list = try HeaderList(["::" + place])
            connections = list
            try unsafe handle.set(CURLOPT_CONNECT_TO, list: list)
        }
        // Seconds a connection may have been idle to be used again; 118 by default. Servers and balancers close theirs
        // after 60 s and more: a request sent at that moment is one whose outcome nobody knows.
        try handle.set(CURLOPT_MAXAGE_CONN, 30)
        try handle.set(CURLOPT_USERAGENT, configuration.userAgent)
        // Empty: everything this libcurl can decompress; by default nothing.
        try handle.set(CURLOPT_ACCEPT_ENCODING, "")
        try setCallbacks()
    }

    /// Sets what this request needs. The options of an earlier request are replaced, every one of them.
    func setOptions(for job: Job, within time: Duration) throws(LibcurlFailure) {
        let handle = self.handle
        try handle.set(CURLOPT_URL, job.target.url)
        // Milliseconds from the start of the transfer; 0, the default, would be no limit.
        try handle.set(CURLOPT_TIMEOUT_MS, max(1, time.wholeMilliseconds))
        // Empty: no proxy, whatever the environment says; null: what `https_proxy` and `no_proxy` say.
        try handle.set(CURLOPT_PROXY, job.target.isLoopback ? "" : nil)
        let version = job.target.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        try handle.set(CURLOPT_HTTP_VERSION, version)
        // While the first connection is being made, wait for it to share it; by default each opens its own.
        try handle.set(CURLOPT_PIPEWAIT, job.target.isSecure ? 1 : 0)
        let request = job.request
        if let body = request.body ?? (request.method == .post || request.method == .put ? [] : nil) {
            // With no POSTFIELDS the body comes from the read callback; CUSTOMREQUEST then names the method.
            try handle.set(CURLOPT_POST, 1)
            try handle.set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
        } else {
            try handle.set(CURLOPT_HTTPGET, 1)
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, within what libcurl takes.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
