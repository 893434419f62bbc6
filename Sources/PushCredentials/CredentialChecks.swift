internal import APNs
package import Diagnostics
package import PushModel

/// Checks the certificates and keys of a workspace offline, where they are here.
package struct CredentialChecks: Sendable {
    private let reading: CredentialReading
    private let now: Instant

    /// Checks what `reading` finds as of an instant.
    package init(_ reading: CredentialReading, now: Instant) {
        self.reading = reading
        self.now = now
    }

    /// The profiles with what was found in their credentials, and what is wrong with them.
    package func check(_ profiles: [DeviceProfile]) -> (profiles: [DeviceProfile], diagnostics: [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
        let checked = profiles.map { profile in
            var profile = profile
            do throws(CredentialReading.Failure) {
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
            for problem in identity.problems(
                topic: profile.topic, environment: .init(profile.environment), at: now.seconds)
            {
                diagnostics.append(
                    Diagnostic(
                        .error, .certificate, "\(profile.name): \(problem)",
                        at: profile.origin.range(of: ["certificate"])))
            }
            return CredentialFacts(
                fingerprint: identity.fingerprint, expiresAt: Instant(seconds: identity.notAfter),
                topics: identity.topicNames)
        case .token(let key, _, _): return CredentialFacts(fingerprint: key.fingerprint, expiresAt: nil)
        }
    }

    private func finding(_ failure: CredentialReading.Failure, _ profile: DeviceProfile) -> Diagnostic {
        let isToken = if case .token = profile.credential { true } else { false }
        switch failure {
        case .unavailable(let error):
            return Diagnostic(
                error.isAbsent ? .note : .error, error.isAbsent ? .certificateNotChecked : .certificate,
                "\(profile.name) is not checked: \(error.reason)",
                at: profile.origin.range(of: [isToken ? "token" : "certificate"]))
        case .unusable(let error):
            return Diagnostic(
                .error, .certificate, "\(profile.name): \(error)",
                at: profile.origin.range(of: isToken ? ["token", "key"] : ["certificate"]))
        }
    }
}
