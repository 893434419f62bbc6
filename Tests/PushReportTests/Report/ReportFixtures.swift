internal import Base

@testable internal import Push
@testable internal import PushReport

/// Plans and results for the tests of the renderers.
enum ReportFixtures {
    static let now = Instant(seconds: 1_795_176_000)
    static let expires = Expiration.after(.seconds(7 * 86_400)).reason

    static func remote(title: String = "LeanCloud · push.example.com", name: String = "production")
        -> RemoteDescription
    {
        RemoteDescription(name: name, type: .leancloud, title: title, fingerprint: Digest(of: [1]))
    }

    static func delivery(at: String? = nil, expires: Reason? = Self.expires, revision: Int = 1) -> PlannedDelivery {
        PlannedDelivery(
            id: DeliveryID(workspace: "giants", campaign: "x", revision: revision), generation: 0,
            revision: revision, occurrence: .once, at: at.flatMap { OffsetInstant($0) }, expiresAt: nil,
            expires: expires)
    }

    static func plan(
        _ changes: [Change], diagnostics: [Diagnostic] = [], lastApplied: LastApplied? = nil,
        isSimulated: Bool = false
    ) -> Plan {
        Plan(
            workspace: "giants", remote: remote(), desired: Digest(of: [2]), lastApplied: lastApplied,
            createdAt: now, isSimulated: isSimulated, changes: changes, diagnostics: diagnostics.map(\.planned))
    }

    /// The plan of docs/reference/plan-text.md#layout.
    static let sample = plan([
        Change(kind: .channel, name: "Mets", action: .create, reason: .verbatim("new"), after: [:]),
        Change(
            kind: .deviceProfile, name: "driver", action: .update, reason: Reason(.changed),
            before: [
                "certificate": "sha256:1f2a770000000000000000000000000000000000000000000000000000000000",
                "expires": "2026-12-01T00:00:00Z", "topic": "com.example",
            ],
            after: [
                "certificate": "sha256:9c0d310000000000000000000000000000000000000000000000000000000000",
                "expires": "2027-12-01T00:00:00Z", "topic": "com.example",
            ]),
        Change(
            kind: .campaign, name: "giants-score", action: .send, reason: Reason(.notDelivered), delivery: delivery(),
            audience: PlannedAudience(
                devices: 12_345, Audience(channels: ["Giants"], condition: ["scores": true]).reason),
            payload: PlannedPayload(bytes: 312, limit: 4096),
            preview: "Giants scored against the A's! It's now 2-2."),
        Change(
            kind: .campaign, name: "season-tickets", action: .schedule, reason: Reason(.notDelivered),
            delivery: delivery(at: "2026-11-27T20:00:00+08:00")),
        Change(
            kind: .campaign, name: "everybody", action: .send, reason: Reason(.notDelivered),
            delivery: delivery(at: "2026-11-28T20:00:00+08:00"),
            blocked: [Block(.allowEveryone, Reason(.everyoneNotAllowed))]),
    ])

    /// A change of every action, and two that are blocked.
    static let everyAction = plan(
        [
            Change(
                kind: .segment, name: "球迷", action: .create, reason: .verbatim("new"),
                after: ["where": ["scores": true], "description": "日本語", "list": ["a", "b"], "n": [1, 2]]),
            Change(
                kind: .segment, name: "injured", action: .update, reason: Reason(.changed),
                before: [
                    "where": ["injuryReports": true, "age": ["$gt": 3]], "old": "x", "at": "2026-12-01T01:00:00Z",
                ],
                after: ["where": ["injuryReports": false, "age": ["$gt": 3]], "new": 1, "at": "2026-12-01T02:00:00Z"]),
            Change(
                kind: .channel, name: "Dodgers", action: .delete, reason: .verbatim("gone"),
                blocked: [
                    Block(.protected, .verbatim("it is protected")),
                    Block(.newLedger, .verbatim("the ledger is empty")),
                ]),
            Change(kind: .channel, name: "Yankees", action: .delete, reason: .verbatim("gone")),
            Change(
                kind: .campaign, name: "cancelled", action: .cancel, reason: .verbatim("no file declares it any more"),
                delivery: delivery(at: "2026-11-27T20:00:00Z")),
            Change(
                kind: .campaign, name: "moved", action: .reschedule, reason: .verbatim("its time changed"),
                delivery: delivery(at: "2026-11-27T20:00:30+08:00", expires: nil),
                before: ["at": "2026-11-26T12:00:00Z", "revision": 1],
                after: ["at": "2026-11-27T20:00:30+08:00", "revision": 1, "window": "1h"]),
            Change(
                kind: .campaign, name: "open", action: .resume, reason: .verbatim("its outcome is open"),
                delivery: delivery()),
            Change(
                kind: .campaign, name: "一个非常长的名字一个非常长的名字一个非常长的名字一个", action: .send, reason: .verbatim("new"),
                delivery: delivery(),
                audience: PlannedAudience(devices: 1, .verbatim("everyone who lives near Beijing University, 北京大学")),
                payload: PlannedPayload(bytes: 4096, limit: 4096), preview: "“两个”\n“引号”"),
            Change(
                kind: .campaign, name: "later", action: .wait, reason: .verbatim("an apply must run after its time"),
                delivery: delivery(at: "2026-12-24T20:00:00Z"),
                audience: PlannedAudience(devices: nil, Audience(channels: ["Giants"]).reason)),
            Change(kind: .campaign, name: "late", action: .missed, reason: Reason(.windowOver), delivery: delivery()),
            Change(
                kind: .campaign, name: "lost", action: .none, reason: .verbatim("nobody knows"), delivery: delivery()),
        ],
        diagnostics: [
            Diagnostic(
                .warning, .drift, "3 devices subscribe to 'Cubs', which no file declares",
                at: SourceRange(
                    file: "channels.yaml", start: SourcePosition(line: 2, column: 9),
                    end: SourcePosition(line: 2, column: 13)), help: "declare it"),
            Diagnostic(.note, .quota, "900 of 1,000 pending pushes"),
        ],
        lastApplied: LastApplied(
            commit: "abc1234def5678abc1234def5678abc1234def56", committedAt: nil, at: now - .seconds(7260),
            run: "github run 812"), isSimulated: true)

