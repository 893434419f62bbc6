/// The reason a call to a remote failed or was refused.
package struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, which decides the exit code.
    package let kind: Kind
    /// The failure and what to do, in one sentence without secrets.
    package let description: String

    /// The kinds of failure.
    package enum Kind: Hashable, Sendable {
        /// The credentials are refused or missing.
        case credentials
        /// The service asks to slow down for longer than the retries last.
        case rateLimited
        /// The service cannot be reached, or failed with an error of its own.
        case unavailable
        /// The service refuses the request.
        case refused
        /// The answer has an unexpected shape.
        case unexpectedAnswer
        /// A conditional write found another state than required.
        case conditionFailed
        /// What the remote remembers was taken away while it was in use: nobody can look up later what was done.
        case ledgerLost
        /// A write may have happened or not.
        case unknownOutcome
    }

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
