internal import Base

/// The certificate or key of a DeviceProfile, for reviewers.
package struct PlannedCertificate: Hashable, Sendable {
    /// The name of the DeviceProfile.
    package var name: String
    /// The service that it is for.
    package var vendor = PushVendor.apns
    /// The environment.
    package var environment: PushEnvironment
    /// The bundle id that it pushes to; with FCM the project, empty with other vendors.
    package var topic: String
    /// The topics in the certificate; empty for a key, and when it could not be read.
    package var topics: [String] = []
    /// The key's id; nil for a certificate.
    package var keyId: String?
    /// The SHA-256 of the certificate, or of the key's public half, in hexadecimal; nil when it could not be read here.
    package var fingerprint: String?
    /// The expiry of a certificate; nil for a key, and when it could not be read.
    package var expiresAt: Instant?
    /// The whole days until then; negative when it has expired.
    package var daysLeft: Int?
    /// The plan's campaigns that use it, by name.
    package var campaigns: [String] = []
}

/// Reviews the certificates and keys of a workspace, as a plan uses them and as `validate` sees them.
struct CertificateReview {
    let desired: Workspace
    let now: Instant

    /// Returns the certificate or key of each DeviceProfile, by name, with the campaigns that use it; `campaigns` are
    /// those that the plan delivers, each with the profiles that may push it.
    func certificates(pushing campaigns: [(name: String, profiles: [DeviceProfile])]) -> [PlannedCertificate] {
        var names: [String: Set<String>] = [:]
        for campaign in campaigns {
            for profile in campaign.profiles { names[profile.name, default: []].insert(campaign.name) }
        }
        return desired.deviceProfiles.map { profile in
            var keyId: String?
            if case .token(_, let id, _) = profile.credential { keyId = id }
            let end = profile.facts?.expiresAt
            return PlannedCertificate(
                name: profile.name, vendor: profile.vendor, environment: profile.environment,
                topic: profile.facts?.project ?? profile.topic,
                topics: profile.facts?.topics ?? [], keyId: keyId, fingerprint: profile.facts?.fingerprint,
                expiresAt: end, daysLeft: end.map { Self.days(until: $0, from: now) },
                campaigns: (names[profile.name] ?? []).sorted())
        }
    }

    /// Returns the whole days until an instant; negative from that very instant on.
    private static func days(until end: Instant, from now: Instant) -> Int {
        let length = end - now
        guard length <= .zero else { return Int(length.wholeSeconds / 86_400) }
        return -1 - Int((now - end).wholeSeconds / 86_400)
    }

    // MARK: Expiry

    /// How soon a certificate expires: a note from the policy's time on, a warning in the last two weeks, and a plainer
    /// one in the last week. An expired certificate has an error of its own.
    enum Urgency: String {
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
                Self.expiry(profile.name, end, urgency, now: now)
                    .also(Self.dependents(campaigns[profile.name] ?? [])),
                at: profile.origin.range(of: []), help: Reason(urgency == .now ? .renewNow : .renew))
        }
    }

    static func expiry(_ profile: String, _ end: Instant, _ urgency: Urgency, now: Instant) -> Reason {
        let days = Self.days(until: end, from: now)
        let (name, left) = (Reason.Value.text(profile), Reason.Value.number(days))
        switch urgency {
        case .soon, .near:
            return Reason(
                days == 1 ? .certificateExpiresInDay : .certificateExpires, name, .day(OffsetInstant(end).date), left)
        case .now:
            guard days > 0 else { return Reason(.certificateExpiresToday, name, .instant(end)) }
            return Reason(days == 1 ? .certificateExpiresTomorrow : .certificateExpiresSoon, name, left, .instant(end))
        }
    }

    /// The maximum number of campaigns to name.
    private static let named = 5

    static func dependents(_ campaigns: [String]) -> Reason? {
        guard !campaigns.isEmpty else { return nil }
        let names = Reason.Value.text(campaigns.prefix(named).joined(separator: ", "))
        guard campaigns.count <= named else {
            return Reason(.campaignsAndMoreDepend, names, .count(campaigns.count - named))
        }
        return Reason(campaigns.count == 1 ? .campaignDepends : .campaignsDepend, names)
    }
}
