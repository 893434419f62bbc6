internal import CCurl

extension EasyHandle {
    /// Sets what holds for every request of this program.
    ///
    /// - Parameters:
    ///   - caFile: A PEM file of CAs to trust beside the system's.
    ///   - connectTimeout: How long making a connection may take.
    ///   - plain: Whether http is allowed; to where, the caller checks.
    func setRules(caFile: String?, connectTimeout: Duration, plain: Bool) throws(LibcurlFailure) {
        // Signals belong to the program; by default libcurl uses SIGALRM for time limits without a threaded resolver.
        try set(CURLOPT_NOSIGNAL, 1)
        try leaveResolver()
        try allowProtocols(plain: plain)
        // Both are the defaults, said because a secret would go elsewhere otherwise.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // Our headers are for the server, the proxy's answer to CONNECT is not the answer; by default the latter is.
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Verification is on by default and stays on; the file is read beside the system's directory of CAs.
        if let caFile { try set(CURLOPT_CAINFO, caFile) }
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Milliseconds; 300 s by default.
        try set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout.wholeMilliseconds)
    }
}
