internal import CLibrary
internal import Dispatch

/// Resolves host names.
package enum HostAddresses {
    /// The distinct addresses of a host from this machine's resolver; empty when it has none.
    package static func of(_ host: String) async -> [String] {
        await withCheckedContinuation { continuation in
            // The resolver blocks its thread.
            DispatchQueue.global().async { continuation.resume(returning: resolved(host)) }
        }
    }

    private static func resolved(_ host: String) -> [String] {
        var hints = unsafe addrinfo()
        #if canImport(Darwin)
            unsafe hints.ai_socktype = SOCK_STREAM
        #else
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        // The list is freed below; the name is a C string for the duration of the call.
        guard unsafe getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var found: [String] = []
        var next = unsafe first
        while let entry = unsafe next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            // Written during the call, with its size.
            let failure = unsafe getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if failure == 0, !found.contains(address) { found.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }
}
