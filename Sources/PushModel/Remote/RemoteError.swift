/// Why a remote could not be asked, or would not do it.
package struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which kind of failure it is; exit codes are decided by it.
    package let kind: Kind
    /// What happened and what to do, in one sentence, without anything secret.
    package let description: String

    /// The kinds of failure.
    package enum Kind: Hashable, Sendable {
        /// The credentials are refused or missing.
        case credentials
        /// The service asks to slow down, longer than the retries last.
        case rateLimited
        /// It cannot be reached, or answers with an error of its own.
        case unavailable
        /// It refuses the request.
        case refused
        /// Its answer has a shape that is not expected.
        case unexpectedAnswer
        /// A conditional write found another state than it asked for.
        case conditionFailed
        /// A write may have happened or not.
        case unknownOutcome
    }

    /// Makes an error.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
