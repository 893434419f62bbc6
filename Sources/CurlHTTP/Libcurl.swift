internal import CCurl

/// The library as a whole.
enum Libcurl {
    /// Whether the library could be prepared, which happens at the first question.
    ///
    /// libcurl 7.88 reads SSLKEYLOGFILE here, in `curl_global_init`, and would write every session's keys into the file
    /// it names: the variable is removed first.
    static let isReady: Bool = {
        Platform.removeVariable("SSLKEYLOGFILE")
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// libcurl's name and version and those of the libraries it uses.
    static var version: String {
        // > a pointer to a null-terminated string … statically allocated (curl_version(3))
        unsafe String(cString: curl_version())
    }

    /// Whether this libcurl was built with HTTP/2.
    static var hasHTTP2: Bool {
        // Points to static storage; the first version of the struct has the features.
        guard let info = unsafe curl_version_info(CURLVERSION_FIRST) else { return false }
        // As above.
        return unsafe info.pointee.features & Int32(CURL_VERSION_HTTP2) != 0
    }
}

/// A libcurl call that did not succeed.
struct LibcurlFailure: Error {
    /// Which call, and libcurl's words for why.
    var detail: String

    /// A call on an easy handle.
    init(_ call: String, _ code: CURLcode) {
        detail = "\(call): \(Self.text(code))"
    }

    /// A call on a multi handle.
    init(_ call: String, _ code: CURLMcode) {
        // Static text.
        detail = unsafe "\(call): \(String(cString: curl_multi_strerror(code)))"
    }

    /// A call that returned nothing.
    init(_ call: String) { detail = "\(call) failed" }

    /// libcurl's words for a code.
    static func text(_ code: CURLcode) -> String {
        // Static text.
        unsafe String(cString: curl_easy_strerror(code))
    }
}
