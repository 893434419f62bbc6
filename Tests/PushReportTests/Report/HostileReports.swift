internal import Base

@testable internal import Push
@testable internal import PushReport

/// Reports with one text in every field that a file or an answer can fill.
enum HostileReports {
    static let options = ReportOptions(markdownLimit: 10_000_000)

    /// What no text takes for a plain word, and what means nothing.
    static let harmless = "harm-1"

    /// Every form of the reports with a harmless text.
    static let models: [ReportFormat: [String]] = Dictionary(
        uniqueKeysWithValues: ReportFormat.allCases.map { ($0, rendered(harmless, $0)) })

    static func rendered(_ text: String, _ format: ReportFormat) -> [String] {
        var options = options
        options.sourceLine = { _, _ in text }
        // Those in English first.
        return Language.allCases.flatMap { language in
            options.language = language
            return reports(text).map { $0.rendered(as: format, options: options) }
        }
    }

    static func reports(_ text: String) -> [Report] {
        let range = SourceRange(file: text, start: SourcePosition(line: 1, column: 3))
        let diagnostics = [
            Diagnostic(.error, .unknownKey, text, at: range, help: text, related: [.init(text, at: range)]),
            Diagnostic(.note, .quota, text),
        ]
        let remote = ReportFixtures.remote(title: text, name: text)
        let last = LastApplied(commit: text, committedAt: nil, at: ReportFixtures.now, run: text)
        let changes = Action.allCases.flatMap { action in
            [[], [Block(.newLedger, .verbatim(text))]].map { blocked in
                var change = Change(
                    kind: .campaign, name: text, action: action, reason: .verbatim(text), file: text, line: 1,
                    delivery: ReportFixtures.delivery(at: "2026-11-27T20:00:00Z", expires: .verbatim(text)),
                    audience: audience(text), payload: PlannedPayload(bytes: 1, limit: 2),
                    before: ["a\(text)": .string(text), "x": [.string(text)]],
                    after: ["a\(text)": "", "x": [1], "y": [text: 1]],
                    request: PushRequest(endpoint: .push, body: [text: [.string(text)]]), preview: text,
                    blocked: blocked)
                if action == .send { change.looks = Platform.allCases.map { look(text, on: $0) } }
                return change
            }
        }
        var plan = Plan(
            workspace: text, remote: remote, desired: Digest(of: []), lastApplied: last,
            createdAt: ReportFixtures.now, changes: changes, diagnostics: diagnostics.map(\.planned))
        plan.calendar = calendar(text)
        plan.certificates = [
            PlannedCertificate(
                name: text, environment: .production, topic: text, topics: [text, text], keyId: text, fingerprint: text,
                expiresAt: ReportFixtures.now, daysLeft: 3, campaigns: [text])
        ]
        return [
            .diagnostics(diagnostics),
            .plan(plan),
            .apply(
                ApplyReport(
                    workspace: text, remote: remote,
                    results: ChangeOutcome.allCases.map {
                        var row = ApplyReport.Row(
                            kind: .channel, name: text, action: .create, result: $0, detail: .verbatim(text),
                            objectID: text)
                        row.page = text
                        return row
                    }, exitCode: 1)),
            .status(
                StatusReport(
                    workspace: text, remote: remote, lastApplied: last, now: ReportFixtures.now,
                    rows: [
                        StatusReport.Row(
                            campaign: text, revision: 1, state: .unknown, objectID: text, commit: text,
                            reason: .verbatim(text))
                    ])),
            .history(
                HistoryReport(
                    workspace: text, remote: remote, since: ReportFixtures.now,
                    rows: [ReportFixtures.applied(text, by: text, run: text, reason: .verbatim(text))])),
            .fleet(
                FleetReport(
                    zip([Report.diagnostics(diagnostics), .plan(plan)], [3, 0]).map { report, code in
                        FleetReport.Section(
                            folder: text, report: report, message: code == 0 ? nil : text, exitCode: code,
                            ending: .endedInvalid, path: text)
                    })),
        ]
    }

    private static func audience(_ text: String) -> PlannedAudience {
        var audience = PlannedAudience(devices: 3, .verbatim(text))
        audience.review.explanation = AudienceCount(
            devices: 3, platforms: [text: 3], deviceProfiles: [text: 3], timeZones: [text: 3], leftOut: [.stale: 1])
        audience.review.overlaps = [AudienceReview.Overlap(campaign: text, devices: 2)]
        return audience
    }

    private static func look(_ text: String, on platform: Platform) -> NotificationLook {
        var look = ReportFixtures.look(platform, title: text, body: text)
        (look.variant, look.language) = (text, text)
        look.subtitle = .localized(key: text, arguments: [text])
        look.sound = .name(text)
        look.threadId = text
        look.category = text
        look.collapseId = text
        look.image = text
        return look
    }

    private static func calendar(_ text: String) -> PlanCalendar {
        let at = OffsetInstant(ReportFixtures.now)
        return PlanCalendar(
            entries: [
                PlanCalendar.Entry(
                    campaign: text, action: .send, at: at,
                    localTimes: [PlanCalendar.LocalTime(timeZone: text, devices: 3, at: at, remark: .verbatim(text))])
            ], collisions: [PlanCalendar.Collision(first: text, second: text, apart: .seconds(1), devices: 1)])
    }
}
