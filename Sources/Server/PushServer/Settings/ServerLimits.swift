internal import JSONValue

/// The limits on the time and memory that clients can use.
package struct ServerLimits: Hashable, Sendable {
    /// The largest difference between the timestamp of a master-key signature and the machine's clock; nil for any.
    /// Default 15 minutes.
    ///
    /// Signatures with the app key have no age limit: they grant no more than the app key itself, which every client
    /// has, and devices in the field have wrong clocks.
    package var signatureAge: Duration? = .seconds(900)
    /// The largest body in bytes; default 20 MiB. Source: docs/background/leancloud/objects.md#write-operators.
    package var bodyLimit = 20 * 1024 * 1024
    /// The timeout for a request to arrive, from its first byte to its last; default 60 s.
    package var requestTimeout: Duration = .seconds(60)
    /// The timeout for a connection's next request, and for its client to read a response; default 75 s.
    package var idleTimeout: Duration = .seconds(75)
    /// The time for requests and deliveries in flight to end once the server is stopping; default 30 s.
    package var gracePeriod: Duration = .seconds(30)
    /// The time that a stopping server takes new requests while `/ready` answers 503. Default none.
    package var drainDelay: Duration = .zero
    /// The timeout for a new connection's handshake and first byte; default 5 s.
    package var openingTimeout: Duration = .seconds(5)
    /// The most open connections, besides one for `/health` and `/ready`; more wait in the system's queue. Default 1,024.
    package var maxConnections = 1024
    /// The share of these for one address; default a quarter.
    package var connectionShare = ConnectionShare.quarter
    /// The most bodies over ``largeBodySize`` in memory of clients, and as many with the master key; more wait to be
    /// read. One address has half of the clients' places. Default 4.
    package var largeBodies = 4
    /// The time a large body waits for a place; nil, the default, is half of ``requestTimeout``, which leaves time to
    /// read it.
    package var largeBodyPatience: Duration?
    /// The time in which a large body that has a place must bring as much as ``leastBodySpeed`` asks; default 10 s.
    package var bodySpeedInterval: Duration = .seconds(10)

    /// Creates the default limits.
    package init() {}

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
