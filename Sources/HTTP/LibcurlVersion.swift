internal import CCurl

/// The version of the libcurl in use.
package enum LibcurlVersion {
    /// The version number, such as `7.88.1`.
    package static var text: String {
        // Points to static storage; the first version of the struct includes the version's text.
        guard let info = unsafe curl_version_info(CURLVERSION_FIRST) else { return "unknown" }
        // As above.
        return unsafe String(cString: info.pointee.version)
    }
}