    static let results = ApplyReport(
        workspace: "giants", remote: remote(),
        results: [
            ApplyReport.Row(kind: .channel, name: "Mets", action: .create, result: .done),
            ApplyReport.Row(
                kind: .campaign, name: "giants-score", action: .send, result: .done,
                delivery: delivery().id, objectID: "5f0b",
                figures: DeliveryFigures(
                    devices: 12_345, successes: 12_000, invalidTokens: 3)),
            ApplyReport.Row(
                kind: .campaign, name: "refused", action: .send, result: .refused,
                detail: .verbatim("dev profile disabled for massive push")),
            ApplyReport.Row(
                kind: .campaign, name: "failed", action: .cancel, result: .failed, detail: .verbatim("no answer")),
            ApplyReport.Row(kind: .campaign, name: "lost", action: .schedule, result: .unknown),
            ApplyReport.Row(
                kind: .campaign, name: "later", action: .send, result: .skipped,
                detail: .verbatim("an earlier send failed")),
        ], exitCode: 7)

    /// A delivery as the history has it, begun so long ago.
    static func applied(
        _ campaign: String, by actor: String?, run: String? = nil, ago: Duration = .zero, devices: Int? = nil,
        reason: Reason? = nil
    ) -> StatusReport.Row {
        var row = StatusReport.Row(
            campaign: campaign, revision: 1, state: reason == nil ? .sent : .refused, at: now - ago,
            figures: devices.map { DeliveryFigures(devices: $0, successes: $0, invalidTokens: 0) },
            commit: "abc1234def5678abc1234def5678abc1234def56", reason: reason)
        (row.delivery, row.begunAt, row.actor, row.run) = (delivery().id, now - ago, actor, run)
        return row
    }

    static let history: HistoryReport = {
        var later = applied("season-tickets", by: "willie", run: "github run 812", ago: .seconds(600))
        (later.state, later.at) = (.scheduled, now + .seconds(86_400))
        return HistoryReport(
            workspace: "giants", remote: remote(), since: now - .seconds(30 * 86_400), earlier: 4,
            zone: ZoneClock("Asia/Shanghai"),
            rows: [
                applied("giants-score", by: "hayes", run: "github run 811", ago: .seconds(86_400), devices: 12_345),
                later,
                applied(
                    "everybody", by: "willie", run: "github run 812", ago: .seconds(600),
                    reason: .verbatim("dev profile disabled for massive push")),
            ])
    }()

    static let status = StatusReport(
        workspace: "giants", remote: remote(),
        lastApplied: LastApplied(commit: "v1.2", committedAt: nil, at: now - .seconds(45), run: nil), now: now,
        rows: [
            StatusReport.Row(
                campaign: "巨人得分", revision: 12, state: .sent, at: now,
                figures: DeliveryFigures(devices: 12_345, successes: 12_000, invalidTokens: 3),
                objectID: "5f0b1c2d", commit: "abc1234def5678abc1234def5678abc1234def56"),
            StatusReport.Row(
                campaign: "season-tickets", revision: 1, state: .unknown, at: now,
                reason: .verbatim("no answer\nat all")),
        ])
}
