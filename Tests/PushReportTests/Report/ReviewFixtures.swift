internal import Base
internal import PushReport

@testable internal import Push

extension ReportFixtures {
    /// A plan in which everything is filled that a review can show.
    static let review: Plan = {
        var plan = Self.plan(
            [derby, everyone, quiet, tickets]
                + [
                    Change(
                        kind: .channel, name: "Mets", action: .create, reason: .verbatim("new"), file: "channels.yaml",
                        line: 1,
                        after: ["description": "Fans of the Mets"]),
                    Change(
                        kind: .channel, name: "Cubs", action: .delete, reason: .verbatim("gone"),
                        before: ["description": "x"]),
                ],
            diagnostics: [
                Diagnostic(
                    .warning, .audienceAtFiring, "the service chooses the audience when the push fires",
                    at: SourceRange(
                        file: "giants/campaigns/tickets.yaml", start: SourcePosition(line: 7, column: 3),
                        end: SourcePosition(line: 7, column: 9)), help: "count again on the day"),
                Diagnostic(.note, .quota, "900 of 1,000 pending pushes"),
            ],
            lastApplied: LastApplied(
                commit: "abc1234def5678abc1234def5678abc1234def56", committedAt: nil, at: now - .seconds(7260),
                run: "github run 812"))
        plan.calendar = calendar
        plan.certificates = [
            PlannedCertificate(
                name: "giants-apple", environment: .production, topic: "com.example.giants",
                topics: ["com.example.giants", "com.example.giants.voip"],
                fingerprint: "1f2a77c0ffee00000000000000000000000000000000000000000000000000ab",
                expiresAt: now + .seconds(12 * 86_400), daysLeft: 12, campaigns: ["derby", "everyone", "tickets"]),
            PlannedCertificate(
                name: "giants-key", environment: .development, topic: "com.example.giants", keyId: "ABC123DEFG"),
        ]
        return plan
    }()

    static func request(_ alert: JSONValue) -> PushRequest {
        PushRequest(
            endpoint: .push,
            body: [
                "channels": ["Giants"], "prod": "prod", "push_time": "2026-11-27T12:00:00.000Z",
                "data": ["ios": ["alert": alert, "badge": "Increment", "sound": "default"]],
            ])
    }

    static func look(_ platform: Platform, title: String?, body: String?) -> NotificationLook {
        var look = NotificationLook(platform: platform, pushType: .alert)
        look.title = title.map { .text($0) }
        look.body = body.map { .text($0) }
        return look
    }

    private static let derby: Change = {
        var audience = PlannedAudience(
            devices: 12_345, Audience(channels: ["Giants"], condition: ["scores": true]).reason)
        audience.review.explanation = AudienceCount(
            devices: 12_345, platforms: ["ios": 9_000, "android": 3_345],
            deviceProfiles: ["giants-apple": 8_990, "": 3_355],
            timeZones: ["Asia/Shanghai": 700, "America/Los_Angeles": 250, "": 50], timeZoneSample: 1000,
            leftOut: [.invalid: 212, .stale: 1_403])
        audience.leftOut = [.invalid: 212, .stale: 1_403]
        audience.review.environments = [.production: 8_950, .development: 40]
        audience.review.lastDelivery = AudienceReview.LastDelivery(
            revision: 2, at: now - .seconds(9 * 86_400), devices: 11_000)
        audience.review.overlaps = [
            AudienceReview.Overlap(campaign: "everyone", devices: 12_345),
            AudienceReview.Overlap(campaign: "tickets", devices: 81),
        ]
        var change = Change(
            kind: .campaign, name: "derby", action: .send, reason: Reason(.notDelivered), file: "campaigns/derby.yaml",
            line: 1, delivery: delivery(revision: 3), audience: audience,
            payload: PlannedPayload(bytes: 312, limit: 4096), request: request(["title": "Derby", "body": "2–2"]),
            preview: "Derby\nGiants scored against the A's! It's now 2-2.")
        change.looks = [
            look(.ios, title: "Derby", body: "Giants scored against the A's! It's now 2-2."),
            look(.android, title: "Derby", body: "Giants scored against the A's! It's now 2-2."),
        ]
        return change
    }()

    private static let everyone: Change = {
        var change = Change(
            kind: .campaign, name: "everyone", action: .schedule, reason: Reason(.notDelivered),
            file: "campaigns/everyone.yaml", line: 1, delivery: delivery(at: "2026-11-27T20:00:00+08:00"),
            audience: PlannedAudience(devices: 812_000, Reason(.everyone)),
            payload: PlannedPayload(bytes: 298, limit: 4096), request: request("新赛季门票开售"),
            preview: "新赛季门票开售")
        change.looks = [look(.ios, title: nil, body: "新赛季门票开售")]
        return change
    }()

    private static let quiet: Change = {
        var change = Change(
            kind: .campaign, name: "refresh", action: .send, reason: Reason(.notDelivered),
            file: "campaigns/refresh.yaml", line: 1, delivery: delivery(),
            audience: PlannedAudience(devices: 40, Audience(segments: ["beta"]).reason),
            payload: PlannedPayload(bytes: 61, limit: 4096), request: request([:]),
            blocked: [Block(.quietHours, .verbatim("23:10 Asia/Shanghai is inside the quiet hours 22:00–08:00"))])
        change.looks = [NotificationLook(platform: .ios, pushType: .background)]
        return change
    }()

    private static let tickets = Change(
        kind: .campaign, name: "tickets", action: .schedule, reason: Reason(.notDelivered),
        file: "campaigns/tickets.yaml", line: 4, delivery: delivery(at: "2026-11-27T20:30:00+08:00"),
        audience: PlannedAudience(devices: 5_000, Audience(channels: ["Tickets"]).reason),
        payload: PlannedPayload(bytes: 120, limit: 4096), request: request("Tickets"), preview: "Tickets")

    private static let calendar: PlanCalendar = {
        func entry(_ campaign: String?, _ action: Action?, _ at: String, blocked: Bool = false) -> PlanCalendar.Entry {
            let at = OffsetInstant(at) ?? OffsetInstant(now)
            return PlanCalendar.Entry(
                campaign: campaign, action: action, at: at, expiresAt: at.instant + .seconds(86_400),
                isBlocked: blocked,
                localTimes: [
                    PlanCalendar.LocalTime(
                        timeZone: "Asia/Shanghai", devices: 700, at: OffsetInstant(at.instant, offset: 28_800)),
                    PlanCalendar.LocalTime(
                        timeZone: "America/Los_Angeles", devices: 250, at: OffsetInstant(at.instant, offset: -28_800),
                        remark: Reason(.inQuietHours)),
                ])
        }
        return PlanCalendar(
            entries: [
                entry("derby", .send, "2026-11-20T20:00:00+08:00"),
                entry("refresh", .send, "2026-11-20T23:10:00+08:00", blocked: true),
                entry(nil, nil, "2026-11-25T12:00:00Z"),
                entry("everyone", .schedule, "2026-11-27T20:00:00+08:00"),
                entry("tickets", .schedule, "2026-11-27T20:30:00+08:00"),
            ],
            collisions: [
                PlanCalendar.Collision(first: "everyone", second: "tickets", apart: .seconds(1800), devices: 81)
            ], quietHours: QuietHours(from: 1320, to: 480, timeZone: "Asia/Shanghai"), minimumGap: .seconds(3600))
    }()
}
