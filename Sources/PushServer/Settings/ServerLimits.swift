internal import Base

extension ServerLimits {
    /// The size in bytes above which a body counts as large.
    package static let largeBodySize = 256 * 1024
    /// The largest body in bytes of a request not yet authenticated.
    static let unknownSenderBodyLimit = 64 * 1024
    /// The largest request line and headers together, in bytes.
    static let headLimit = 64 * 1024
    /// The largest header, in bytes.
    static let headerLimit = 16 * 1024
    /// The most headers of a request.
    static let headerCountLimit = 100
    /// The least speed of a large body that has a place, in bytes a second.
    static let leastBodySpeed = 8192.0
    /// The number of bytes at either end of a body that are searched for credentials, before anything else is parsed.
    static let credentialsLimit = 4 * 1024
    /// The limits on clients' JSON: SQLite has limits of its own, and an accepted value must stay readable when a
    /// response nests it.
    static let json = JSONLimits(depth: 100)
}

/// The share of all connections that one address may have open, unless it is a trusted proxy's.
package enum ConnectionShare: Hashable, Sendable {
    /// A quarter of the connections.
    case quarter
    /// A fixed number of connections.
    case most(Int)
    /// All connections.
    case off

    /// The number out of `all` connections; nil where addresses are not limited.
    func most(of all: Int) -> Int? {
        switch self {
        case .quarter: max(1, all / 4)
        case .most(let number): number
        case .off: nil
        }
    }
}
