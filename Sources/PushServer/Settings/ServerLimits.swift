internal import JSONValue

/// What bounds the time and the memory that clients can take.
package struct ServerLimits: Hashable, Sendable {
    /// How far the timestamp of a master key's signature may be from the machine's clock; nil takes any. Default 15
    /// minutes.
    ///
    /// Signatures of the app key are not aged: they give no more than the app key itself, which every client carries,
    /// and devices in the field have clocks that are wrong.
    package var signatureAge: Duration? = .seconds(900)
    /// How many bytes a body may have; default 20 MiB. Source: <doc:/PushModel/LeanCloudObjects#Write-operators>.
    package var bodyLimit = 20 * 1024 * 1024
    /// How long a whole request may take to arrive, from its first byte to its last; default 60 s.
    package var requestTimeout: Duration = .seconds(60)
    /// How long a connection may wait for its next request, and for its client to read an answer; default 75 s.
    package var idleTimeout: Duration = .seconds(75)
    /// How long requests and deliveries in flight may take to end once the server is told to stop; default 30 s.
    package var gracePeriod: Duration = .seconds(30)
    /// How long a new connection may take to shake hands and send its first byte; default 5 s.
    package var openingTimeout: Duration = .seconds(5)
    /// How many connections are open at once, beside one for `/health`; more wait in the system's queue. Default 1,024.
    package var maxConnections = 1024
    /// How many of them one address may have; default a quarter.
    package var connectionShare = ConnectionShare.quarter
    /// How many bodies over ``largeBodySize`` are in memory at once; more wait to be read. Default 4.
    package var largeBodies = 4
    /// How long a large body waits for a place; nil, the default, is half of ``requestTimeout``, so that there is time
    /// left to read it.
    package var largeBodyPatience: Duration?

    /// The defaults.
    package init() {}

    /// From this many bytes a body counts as large.
    package static let largeBodySize = 256 * 1024
    /// A body may have this many bytes before it is known who sends it.
    static let unknownSenderBodyLimit = 64 * 1024
    /// The request line and the headers together may have this many bytes.
    static let headLimit = 64 * 1024
    /// One header may have this many bytes.
    static let headerLimit = 16 * 1024
    /// A request may have this many headers.
    static let headerCountLimit = 100
    /// The credentials in a body stand in so many of its first bytes; no more are looked at before they are right.
    static let credentialsLimit = 4 * 1024
    /// JSON of clients: SQLite has limits of its own, and what was taken must be readable when it is answered within
    /// something else.
    static let json = JSONLimits(depth: 100)
}

/// How many of all connections one address may have open, unless it is a trusted proxy's.
package enum ConnectionShare: Hashable, Sendable {
    /// A quarter of them.
    case quarter
    /// So many.
    case most(Int)
    /// All of them.
    case off

    /// The number, of so many in all; nil where no address is bounded.
    func most(of all: Int) -> Int? {
        switch self {
        case .quarter: max(1, all / 4)
        case .most(let number): number
        case .off: nil
        }
    }
}
