package import Push

/// A finding about a credential, shown by `bugle doctor` and the plan.
package struct CredentialFinding: Hashable, Sendable, CustomStringConvertible {
    /// The severity of a finding.
    package enum Severity: String, Hashable, Sendable, CaseIterable {
        /// Apple would refuse every push.
        case error
        /// Works today, but needs attention.
        case warning
    }

    /// The severity of the finding.
    package let severity: Severity
    /// One sentence without a full stop: what is wrong and what to do; never any of the credential's content.
    package let description: String

    init(_ severity: Severity, _ description: String) {
        self.severity = severity
        self.description = description
    }
}

/// Describes everything that would keep a credential from pushing.
package enum CredentialReview {
    /// Reviews a credential for a topic and an environment.
    ///
    /// - Parameters:
    ///   - credential: the certificate or key.
    ///   - topic: the profile's topic.
    ///   - types: the push types to send; each needs its own topic.
    ///   - environment: the environment to push to.
    ///   - now: the machine's clock.
    ///   - warning: how long before a certificate expires the warning starts.
    ///   - clockAhead: how far this machine's clock is ahead of a server's, if known.
    /// - Returns: the findings, worst first; empty when there are none.
    package static func findings(
        _ credential: PushCredential, topic: String, types: [PushType] = [], environment: PushEnvironment,
        at now: Instant, warning: Duration = .seconds(30 * 86_400), clockAhead: Duration? = nil
    ) -> [CredentialFinding] {
        var findings = clock(clockAhead)
        switch credential {
        case .certificate(let identity):
            findings += certificate(identity, topic, types, environment, now)
            if findings.isEmpty, identity.expires(within: warning.wholeSeconds, of: now.seconds) {
                let days = (identity.notAfter - now.seconds) / 86_400
                findings.append(
                    CredentialFinding(
                        .warning,
                        "the certificate expires in \(days) days; make the next one in Apple's developer account"))
            }
        case .token(_, let teamID, let keyID):
            findings += id(teamID, "teamId", "Membership details of Apple's developer account")
            findings += id(keyID, "keyId", "the name of the key's file, AuthKey_KEYID.p8")
        }
        return findings
    }

    private static func certificate(
        _ identity: CertificateIdentity, _ topic: String, _ types: [PushType], _ environment: PushEnvironment,
        _ now: Instant
    ) -> [CredentialFinding] {
        var problems = identity.problems(
            topic: topic, environment: CertificateIdentity.Environment(environment), at: now.seconds)
        for type in types where type.fits(topic: topic) {
            let needed = CredentialProblem.topicMissing(type.apnsTopic(of: topic), found: identity.topicNames)
            let isThere = identity.topicNames.contains(type.apnsTopic(of: topic))
            if !isThere, !problems.contains(needed) { problems.append(needed) }
        }
        var findings = problems.map { CredentialFinding(.error, $0.description) }
        for type in types where !type.fits(topic: topic) {
            findings.append(
                CredentialFinding(
                    .error,
                    "topic \(topic) is not for push type \(type.rawValue); use the bundle id without a suffix"))
        }
        if types.contains(.location) {
            findings.append(
                CredentialFinding(.error, "Apple accepts location pushes with a key only; add a 'token' to the profile")
            )
        }
        return findings
    }

    private static func clock(_ ahead: Duration?) -> [CredentialFinding] {
        guard let ahead, ahead.magnitude > ProviderTokenSource.tolerance else { return [] }
        return [CredentialFinding(.error, CredentialError(.clockWrong, clockAhead: ahead).description)]
    }

    private static func id(_ text: String, _ name: String, _ place: String) -> [CredentialFinding] {
        let isValid =
            text.utf8.count == 10
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return isValid
            ? []
            : [CredentialFinding(.error, "\(name) is not 10 upper-case letters and digits; find it in \(place)")]
    }
}

extension CertificateIdentity.Environment {
    /// The certificate environment that corresponds to a campaign's environment.
    package init(_ environment: PushEnvironment) {
        switch environment {
        case .production: self = .production
        case .development: self = .development
        }
    }
}
