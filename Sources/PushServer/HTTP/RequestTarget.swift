internal import Base

/// The path and the query of a request line.
struct RequestTarget: Hashable, Sendable {
    /// The path as sent.
    let rawPath: String
    /// The components of the path, decoded.
    let path: [String]
    /// The query parameters, decoded; the last of equal names wins.
    private(set) var query: [String: String]
    /// The path and query as sent.
    private let sent: String

    /// The path and query as sent, for forwarding; bytes not allowed in an address are escaped.
    var passed: String { sent.percentEncoded { !(0x21...0x7E).contains($0) } }

    /// Parses a target, also one with scheme and host before its path.
    ///
    /// `nil` when an escape is invalid, the text is not UTF-8 or contains a zero byte or `#`, or a component is `.` or
    /// `..`, even between escaped slashes, which other servers before or behind us may resolve differently.
    init?(_ target: String) {
        let target = Self.withoutOrigin(target)
        // No request has a fragment, and a server that cuts one off reads another path. Source: RFC 9112, section 3.2.
        guard !target.utf8.contains(UInt8(ascii: "#")) else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        rawPath = String(parts.first ?? "")
        var path: [String] = []
        for segment in rawPath.split(separator: "/") {
            guard let decoded = Self.decoded(segment, plusIsSpace: false),
                !decoded.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
            else { return nil }
            path.append(decoded)
        }
        var query: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0], plusIsSpace: true),
                let value = Self.decoded(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
            else { return nil }
            query[name] = value
        }
        self.path = path
        self.query = query
        sent = String(target)
    }

    /// The components after the version; `nil` when this is not a call of version 1.1.
    var versioned: [String]? {
        path.first == "1.1" ? Array(path.dropFirst()) : nil
    }

    /// The target with more query parameters, which override existing ones.
    func adding(_ parameters: [String: String]) -> RequestTarget {
        var target = self
        target.query.merge(parameters) { _, last in last }
        return target
    }

    /// Removes the origin: `http://host/path` is the form for proxies, and any server must accept it.
    /// Source: RFC 9112, section 3.2.2.
    private static func withoutOrigin(_ target: String) -> Substring {
        guard target.utf8.first != UInt8(ascii: "/") else { return target[...] }
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            let rest = target.dropFirst(scheme.count)
            return rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
        }
        return target[...]
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        let decoded = String(percentDecoding: text, plusIsSpace: plusIsSpace)
        return decoded.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}
