internal import CCurl

extension EasyHandle {
    /// Sets the options that apply to every request of this program.
    ///
    /// - Parameters:
    ///   - caFile: A PEM file of CAs to trust in addition to the system's.
    ///   - connectTimeout: The connect timeout.
    ///   - plain: True to allow http; the caller checks the destination.
    /// - Throws: ``LibcurlFailure`` when libcurl refuses an option.
    func setRules(caFile: String?, connectTimeout: Duration, plain: Bool) throws(LibcurlFailure) {
        // Signals belong to the program; by default libcurl uses SIGALRM for time limits without a threaded resolver.
        try set(CURLOPT_NOSIGNAL, 1)
        try leaveResolver()
        try allowProtocols(plain: plain)
        // Both are the defaults, set explicitly because otherwise a secret would go elsewhere.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // Our headers are for the server only, and the proxy's answer to CONNECT is not the response; by default it is
        // included.
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Verification is on by default and stays on; the file is used in addition to the system's directory of CAs.
        if let caFile { try set(CURLOPT_CAINFO, caFile) }
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Milliseconds; 300 s by default.
        try set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout.wholeMilliseconds)
    }
}
