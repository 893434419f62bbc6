/// The fields of a workspace's `policy`.
package enum PolicyField: Int, FieldKey {
    case maxAudience, maxSendsPerApply, maxCancelsPerApply, maxAudienceGrowth, requireExpiration, allowEveryone
    case quietHours, minimumGap, certificateExpiryWarning, developmentAudience, quotas

    package static let table = FieldTable<Self>(
        "Workspace.policy", "Limits that nothing overrides; they are raised where they are reviewed")

    package var spec: FieldSpec {
        switch self {
        case .maxAudience: FieldSpec("maxAudience", Self.count, "Devices that one campaign may reach")
        case .maxSendsPerApply:
            FieldSpec(
                "maxSendsPerApply", Self.count, .byDefault("5"),
                "Sends, schedules, reschedules and sending resumes of one apply; more are all blocked")
        case .maxCancelsPerApply:
            FieldSpec("maxCancelsPerApply", Self.count, .byDefault("5"), "Cancels of one apply; more are all blocked")
        case .maxAudienceGrowth:
            FieldSpec(
                "maxAudienceGrowth", .percentage, .byDefault("20%"),
                "Growth of an audience between a saved plan and its apply that makes the plan stale")
        case .requireExpiration:
            FieldSpec(
                "requireExpiration", .boolean, .byDefault("true"),
                "Whether a campaign must say how long it is worth delivering")
        case .allowEveryone:
            FieldSpec("allowEveryone", .boolean, .byDefault("false"), "Whether a campaign may go to everyone")
        case .quietHours:
            FieldSpec("quietHours", .map(QuietHoursField.table.description), "Hours in which no send starts")
        case .minimumGap:
            FieldSpec(
                "minimumGap", .duration(FieldType.anyDuration), .byDefault("1h"),
                "How far apart two deliveries to the same devices should be; nearer ones are pointed out, and 0s "
                    + "points out none")
        case .certificateExpiryWarning:
            FieldSpec(
                "certificateExpiryWarning", .duration(FieldType.anyDuration), .byDefault("30d"),
                "How long before its expiry a certificate is mentioned")
        case .developmentAudience:
            FieldSpec(
                "developmentAudience", Self.count, .byDefault("20000"),
                "Devices that a push to the development environment may reach")
        case .quotas: FieldSpec("quotas", .map(QuotasField.table.description), "The service's own quotas, for warnings")
        }
    }

    private static let count = FieldType.integer(FieldType.anyCount)
}

extension FieldType {
    /// Zero and up.
    static let anyCount = 0...Int.max
    /// Zero seconds and up.
    static let anyDuration: ClosedRange<Int64> = 0...Int64.max
}

/// The fields of `quietHours`.
package enum QuietHoursField: Int, FieldKey {
    case from, to, timeZone

    package static let table = FieldTable<Self>("Workspace.policy.quietHours", "Hours in which no send starts")

    package var spec: FieldSpec {
        switch self {
        case .from: FieldSpec("from", .timeOfDay, .required, "When they begin")
        case .to: FieldSpec("to", .timeOfDay, .required, "When they end; on the next day when it is the earlier one")
        case .timeZone: FieldSpec("timeZone", .timeZone, .required, "Whose clock it is")
        }
    }
}

/// The fields of `quotas`.
package enum QuotasField: Int, FieldKey {
    case pending, devicesPerDay

    package static let table = FieldTable<Self>(
        "Workspace.policy.quotas", "The service's own quotas; passing one is a warning")

    package var spec: FieldSpec {
        switch self {
        case .pending:
            FieldSpec(
                "pending", .integer(FieldType.anyCount), .byDefault("1000"), "Scheduled pushes that the service keeps")
        case .devicesPerDay:
            FieldSpec(
                "devicesPerDay", .integer(FieldType.anyCount), .byDefault("1000000"), "Devices pushed to in a day")
        }
    }
}
