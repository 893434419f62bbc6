extension RemoteDeclaration {
    /// True if the remote certainly leads to this machine only.
    package var isLoopback: Bool {
        switch service {
        case .leancloud(let settings):
            guard case .literal(let url) = settings.url else { return false }
            return Self.isLoopback(url: url)
        case .apns(let settings):
            return !settings.hosts.isEmpty && settings.hosts.values.allSatisfy { Self.isLoopback(url: $0) }
        }
    }

    /// True if a URL names this machine by a literal loopback address or as `localhost`.
    package static func isLoopback(url: String) -> Bool {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = (parts.last ?? "").prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.contains("@") { return false }
        if authority.hasPrefix("[") { return authority.hasPrefix("[::1]") }
        let host = authority.prefix { $0 != ":" }.lowercased()
        if host == "localhost" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
