internal import Base

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
    func diagnostics(_ certificates: [PlannedCertificate] = []) -> [PlanDiagnostic] {
        let campaigns = Dictionary(certificates.map { ($0.name, $0.campaigns) }) { first, _ in first }
        return desired.deviceProfiles.compactMap { profile in
            guard let end = profile.facts?.expiresAt, let urgency = Urgency(end - now, policy: desired.policy)
            else { return nil }
            return PlanDiagnostic(
                urgency == .soon ? .note : .warning, .policyCertificateExpiry,
                expiry(profile.name, end, urgency).also(Self.dependents(campaigns[profile.name] ?? [])),
                at: profile.origin.range(of: []), help: Reason(urgency == .now ? .renewNow : .renew))
        }
    }

    private func expiry(_ profile: String, _ end: Instant, _ urgency: Urgency) -> Reason {
        let days = CertificatePlanner.days(until: end, from: now)
        let (name, left) = (Reason.Value.text(profile), Reason.Value.number(days))
        switch urgency {
        case .soon, .near:
            return Reason(
                days == 1 ? .certificateExpiresInDay : .certificateExpires, name, .day(OffsetInstant(end).date), left)
        case .now:
            guard days > 0 else { return Reason(.certificateExpiresToday, name, .instant(end)) }
            return Reason(
                days == 1 ? .certificateExpiresTomorrow : .certificateExpiresSoon, name, left, .instant(end))
        }
    }

    /// The maximum number of campaigns to name.
    private static let named = 5

    private static func dependents(_ campaigns: [String]) -> Reason? {
        guard !campaigns.isEmpty else { return nil }
        let names = Reason.Value.text(campaigns.prefix(named).joined(separator: ", "))
        guard campaigns.count <= named else {
            return Reason(.campaignsAndMoreDepend, names, .count(campaigns.count - named))
        }
        return Reason(campaigns.count == 1 ? .campaignDepends : .campaignsDepend, names)
    }
}
