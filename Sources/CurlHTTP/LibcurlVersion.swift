internal import CCurl

/// Which libcurl runs.
package enum LibcurlVersion {
    /// Its version, such as `7.88.1`.
    package static var text: String {
        // Points to static storage; the first version of the struct has the version's text.
        guard let info = unsafe curl_version_info(CURLVERSION_FIRST) else { return "unknown" }
        // As above.
        return unsafe String(cString: info.pointee.version)
    }
}
