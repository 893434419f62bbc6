internal import LocatedYAML
internal import PushModel

extension DocumentReader {
    func policy(_ map: MapReader<PolicyField>) -> Policy {
        var policy = Policy()
        policy.maxAudience = map.integer(.maxAudience)
        set(&policy.maxSendsPerApply, map.integer(.maxSendsPerApply))
        set(&policy.maxCancelsPerApply, map.integer(.maxCancelsPerApply))
        set(&policy.maxAudienceGrowth, map.string(.maxAudienceGrowth).flatMap(FieldType.fraction))
        set(&policy.requireExpiration, map.flag(.requireExpiration))
        set(&policy.allowEveryone, map.flag(.allowEveryone))
        policy.quietHours = map.map(.quietHours, of: QuietHoursField.self).flatMap(quietHours)
        set(&policy.minimumGap, map.duration(.minimumGap))
        set(&policy.certificateExpiryWarning, map.duration(.certificateExpiryWarning))
        set(&policy.developmentAudience, map.integer(.developmentAudience))
        if let quotas = map.map(.quotas, of: QuotasField.self) {
            set(&policy.pendingQuota, quotas.integer(.pending))
            set(&policy.dailyQuota, quotas.integer(.devicesPerDay))
        }
        return policy
    }

    private func set<Value>(_ place: inout Value, _ value: Value?) {
        if let value { place = value }
    }

    private func quietHours(_ map: MapReader<QuietHoursField>) -> QuietHours? {
        let from = map.string(.from).flatMap(FieldType.minutes)
        let to = map.string(.to).flatMap(FieldType.minutes)
        let zone = map.string(.timeZone)
        guard let from, let to, let zone else { return nil }
        return QuietHours(from: from, to: to, timeZone: zone)
    }
}
