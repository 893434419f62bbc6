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

    private func finding(_ failure: CredentialReader.Failure, _ profile: DeviceProfile) -> Diagnostic {
        let isToken = if case .token = profile.credential { true } else { false }
        switch failure {
        case .unavailable(let error):
            if let path = error.path, profile.credential.sources.contains(.file(.path(path))) {
                return Diagnostic(
                    isNeeded ? .error : .warning, .certificate,
                    "\(profile.name): there is no file \(path) in the workspace",
                    at: profile.origin.range(of: isToken ? ["token", "key"] : ["certificate", "file"]),
                    help: "add it; for a file that only the deploying machine has, write {file: {env: NAME}} or "
                        + "{env: NAME}")
            }
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
