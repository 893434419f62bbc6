internal import CCurl

/// An address that requests are allowed to go to, as libcurl parses it.
struct RequestTarget: Sendable {
    /// The whole address, as libcurl formats it.
    let url: String
    /// The address without its query and fragment, for messages.
    let name: String
    /// The host, with the port unless it is the scheme's default.
    let authority: String
    let isSecure: Bool
    /// True when the host is this machine, by loopback address or as `localhost`.
    let isLoopback: Bool

    /// The reason an address was refused; it does not repeat the address.
    struct Refusal: Error {
        var reason: String
    }

    /// Reads an address with libcurl's own parser, so that the check and the use agree.
    ///
    /// - Parameters:
    ///   - url: The address: `https`, or `http` to this machine.
    ///   - plainToLoopback: True to allow `http` to this machine.
    /// - Throws: ``Refusal`` when the address cannot be parsed or is not allowed.
    init(_ url: String, plainToLoopback: Bool) throws(Refusal) {
        guard url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Refusal(reason: "it has a space, a control character or a non-ASCII character")
        }
        let parts = try ParsedURL(url)
        let scheme = parts[CURLUPART_SCHEME] ?? ""
        let host = (parts[CURLUPART_HOST] ?? "").lowercased()
        guard parts[CURLUPART_USER] == nil, parts[CURLUPART_PASSWORD] == nil else {
            throw Refusal(reason: "it has a user or password")
        }
        guard !host.isEmpty else { throw Refusal(reason: "it has no host") }
        isSecure = scheme == "https"
        isLoopback = Self.isLoopback(host)
        switch scheme {
        case "https": break
        case "http":
            guard plainToLoopback else { throw Refusal(reason: "http is not allowed, use https") }
            guard isLoopback else {
                throw Refusal(reason: "http is for 127.0.0.0/8, [::1] and localhost only, use https")
            }
        default: throw Refusal(reason: "its scheme is not https")
        }
        guard let whole = parts[CURLUPART_URL] else { throw Refusal(reason: "it cannot be parsed") }
        self.url = whole
        let port = parts[CURLUPART_PORT].map { ":\($0)" } ?? ""
        authority = host + port
        name = "\(scheme)://\(authority)\(parts[CURLUPART_PATH] ?? "/")"
    }

    /// True when a host, as normalised by libcurl, is 127.0.0.0/8, ::1 or `localhost` (which libcurl never looks up).
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }
}

/// A parsed address, freed with the object. https://curl.se/libcurl/c/libcurl-url.html
@safe
final class ParsedURL {
    private let pointer: OpaquePointer

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
