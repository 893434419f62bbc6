extension CertificateIdentity {
    /// Everything that would make Apple refuse this certificate, in a fixed order; empty when nothing would.
    ///
    /// A certificate that names no environment at all is not held against any.
    /// - Parameters:
    ///   - topic: the topic to push to, exactly as it is sent.
    ///   - environment: where it pushes to.
    ///   - now: the moment, in seconds since 1970; the first and the last valid moment are both valid.
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

    /// Whether it is no longer valid `seconds` after `now` (both in seconds, `now` since 1970).
    package func expires(within seconds: Int64, of now: Int64) -> Bool {
        Int128(notAfter) < Int128(now) + Int128(seconds)
    }

    /// The names of its topics in its own order, each once.
    package var topicNames: [String] {
        var seen = Set<String>()
        return topics.map(\.name).filter { seen.insert($0).inserted }
    }
}
