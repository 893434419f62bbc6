internal import CCurl

/// A parsed address, freed with the object. https://curl.se/libcurl/c/libcurl-url.html
@safe
final class ParsedURL {
    private let pointer: OpaquePointer

    /// Parses an address.
    init(_ url: String) throws(RequestTarget.Refusal) {
        // Freed in deinit.
        guard let pointer = unsafe curl_url() else { throw RequestTarget.Refusal(reason: "out of memory") }
        unsafe self.pointer = pointer
        // libcurl copies the text. Other schemes are parsed so that they can be named as the reason.
        let code = unsafe curl_url_set(pointer, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME))
        guard code == CURLUE_OK else { throw RequestTarget.Refusal(reason: "it cannot be parsed") }
    }

    deinit {
        // The only owner.
        unsafe curl_url_cleanup(pointer)
    }

    /// One part as a string; nil when the address has none.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        // The string is ours to free, below.
        guard unsafe curl_url_get(pointer, part, &text, 0) == CURLUE_OK, let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        // Zero-terminated.
        return unsafe String(cString: text)
    }
}

@available(*, unavailable, message: "a parsed address belongs to its request")
extension ParsedURL: Sendable {}
