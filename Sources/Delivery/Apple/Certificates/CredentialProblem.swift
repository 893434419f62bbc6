internal import FoundationEssentials

/// A reason for which Apple would refuse a readable certificate.
package enum CredentialProblem: Sendable, Hashable, CustomStringConvertible {
    /// The certificate expired at this time, in seconds since 1970.
    case expired(at: Int64)
    /// The certificate is not valid before this time, in seconds since 1970.
    case notYetValid(from: Int64)
    /// The certificate does not name the topic; `found` lists the topics it names.
    case topicMissing(String, found: [String])
    /// The certificate is not for this environment; `found` lists its environments.
    case wrongEnvironment(CertificateIdentity.Environment, found: [CertificateIdentity.Environment])

    /// One sentence without a full stop: what is wrong and what to do.
    package var description: String {
        switch self {
        case .expired(let moment):
            "the certificate expired at \(Self.text(of: moment)); make a new one in Apple's developer account"
        case .notYetValid(let moment):
            "the certificate is not valid before \(Self.text(of: moment)); "
                + "check the clock, or use the older one until then"
        case .topicMissing(let topic, let found) where found.isEmpty:
            "the certificate names no topic, so it cannot push to \(topic); use an Apple Push Services certificate"
        case .topicMissing(let topic, let found):
            "the certificate is not for topic \(topic) but for \(found.joined(separator: ", ")); "
                + "use that app's certificate, or correct the topic"
        case .wrongEnvironment(let wanted, let found):
            "the certificate is not for \(wanted.rawValue) but for \(found.map(\.rawValue).joined(separator: ", ")); "
                + "use one for \(wanted.rawValue), or correct the environment"
        }
    }

    private static func text(of seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
