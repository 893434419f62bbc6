/// Reviews the certificates and keys of a workspace as a plan uses them.
struct CertificatePlanner {
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
                name: profile.name, environment: profile.environment, topic: profile.topic,
                topics: profile.facts?.topics ?? [], keyId: keyId, fingerprint: profile.facts?.fingerprint,
                expiresAt: end, daysLeft: end.map { Self.days(until: $0, from: now) },
                campaigns: (names[profile.name] ?? []).sorted())
        }
    }

    /// Returns the whole days until an instant; negative from that very instant on.
    static func days(until end: Instant, from now: Instant) -> Int {
        let length = end - now
        guard length <= .zero else { return Int(length.wholeSeconds / 86_400) }
        return -1 - Int((now - end).wholeSeconds / 86_400)
    }
}
