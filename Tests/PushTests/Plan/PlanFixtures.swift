internal import Base

@testable internal import Push

/// Plans and texts for the tests of the codecs.
enum PlanFixtures {
    static let now = Instant(seconds: 1_795_176_000)

    static let remote = RemoteDescription(
        name: "production", type: .leancloud, title: "LeanCloud · push.example.com",
        fingerprint: Digest(of: Array("remote".utf8)))

    /// What a file may hold to mislead a terminal, a log or a reader.
    static let hostile =
        "a\"b\\c\n::error::x\r\u{1B}[31m\t\u{202E}\u{2066}\u{200B}\u{FEFF}\u{85}\u{2028}##[error]##vso[x]\u{0}é日本👩‍👧"

    static func delivery(_ campaign: String, at: OffsetInstant? = nil) -> PlannedDelivery {
        PlannedDelivery(
            id: DeliveryID(workspace: "giants", campaign: campaign, revision: 1), generation: 0, revision: 1,
            occurrence: .once, at: at, expiresAt: now + .seconds(604_800),
            expires: Expiration.after(.seconds(7 * 86_400)).reason)
    }

    /// One change of every shape, with a text in every field that takes one.
    static func changes(text: String = "plain") -> [Change] {
        [
            Change(kind: .channel, name: "Mets \(text)", action: .create, reason: .verbatim(text), after: [:]),
            Change(
                kind: .deviceProfile, name: "driver", action: .update, reason: Reason(.changed), file: text, line: 3,
                before: ["certificate": .string(text)], after: ["certificate": "sha256:0", "n": 1, "x": 1.5]),
            Change(
                kind: .campaign, name: "giants-score", action: .send, reason: Reason(.notDelivered),
                file: "campaigns/giants.yaml", line: 1, delivery: delivery("giants-score"),
                audience: PlannedAudience(devices: 12_345, .verbatim(text)),
                payload: PlannedPayload(bytes: 312, limit: 4096), after: ["message": .string(text)],
                request: PushRequest(
                    endpoint: .push, body: ["data": ["alert": .string(text)], "list": [1, true, nil]]),
                preview: text),
            Change(
                kind: .campaign, name: "everybody", action: .schedule, reason: .verbatim(text),
                delivery: delivery("everybody", at: OffsetInstant(now + .milliseconds(1500), offset: 28_800)),
                audience: PlannedAudience(devices: nil, Reason(.everyone)),
                blocked: [Block(.allowEveryone, .verbatim(text))]
            ),
        ]
    }

    static func plan(text: String = "plain", isSimulated: Bool = false) -> Plan {
        let range = SourceRange(
            file: text, start: SourcePosition(line: 12, column: 5), end: SourcePosition(line: 12, column: 12))
        return Plan(
            workspace: "giants", remote: remote, desired: Digest(of: Array("desired".utf8)),
            lastApplied: LastApplied(commit: text, committedAt: now, at: now + .milliseconds(7), run: text),
            createdAt: now, isSimulated: isSimulated, changes: changes(text: text),
            diagnostics: [
                Diagnostic(.warning, .drift, text, at: range, help: text, related: [.init(text, at: range)]),
                Diagnostic(.note, .quota, text),
            ].map(\.planned))
    }

    /// A plan with a calendar and certificates in which every member is set, and others in which none is.
    static func reviewed(text: String = "plain") -> Plan {
        var plan = plan(text: text)
        plan.calendar = PlanCalendar(
            entries: [
                PlanCalendar.Entry(campaign: nil, action: nil, at: OffsetInstant(now)),
                PlanCalendar.Entry(
                    campaign: text, action: .send, at: OffsetInstant(now + .milliseconds(1500), offset: -12_600),
                    latestStart: now + .seconds(3600), expiresAt: now + .milliseconds(7), isBlocked: true,
                    localTimes: [
                        PlanCalendar.LocalTime(
                            timeZone: "Asia/Shanghai", devices: 12, at: OffsetInstant(now, offset: 28_800),
                            remark: .verbatim(text)
                        ),
                        PlanCalendar.LocalTime(timeZone: text, devices: nil, at: OffsetInstant(now, offset: 3600)),
                    ]),
            ],
            collisions: [
                PlanCalendar.Collision(first: text, second: text, apart: .seconds(61), devices: 3),
                PlanCalendar.Collision(first: "", second: text, apart: .zero, devices: nil),
            ],
            otherCollisions: 7, quietHours: QuietHours(from: 1325, to: 8 * 60, timeZone: "Asia/Shanghai"),
            minimumGap: .seconds(90))
        plan.certificates = [
            PlannedCertificate(
                name: text, environment: .development, topic: text, topics: [text, text], keyId: text,
                fingerprint: "ab", expiresAt: now + .milliseconds(1), daysLeft: -3, campaigns: [text]),
            PlannedCertificate(name: "bare", environment: .production, topic: "t"),
        ]
        return plan
    }

    static let empty = Plan(
        workspace: "giants", remote: remote, desired: Digest(of: []), lastApplied: nil, createdAt: now, changes: [])
}
