extension CertificateIdentity {
    /// Checks whether Apple would refuse this certificate.
    ///
    /// A certificate that names no environment is accepted for both.
    /// - Parameters:
    ///   - topic: the topic to push to, exactly as sent.
    ///   - environment: the environment to push to.
    ///   - now: the current time, in seconds since 1970; the first and the last valid moment are both valid.
    /// - Returns: every reason for which it would, in a fixed order; empty when there is none.
    package func problems(topic: String, environment: Environment, at now: Int64) -> [CredentialProblem] {
        var problems: [CredentialProblem] = []
        if now > notAfter { problems.append(.expired(at: notAfter)) }
        if now < notBefore { problems.append(.notYetValid(from: notBefore)) }
        if !topics.contains(where: { $0.name == topic }) {
            problems.append(.topicMissing(topic, found: topicNames))
        }
        if !environments.isEmpty, !environments.contains(environment) {
            problems.append(.wrongEnvironment(environment, found: environments.sorted()))
        }
        return problems
    }

    /// True when the certificate is no longer valid `seconds` after `now` (both in seconds, `now` since 1970).
    package func expires(within seconds: Int64, of now: Int64) -> Bool {
        Int128(notAfter) < Int128(now) + Int128(seconds)
    }

    /// The distinct topic names, in the certificate's order.
    package var topicNames: [String] {
        var seen = Set<String>()
        return topics.map(\.name).filter { seen.insert($0).inserted }
    }
}
