internal import CCurl

/// The libcurl library as a whole.
enum Libcurl {
    /// True when the library is initialised, which the first access does.
    ///
    /// libcurl 7.88 reads SSLKEYLOGFILE here, in `curl_global_init`, and would write every session's keys to the file
    /// it
    /// names, so the variable is removed first.
    static let isReady: Bool = {
        Platform.removeVariable("SSLKEYLOGFILE")
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// The versions of libcurl and the libraries it uses.
    static var version: String {
        // > a pointer to a null-terminated string … statically allocated (curl_version(3))
        unsafe String(cString: curl_version())
    }

    /// True when this libcurl was built with HTTP/2.
    static var hasHTTP2: Bool {
        // Points to static storage; the first version of the struct includes the features.
        guard let info = unsafe curl_version_info(CURLVERSION_FIRST) else { return false }
        // As above.
        return unsafe info.pointee.features & Int32(CURL_VERSION_HTTP2) != 0
    }
}

/// A failed libcurl call.
struct LibcurlFailure: Error {
    /// The call, and libcurl's words for the cause.
    var detail: String

    /// The failure of a call on an easy handle.
    init(_ call: String, _ code: CURLcode) {
        detail = "\(call): \(Self.text(code))"
    }

    /// The failure of a call on a multi handle.
    init(_ call: String, _ code: CURLMcode) {
        // Static text.
        detail = unsafe "\(call): \(String(cString: curl_multi_strerror(code)))"
    }

    /// The failure of a call that returned null.
    init(_ call: String) { detail = "\(call) failed" }

    /// libcurl's words for a code.
    static func text(_ code: CURLcode) -> String {
        // Static text.
        unsafe String(cString: curl_easy_strerror(code))
    }
}
