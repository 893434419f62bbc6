internal import CCurl

extension Transfer {
    /// Sets what never changes on this handle.
    func setFixedOptions(_ configuration: HTTPClient.Configuration) throws(LibcurlFailure) {
        let handle = self.handle
        // Signals belong to the program; by default libcurl uses SIGALRM for time limits without a threaded resolver.
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.leaveResolver()
        try handle.allowProtocols(plain: configuration.allowsPlainHTTPToLoopback)
        // Both are the defaults, said because a secret would go elsewhere otherwise.
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // Our headers are for the server, the proxy's answer to CONNECT is not the answer; by default the latter is.
        try handle.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Verification is on by default and stays on; the file is read beside the system's directory of CAs.
        if let caFile = configuration.caFile { try handle.set(CURLOPT_CAINFO, caFile) }
        if let certificate = configuration.clientCertificate {
            try handle.set(CURLOPT_SSLCERT_BLOB, copying: certificate.chainPEM)
            try handle.set(CURLOPT_SSLKEY_BLOB, copying: certificate.keyPEM)
        }
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Milliseconds; 300 s by default.
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
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
