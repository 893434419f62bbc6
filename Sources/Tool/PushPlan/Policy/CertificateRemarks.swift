internal import Diagnostics
internal import PushModel

/// The remarks of plans and `validate` on certificates that expire soon: a note from the policy's time on, a warning in
/// the last two weeks, and a plainer one in the last week. An expired certificate has an error of its own.
struct CertificateRemarks {
    let desired: Workspace
    let now: Instant

    /// The urgency by the remaining time.
    enum Urgency {
        case soon, near, now

        init?(_ left: Duration, policy: Policy) {
            guard left > .zero, left < policy.certificateExpiryWarning else { return nil }
            if left < .seconds(7 * 86_400) {
                self = .now
            } else if left < .seconds(14 * 86_400) {
                self = .near
            } else {
                self = .soon
            }
        }
    }

    /// Returns a diagnostic for each certificate with less time left than the policy wants; `certificates` are the
    /// plan's, empty when there is no plan.
    func diagnostics(_ certificates: [PlannedCertificate] = []) -> [Diagnostic] {
        let campaigns = Dictionary(certificates.map { ($0.name, $0.campaigns) }) { first, _ in first }
        return desired.deviceProfiles.compactMap { profile in
            guard let end = profile.facts?.expiresAt, let urgency = Urgency(end - now, policy: desired.policy)
            else { return nil }
            return diagnostic(profile, end, urgency, Self.dependents(campaigns[profile.name] ?? []))
        }
    }

    private func diagnostic(_ profile: DeviceProfile, _ end: Instant, _ urgency: Urgency, _ dependents: String)
        -> Diagnostic
    {
        let days = CertificatePlanner.days(until: end, from: now)
        let left = "\(days) day\(days == 1 ? "" : "s")"
        let place = profile.origin.range(of: [])
        let help = "renew it with Apple and upload it"
        let usual = "the certificate of \(profile.name) expires on \(end.day), in \(left)"
        switch urgency {
        case .soon:
            return Diagnostic(.note, .policyCertificateExpiry, usual + dependents, at: place, help: help)
        case .near:
            return Diagnostic(.warning, .policyCertificateExpiry, usual + dependents, at: place, help: help)
        case .now:
            let rest = days == 0 ? "in less than a day" : "in only \(left)"
            return Diagnostic(
                .warning, .policyCertificateExpiry,
                "the certificate of \(profile.name) expires \(rest), at \(end.text), after which "
                    + "it cannot push" + dependents,
                at: place, help: help + " now")
        }
    }

    /// The maximum number of campaigns to name.
    private static let named = 5

    private static func dependents(_ campaigns: [String]) -> String {
        guard !campaigns.isEmpty else { return "" }
        let names = campaigns.prefix(named).joined(separator: ", ")
        let rest = campaigns.count > named ? " and \(grouped(campaigns.count - named)) more" : ""
        let isOne = campaigns.count == 1
        return "; campaign\(isOne ? "" : "s") \(names)\(rest) depend\(isOne ? "s" : "") on it"
    }
}
