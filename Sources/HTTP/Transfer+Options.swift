internal import CCurl

extension Transfer {
    /// Sets the options that never change on this handle.
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
            // The address's `HOST:PORT:` part stays empty, to match any. The list lives as long as the handle.
            let list = try HeaderList(["::" + place])
            connections = list
            try unsafe handle.set(CURLOPT_CONNECT_TO, list: list)
        }
        // The longest idle time in seconds after which a connection is reused; 118 by default. Servers and load
        // balancers close theirs after 60 s and more: the outcome of a request sent at that moment would be unknown.
        try handle.set(CURLOPT_MAXAGE_CONN, 30)
        try handle.set(CURLOPT_USERAGENT, configuration.userAgent)
        // Empty: every encoding this libcurl can decompress; by default none.
        try handle.set(CURLOPT_ACCEPT_ENCODING, "")
        try setCallbacks()
    }

    /// Sets the options of this request, replacing all those of an earlier one.
    func setOptions(for job: Job, within time: Duration) throws(LibcurlFailure) {
        let handle = self.handle
        try handle.set(CURLOPT_URL, job.target.url)
        // Milliseconds from the start of the transfer; 0, the default, means no limit.
        try handle.set(CURLOPT_TIMEOUT_MS, max(1, time.wholeMilliseconds))
        // Empty: no proxy, whatever the environment says; null: as `https_proxy` and `no_proxy` say.
        try handle.set(CURLOPT_PROXY, job.target.isLoopback ? "" : nil)
        let version = job.target.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        try handle.set(CURLOPT_HTTP_VERSION, version)
        // Waits for the first connection and shares it; by default each transfer opens its own.
        try handle.set(CURLOPT_PIPEWAIT, job.target.isSecure ? 1 : 0)
        let request = job.request
        if let body = request.body ?? (request.method == .post || request.method == .put ? [] : nil) {
            // Without POSTFIELDS the body comes from the read callback; CUSTOMREQUEST then names the method.
            try handle.set(CURLOPT_POST, 1)
            try handle.set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
        } else {
            try handle.set(CURLOPT_HTTPGET, 1)
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, limited to libcurl's range.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
