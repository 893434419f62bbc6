package import Base
package import Push

/// Checks the certificates and keys of a workspace offline, where they are here.
package struct CredentialChecks: Sendable {
    private let reading: CredentialReader
    private let now: Instant
    private let isNeeded: Bool

    /// Checks what `reading` finds as of an instant.
    ///
    /// If `isNeeded`, the remote that is about to be used pushes with them, so that a file that the files of the workspace
    /// name by its path must be there; variables may be a deploying machine's alone.
    package init(_ reading: CredentialReader, now: Instant, isNeeded: Bool = false) {
        self.reading = reading
        self.now = now
        self.isNeeded = isNeeded
    }

    /// The profiles with what was found in their credentials, and what is wrong with them.
    package func check(_ profiles: [DeviceProfile]) -> (profiles: [DeviceProfile], diagnostics: [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
        let checked = profiles.map { profile in
            var profile = profile
            do throws(CredentialReader.Failure) {
                profile.facts = facts(try reading.credential(of: profile), profile, &diagnostics)
            } catch {
                diagnostics.append(finding(error, profile))
            }
            return profile
        }
        return (checked, diagnostics)
    }

    private func facts(
        _ credential: PushCredential, _ profile: DeviceProfile, _ diagnostics: inout [Diagnostic]
    ) -> CredentialFacts {
        switch credential {
        case .certificate(let identity):
            for problem in identity.problems(topic: profile.topic, environment: profile.environment, at: now.seconds) {
                diagnostics.append(
                    Diagnostic(
                        .error, .certificate, "\(profile.name): \(problem)",
                        at: profile.origin.range(of: ["certificate"])))
            }
            return CredentialFacts(
                fingerprint: identity.fingerprint, expiresAt: Instant(seconds: identity.notAfter),
                topics: identity.topicNames)
        case .token(let key, _, _): return CredentialFacts(fingerprint: key.fingerprint, expiresAt: nil)
        case .serviceAccount(let account):
            return CredentialFacts(fingerprint: account.fingerprint, expiresAt: nil, project: account.project)
        case .vendor(let credential): return CredentialFacts(fingerprint: credential.fingerprint, expiresAt: nil)
        }
    }

    private func finding(_ failure: CredentialReader.Failure, _ profile: DeviceProfile) -> Diagnostic {
        let (key, source): (String, String) =
            switch profile.credential {
            case .certificate: ("certificate", "file")
            case .token: ("token", "key")
            case .serviceAccount: ("fcm", "serviceAccount")
            case .vendor(let vendor, _, _): (vendor.word, vendor.fields.secrets[0])
            }
        switch failure {
        case .unavailable(let error):
            if let path = error.path, profile.credential.sources.contains(.file(.path(path))) {
                return Diagnostic(
                    isNeeded ? .error : .warning, .certificate,
                    "\(profile.name): there is no file \(path) in the workspace",
                    at: profile.origin.range(of: [.key(key), .key(source)]),
                    help: "add it; for a file that only the deploying machine has, write {file: {env: NAME}} or "
                        + "{env: NAME}")
            }
            return Diagnostic(
                error.isAbsent ? .note : .error, error.isAbsent ? .certificateNotChecked : .certificate,
                "\(profile.name) is not checked: \(error.reason)",
                at: profile.origin.range(of: [.key(key)]))
        case .unusable(let error):
            return Diagnostic(
                .error, .certificate, "\(profile.name): \(error)",
                at: profile.origin.range(of: key == "certificate" ? [.key(key)] : [.key(key), .key(source)]))
        }
    }
}

/// A finding about a credential, shown by `bugle doctor` and the plan.
package struct CredentialFinding: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: String, Hashable, Sendable, CaseIterable {
        /// Apple would refuse every push.
        case error
        /// Works today, but needs attention.
        case warning
    }

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
        case .serviceAccount, .vendor: break
        }
        return findings
    }

    private static func certificate(
        _ identity: CertificateIdentity, _ topic: String, _ types: [PushType], _ environment: PushEnvironment,
        _ now: Instant
    ) -> [CredentialFinding] {
        var problems = identity.problems(topic: topic, environment: environment, at: now.seconds)
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
        let isValid = text.utf8.count == 10 && text.utf8.allSatisfy { $0.isDigit || (0x41...0x5A).contains($0) }
        return isValid
            ? []
            : [CredentialFinding(.error, "\(name) is not 10 upper-case letters and digits; find it in \(place)")]
    }
}

/// Checks the bundle of further authorities that a remote names: one that holds none would be found out by the first
/// connection only, in words that name no file.
package struct AuthorityCheck: Sendable {
    private let secrets: SecretReader

    /// Reads files as secrets are read.
    package init(secrets: SecretReader) { self.secrets = secrets }

    /// Returns the problems of a remote's `ca`, at its line.
    ///
    /// If `isNeeded`, the remote is about to be asked, so that a file that is not here is an error.
    package func findings(_ remote: RemoteDeclaration, isNeeded: Bool) -> [Diagnostic] {
        guard let path = remote.ca else { return [] }
        func finding(_ severity: Severity, _ code: DiagnosticCode, _ problem: String) -> [Diagnostic] {
            [
                Diagnostic(
                    severity, code, "the CA certificates of \(remote.name): \(problem)",
                    at: remote.origin.range(of: ["remotes", .key(remote.name), "ca"]),
                    help: "'ca' is the path of a PEM file of CA certificates, relative to the workspace's folder")
            ]
        }
        let bytes: [UInt8]
        do throws(SecretReader.Unavailable) {
            bytes = try secrets.bytes(.file(.path(path)))
        } catch {
            return error.isAbsent && !isNeeded
                ? finding(.note, .certificateNotChecked, error.reason) : finding(.error, .certificate, error.reason)
        }
        if bytes.isEmpty { return finding(.error, .certificate, "\(path) is empty") }
        return CertificateBundle.count(in: bytes) > 0
            ? [] : finding(.error, .certificate, "\(path) contains no PEM certificate")
    }
}
