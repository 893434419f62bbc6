/// The outcome of a request that sends.
///
/// A failure without a ``Proof`` is ``unknown(_:)``: it is looked up or counted as in doubt, never repeated as if
/// nothing had happened. When to retry is a separate question: ``Remedy``.
package enum Verdict: Hashable, Sendable {
    /// The service accepted the request.
    case accepted
    /// The service answered that it refused the request.
    case refused(Proof)
    /// The service cannot have acted on the request.
    case notSent(Proof)
    /// It is unknown whether the service acted on the request; the value says why.
    case unknown(String)
}

/// The evidence that a request did nothing.
///
/// The list is closed, and every case carries its evidence: a status without a documented word, a broken connection and
/// an unfamiliar response have no case here.
package enum Proof: Hashable, Sendable {
    /// No byte of the body was handed over; the value says why.
    case noBodyGiven(String)
    /// The server refused the stream, or named an earlier one as the last it acts on: HTTP/2 then guarantees that it
    /// did nothing (RFC 9113, 6.8 and 8.7).
    case streamRefused
    /// A documented reason from Apple; with 410, the time since when the token is dead, in milliseconds of UNIX time.
    case apple(APNsReason, since: Int64?)
    /// A documented code from LeanCloud, and its message.
    case leanCloud(LeanCloudReason, String)
    /// A documented refusal in LeanCloud's record of the push.
    case record(RecordedRefusal)
}

/// The remedy for a request that was not accepted; it says nothing about the request's outcome.
package enum Remedy: Hashable, Sendable {
    /// Nothing that a program could do.
    case none
    /// Retry, after this long if the service said so.
    case again(after: Duration?)
    /// Slow down for this long.
    case slowDown(Duration)
    /// Use other credentials.
    case credentials
}
