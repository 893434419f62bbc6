/// What became of one request that sends.
///
/// What cannot show its ``Proof`` is ``unknown(_:)``, and an unknown outcome is looked up or counted as in doubt, never
/// repeated as if nothing had happened. When to try again is another question: ``Remedy``.
package enum Verdict: Hashable, Sendable {
    /// The service took it.
    case accepted
    /// The service answered that it would not.
    case refused(Proof)
    /// The service cannot have acted on it.
    case notSent(Proof)
    /// Nobody can tell whether the service acted on it, and why.
    case unknown(String)
}

/// How it is known that a request did nothing.
///
/// The list is closed and every case bears its evidence: a status without a documented word, a connection that died and
/// an unfamiliar answer have no case here.
package enum Proof: Hashable, Sendable {
    /// No byte of its body was given away, and why.
    case noBodyGiven(String)
    /// The server refused its stream, or named an earlier one as the last that it acts on: HTTP/2 then promises that it
    /// did nothing (RFC 9113, 6.8 and 8.7).
    case streamRefused
    /// A documented reason of Apple's; with 410, since when the token is dead, in milliseconds of UNIX time.
    case apple(APNsReason, since: Int64?)
    /// A documented code of LeanCloud's, and what it said.
    case leanCloud(LeanCloudReason, String)
    /// A documented refusal in LeanCloud's record of the push.
    case record(RecordedRefusal)
}

/// What helps after a request that was not accepted; it says nothing of what became of the request.
package enum Remedy: Hashable, Sendable {
    /// Nothing that a program could do.
    case none
    /// To try again, after so long when the service said.
    case again(after: Duration?)
    /// To slow down for so long.
    case slowDown(Duration)
    /// Other credentials.
    case credentials
}
