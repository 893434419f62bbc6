/// A request as an observer sees it.
package struct ObservedRequest: Hashable, Sendable {
    /// Counts the requests of a server, from 1.
    package let number: Int
    /// `GET`, `POST`, `PUT` or `DELETE`.
    package let method: String
    /// The path, without the query.
    package let path: String
}

/// The instants of a request at which something may be done by the process that runs the server.
package enum RequestInstant: Hashable, Sendable {
    /// The request was read and nothing was done.
    case beforeHandling
    /// Everything was done and is on the disk; the answer was not sent.
    case beforeAnswering
}

/// Told about every request, twice. The request waits until the call returns.
///
/// Tests kill the client's process at such an instant.
package typealias RequestObserver = @Sendable (ObservedRequest, RequestInstant) async -> Void
