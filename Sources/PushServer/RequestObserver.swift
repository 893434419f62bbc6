/// A request as reported to an observer.
package struct ObservedRequest: Hashable, Sendable {
    /// The number of the request on this server, from 1.
    package let number: Int
    /// `GET`, `POST`, `PUT` or `DELETE`.
    package let method: String
    /// The path, without the query.
    package let path: String
}

/// The points of a request's handling at which the observer is called.
package enum RequestInstant: Hashable, Sendable {
    /// The request was read; nothing was done yet.
    case beforeHandling
    /// The request was carried out and its changes are on disk; the response was not sent.
    case beforeAnswering
}

/// A function called twice for every request, which waits until the call returns.
///
/// Tests kill the client's process at such a point.
package typealias RequestObserver = @Sendable (ObservedRequest, RequestInstant) async -> Void
