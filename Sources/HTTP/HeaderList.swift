internal import CCurl

/// libcurl's list of request headers, freed with the object.
@safe
final class HeaderList {
    /// The list, for `EasyHandle`; null when empty.
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// Copies header lines into a list.
    init(_ lines: [String]) throws(LibcurlFailure) {
        // Built below, freed in deinit.
        unsafe first = nil
        for line in lines {
            // libcurl copies the text; null means that memory is short and leaves the list unchanged.
            guard let longer = unsafe curl_slist_append(first, line) else { throw LibcurlFailure("curl_slist_append") }
            unsafe first = longer
        }
    }

    deinit {
        // The only owner; null is allowed.
        unsafe curl_slist_free_all(first)
    }

    /// The lines for a request, in libcurl's notation: `Name: value`, `Name;` for an empty value, `Name:` for a header
    /// that libcurl would add and must not.
    static func lines(for request: HTTPRequest) -> [String] {
        var lines = request.headers.map(line)
        if !request.headers.contains(where: { $0.0.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        // Asking first costs a round trip, or a second when the server does not react; libcurl would do so from 1 MiB
        // on.
        lines.append("Expect:")
        return lines
    }

    /// One header in libcurl's notation.
    static func line(_ header: (String, String)) -> String {
        header.1.isEmpty ? "\(header.0);" : "\(header.0): \(header.1)"
    }

    /// The reason a header cannot be sent; nil when all can.
    static func fault(in headers: [(String, String)]) -> String? {
        for (name, value) in headers {
            if name.isEmpty || !name.utf8.allSatisfy(isTokenByte) {
                return "a header's name may hold letters, digits and !#$%&'*+-.^_`|~ only"
            }
            if value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) {
                return "the value of \(name) has a line break or another control character"
            }
            if ["content-length", "transfer-encoding"].contains(name.lowercased()) {
                return "\(name) is set from the body"
            }
        }
        return nil
    }

    /// True for a byte allowed in a header's name: RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

@available(*, unavailable, message: "a header list belongs to its transfer")
extension HeaderList: Sendable {}
