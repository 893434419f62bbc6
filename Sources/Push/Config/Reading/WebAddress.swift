internal import Base

/// The URLs that a remote may have.
package enum WebAddress {
    /// The problem that keeps a text from being a remote's URL, in words that follow the field's name; nil when there
    /// is none.
    ///
    /// The URL is `https`, or `http` to this machine by its literal address or as `localhost`, without user, query,
    /// fragment or the version with which requests begin. The text itself is not repeated: it may hold a password.
    package static func problem(with text: String) -> String? {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            return "must be an address without spaces or non-ASCII characters"
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let rest = text.dropFirst(scheme.count)
        guard scheme == "https" || scheme == "http", rest.hasPrefix("://") else {
            return "must begin with https:// (or http:// for this machine)"
        }
        let address = rest.dropFirst(3)
        guard !address.contains("?"), !address.contains("#") else { return "must have no query and no fragment" }
        let authority = address.prefix { $0 != "/" }
        guard !authority.contains("@") else { return "must have no user and no password" }
        guard versionless(text) == text else { return "must end before the version: leave '/1.1' out" }
        guard let host = host(of: authority) else { return "must have a valid host, and a port from 1 to 65535 if any" }
        guard scheme == "https" || isLoopback(host) else {
            return "may be http only for 127.0.0.0/8, [::1] and localhost; use https"
        }
        return nil
    }

    /// The URL probably meant by one without a scheme or with a version; nil when it has other problems as well.
    package static func meant(by text: String) -> String? {
        let address = versionless(completed(text))
        return problem(with: address) == nil ? address : nil
    }

    /// A URL without the version of LeanCloud's API at its end.
    private static func versionless(_ text: String) -> String {
        var rest = Substring(text)
        while rest.last == "/" { rest.removeLast() }
        guard rest.hasSuffix("/1.1") else { return text }
        return String(rest.dropLast("/1.1".count))
    }

    /// Like ``problem(with:)``, for an endpoint reached by TLS at a host and port: a path would be lost.
    static func endpointProblem(with text: String) -> String? {
        let text = completed(text)
        if let problem = problem(with: text) { return problem }
        guard text.prefix(6).lowercased() == "https:" else { return "must be https: Apple's protocol always uses TLS" }
        let path = text.dropFirst("https://".count).drop { $0 != "/" }
        return path.allSatisfy { $0 == "/" } ? nil : "must be a host with an optional port and no path"
    }

    /// The URL itself, or an `https` URL for a bare host and port.
    package static func completed(_ text: String) -> String { text.contains("://") ? text : "https://" + text }

    private static func host(of authority: Substring) -> String? {
        var host = authority
        var port: Substring?
        if let bracket = authority.lastIndex(of: "]") {
            host = authority[...bracket]
            let rest = authority[authority.index(after: bracket)...]
            guard authority.first == "[", rest.isEmpty || rest.first == ":" else { return nil }
            guard host.utf8.dropFirst().dropLast().allSatisfy({ $0.isHexadecimal || isColonOrDot($0) }),
                host.utf8.count > 3
            else { return nil }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                port = authority[authority.index(after: colon)...]
            }
            guard isHostName(host) else { return nil }
        }
        if let port {
            guard let number = Int(port), port.utf8.allSatisfy(\.isDigit), (1...65_535).contains(number) else {
                return nil
            }
        }
        return host.lowercased()
    }

    private static func isColonOrDot(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") }

    private static func isHostName(_ host: Substring) -> Bool {
        host.utf8.count <= 253
            && host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && $0.allSatisfy { $0.isLetterOrDigit || $0 == .dash || $0 == .underscore }
            }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { $0.utf8.allSatisfy(\.isDigit) && UInt8($0) != nil }
    }
}
