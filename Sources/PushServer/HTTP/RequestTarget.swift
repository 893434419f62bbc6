internal import Diagnostics

/// The path and the query of a request line.
struct RequestTarget: Hashable, Sendable {
    /// The path as it was sent.
    let rawPath: String
    /// Its parts, decoded.
    let path: [String]
    /// The query parameters, decoded; the last of equal names counts.
    private(set) var query: [String: String]
    /// Path and query as they were sent, for whoever the request is passed on to; bytes that no address has are escaped.
    let passed: String

    /// Splits a target, also one with scheme and host before its path.
    ///
    /// `nil` when an escape is broken, the text is not UTF-8 or holds a zero byte or `#`, or a part is `.` or `..`,
    /// escaped slashes being looked through, which means another path to whatever stands before or behind us.
    init?(_ target: String) {
        let target = Self.withoutOrigin(target)
        // No request has a fragment, and whoever cuts one off reads another path. Source: RFC 9112, section 3.2.
        guard !target.contains("#") else { return nil }
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
        passed = String(target).percentEncoded { !(0x21...0x7E).contains($0) }
    }

    /// The parts after the version; `nil` when this is no call of version 1.1.
    var versioned: [String]? {
        path.first == "1.1" ? Array(path.dropFirst()) : nil
    }

    /// The target with more query parameters, which count more than those it has.
    func adding(_ parameters: [String: String]) -> RequestTarget {
        var target = self
        target.query.merge(parameters) { _, last in last }
        return target
    }

    /// `http://host/path` is how a proxy is asked, and allowed of every server. Source: RFC 9112, section 3.2.2.
    private static func withoutOrigin(_ target: String) -> Substring {
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
