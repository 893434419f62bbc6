package import Base
internal import Push

extension Report {
    var jsonBytes: [UInt8] {
        switch self {
        case .plan(let plan): plan.savedBytes()
        case .diagnostics(let diagnostics): Self.diagnostics.json(of: diagnostics.sortedForPrinting()).bytes
        case .apply(let report): ApplyReport.record.json(of: report).bytes
        case .status(let report): StatusReport.record.json(of: report).bytes
        case .history(let report): HistoryReport.record.json(of: report).bytes
        case .preview(let report): PreviewReport.record.json(of: report).bytes
        case .fleet(let report): report.file.bytes
        }
    }

    /// The report as a table for spreadsheets; empty for one that is no table.
    var csv: String {
        switch self {
        case .history(let report): report.csv
        case .plan, .diagnostics, .apply, .status, .preview, .fleet: ""
        }
    }

    static let diagnostics = Record<[Diagnostic]>(
        written: [
            Field(group: Record(written: [ReportHead.version]), { _ in ReportHead() }),
            Field(
                "diagnostics", .list(of: .record(DiagnosticRecord.ofFiles, definedAs: "diagnostic")),
                "The findings, by place.", { $0 }),
        ])
}

extension StatusReport {
    static let record = Record<StatusReport>(
        written: [
            Field(group: ReportHead.record, { _ in ReportHead() }),
            ReportHead.workspace { $0.workspace }, ReportHead.remote { $0.remote.name },
            Field("lastApplied", orNull: .record(LastApplied.record, definedAs: "lastApplied"), "", { $0.lastApplied }),
            Field(
                optional: "stops", .list(of: .record(StopOrder.record), minimum: 1),
                "The orders by which people stopped deliveries.", { $0.stops.isEmpty ? nil : $0.stops }),
            Field("deliveries", .list(of: .record(Row.record, definedAs: "delivery")), "Every delivery.", { $0.rows }),
        ])
}

extension StatusReport.Row {
    static let record = Record<Self>(
        written: [
            Field("campaign", .text, "The campaign, by the name that the ledger has.", { $0.campaign }),
            Field("revision", .integer(minimum: 1), "Its revision.", { $0.revision }),
            Field(
                optional: "occurrence", .text, "The day of a recurring campaign's delivery.", { $0.occurrence?.text }),
            Field("state", .choice(DeliveryState.self), "The state.", { $0.state }),
            Field("at", orNull: .time, "The time of sending, past or future.", { $0.at }),
            Field(group: DeliveryFigures.optionalRecord, { $0.figures }),
            Field(
                optional: "verdicts", .list(of: .record(StageVerdict.record), "One of them."),
                "The verdicts on the stages of a rollout.",
                { row in row.figures.flatMap { $0.verdicts.isEmpty ? nil : $0.verdicts } }),
            Field(
                optional: "variants", .list(of: .record(VariantAnswers.record), "One of them."),
                "The answers of those who tested variants.",
                { row in row.figures.flatMap { $0.variants.isEmpty ? nil : $0.variants } }),
            Field(
                optional: "part", .record(PartStanding.record), "The part that was sent last, while it goes on.",
                { $0.part }),
            Field(optional: "holdout", .text, "The share of devices that was held out, with its word.", { $0.holdout }),
            Field(
                optional: "events", .record(EventFigures.record),
                "The devices that reported events; their base is 'successes'.", { $0.events }),
            Field("objectId", orNull: .text, "The service's id of the push.", { $0.objectID }),
            Field("commit", orNull: .text, "The commit that was applied.", { $0.commit }),
            .reason("reason", orNull: "The reason for the state.", { $0.wait ?? $0.reason }, { $0.reason = $1 }),
        ])
}

extension EventFigures {
    static let record = Record<Self>(
        written: [
            Field("received", .integer(), "Devices on which it arrived.", { $0.received }),
            Field("opened", .integer(), "Devices whose app was opened by it.", { $0.opened }),
            Field("dismissed", .integer(), "Devices on which it was removed.", { $0.dismissed }),
            Field("parts", .list(of: .record(Part.record)), "The same by part of the delivery.", { $0.parts }),
        ])
}

extension EventFigures.Part {
    static let record = Record<Self>(
        written: [
            Field("part", .integer(), "The part, from 1; 0 for an undivided audience.", { $0.number }),
            Field("form", .integer(), "0 for the message itself, else the number of a language.", { $0.form }),
            Field("received", .integer(), "Devices on which it arrived.", { $0.received }),
            Field("opened", .integer(), "Devices whose app was opened by it.", { $0.opened }),
            Field("dismissed", .integer(), "Devices on which it was removed.", { $0.dismissed }),
        ])
}

extension PreviewReport {
    /// The JSON record of a preview; it has no schema.
    static let record = Record<PreviewReport>(
        written: [
            Field(group: ReportHead.record, { _ in ReportHead() }),
            ReportHead.workspace { $0.workspace }, ReportHead.remote { $0.remote.name },
            Field("campaign", .text, "", { $0.campaign }), Field("revision", .integer(), "", { $0.revision }),
            Field("delivery", .delivery, "", { $0.delivery }), Field("at", orNull: .time, "", { $0.at }),
            .reason("audience", "", { $0.audience }, { $0.audience = $1 }),
            Field(
                optional: "parts", .list(of: .record(part)), "",
                { report in report.division?.parts(at: report.at) }),
            Field("looks", .list(of: .record(NotificationLook.record)), "", { $0.looks }),
            Field("payload", .record(payload), "", { $0 }),
            Field("request", .record(PushRequest.record), "", { $0.request }),
            Field("diagnostics", .list(of: .record(DiagnosticRecord.ofFiles)), "", { $0.diagnostics }),
        ])

    private static let part = Record<Division.Part>(
        written: [
            .reason("label", "", { $0.label }, { $0.label = $1 }),
            Field("at", orNull: .time, "", { part in if case .at(let time) = part.opening { time } else { nil } }),
            Field(
                "after", orNull: .duration, "",
                { part in if case .after(let delay) = part.opening { delay } else { nil } }),
            Field("estimate", .flag, "", { $0.isEstimate }),
        ])

    private static let payload = Record<PreviewReport>(
        written: [
            Field("bytes", .integer(), "", { $0.size.bytes }), Field("limit", .integer(), "", { $0.size.limit }),
            Field("largest", .list(of: .record(field)), "", { $0.largestFields }),
            Field("body", orNull: .object, "", { $0.payload }),
        ])

    private static let field = Record<PayloadSize.Field>(
        written: [Field("name", .text, "", { $0.name }), Field("bytes", .integer(), "", { $0.bytes })])
}

// MARK: - JSON

extension ApplyReport {
    /// The record of `--json-result`.
    static let record = Record<ApplyReport>(
        blank,
        [
            Field(group: ReportHead.record, { _ in ReportHead() }, { _, _ in }),
            ReportHead.workspace({ $0.workspace }, { $0.workspace = $1 }),
            ReportHead.remote({ $0.remote.name }, { $0.remote.name = $1 }),
            Field(
                optional: "remoteTitle", .text, "The remote's title, for people.", unless: "", { $0.remote.title },
                { $0.remote.title = $1 }),
            Field(
                optional: "language", .choice(Language.self), "The language of its texts for people.", { $0.language },
                { $0.language = $1 }),
            Field(
                "results", .list(of: .record(Row.record, definedAs: "result")),
                "Every change of the plan, in its order.", { $0.results }, { $0.results = $1 }),
            Field("summary", .record(summary), "The number of changes by outcome.", { $0 }, { _, _ in }),
            Field(
                "waiting", .count, "Deliveries that wait, and about which nothing was to be done.", { $0.waiting },
                { $0.waiting = $1 }),
            Field(
                optional: "next", .record(Next.record), "What is due next, as far as the apply knows.", { $0.next },
                { $0.next = $1 }),
            Field("exitCode", .integer(), "The program's exit code.", { $0.exitCode }, { $0.exitCode = $1 }),
        ])

    private static let blank = ApplyReport(
        workspace: "", remote: RemoteDescription(name: "", type: .leancloud, title: "", fingerprint: Digest(of: [])),
        results: [], exitCode: 0)

    private static let summary = Record<ApplyReport>(
        blank,
        ChangeOutcome.allCases.map { outcome in
            Field(outcome.rawValue, .integer(), "Changes with this outcome.", { $0.count(outcome) }, { _, _ in })
        })

    /// Reads what `apply --json-result` wrote.
    ///
    /// - Throws: `RecordError` that names the first faulty member.
    package static func read(_ bytes: [UInt8]) throws(RecordError) -> ApplyReport {
        let json: JSONValue
        do throws(JSONSyntaxError) {
            json = try JSONValue(parsing: bytes, limits: .anyMemory)
        } catch {
            throw RecordError(.other(error.description))
        }
        try ReportHead.check(json)
        return try record.read(json)
    }
}

extension ApplyReport.Next {
    static let record = Record<Self>(
        Self(campaign: "", at: OffsetInstant(Instant(seconds: 0))),
        [
            Field("campaign", .text, "The campaign.", { $0.campaign }, { $0.campaign = $1 }),
            Field("at", .time, "The time at which it is sent, or goes on.", { $0.at }, { $0.at = $1 }),
        ])
}

extension ApplyReport.Row {
    static let record = Record<Self>(
        Self(kind: .campaign, name: "", action: .none, result: .unknown),
        [
            Field("kind", .choice(ResourceKind.self), "The kind of the resource.", { $0.kind }, { $0.kind = $1 }),
            Field("name", .text, "Its name.", { $0.name }, { $0.name = $1 }),
            Field("action", .choice(Action.self), "The planned action.", { $0.action }, { $0.action = $1 }),
            Field("result", .choice(ChangeOutcome.self), "The outcome.", { $0.result }, { $0.result = $1 }),
            .reason("detail", orNull: "The reason or the remedy.", { $0.detail }, { $0.detail = $1 }),
            Field(
                "delivery", orNull: .delivery, "The delivery; null: of a resource.", { $0.delivery },
                { $0.delivery = $1 }),
            Field(
                optional: "occurrence", .text, "The day of a recurring campaign's delivery.", { $0.occurrence?.text },
                { $0.occurrence = $1.flatMap { CivilDate($0) } }),
            Field("objectId", orNull: .text, "The service's id of the push.", { $0.objectID }, { $0.objectID = $1 }),
            Field(
                optional: "page", .text, "The page on which the remote shows the push.", { $0.page }, { $0.page = $1 }),
            Field(
                "figures", orNull: .record(DeliveryFigures.record, definedAs: "figures"), "", { $0.figures },
                { $0.figures = $1 }),
        ])
}

extension DeliveryFigures {
    static let record = Record<DeliveryFigures>(
        DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0),
        table.map { name, sentence, get, set in Field(name, .count, sentence, get, set) } + [
            Field(optional: "leftOut", .leftOut, leftOutSentence, unless: [:], { $0.leftOut }, { $0.leftOut = $1 })
        ])

    static let optionalRecord = Record<DeliveryFigures?>(
        written: table.map { name, sentence, get, _ in Field(name, orNull: .integer(), sentence) { $0.map(get) } } + [
            Field(optional: "leftOut", .leftOut, leftOutSentence) {
                $0.flatMap { $0.leftOut.isEmpty ? nil : $0.leftOut }
            }
        ])

    private static let leftOutSentence = "All devices that matched and were left out, by reason."

    /// Name, meaning, getter and setter; what `leftOut` holds as well is set by that.
    private static let table:
        [(String, String, @Sendable (DeliveryFigures) -> Int, @Sendable (inout DeliveryFigures, Int) -> Void)] = [
            ("devices", "Devices that matched, without simulated ones.", { $0.devices }, { $0.devices = $1 }),
            ("successes", "Devices for which it was accepted.", { $0.successes }, { $0.successes = $1 }),
            ("invalidTokens", "Tokens that Apple calls invalid.", { $0.invalidTokens }, { $0.invalidTokens = $1 }),
            ("inDoubt", "Devices whose answer was lost.", { $0.inDoubt }, { $0.inDoubt = $1 }),
            ("missed", "Devices that were never sent to because time ran out.", { $0.missed }, { $0.missed = $1 }),
            (
                "tooLarge", "Devices left out because the payload was too large with values of their own.",
                { $0.leftOut[.tooLarge] ?? 0 }, { _, _ in }
            ),
            (
                "heldOut", "Devices left out: in the share that gets nothing.", { $0.leftOut[.heldOut] ?? 0 },
                { _, _ in }
            ),
            (
                "capped", "Devices left out: reached as often as a rule allows.", { $0.leftOut[.capped] ?? 0 },
                { _, _ in }
            ),
            (
                "simulated", "Devices that the remote only simulates: nothing was sent to them.", { $0.simulated },
                { $0.simulated = $1 }
            ),
        ]
}

// MARK: - JSON

extension HistoryReport {
    static let record = Record<HistoryReport>(
        written: [
            Field(group: ReportHead.record, { _ in ReportHead() }),
            ReportHead.workspace { $0.workspace }, ReportHead.remote { $0.remote.name },
            Field("since", .time, "The time from which deliveries are listed.", { $0.since }),
            Field("earlier", .integer(), "The number of deliveries before it.", { $0.earlier }),
            Field(
                "applied", .list(of: .record(row, definedAs: "applied")), "What was applied, the newest first.",
                { $0.rows }),
        ])

    static let row = Record<StatusReport.Row>(
        written: [
            Field("appliedAt", orNull: .time, "The time at which an apply began it.", { $0.begunAt }),
            Field("actor", orNull: .text, "The person or job that applied it.", { $0.actor }),
            Field("run", orNull: .text, "The run that applied it.", { $0.run }),
            Field("delivery", orNull: .delivery, "The delivery.", { $0.delivery }),
            Field(group: StatusReport.Row.record, { $0 }),
        ])

    /// The columns of the table for spreadsheets: the members of a delivery that are texts or numbers.
    static let csvColumns = [
        "appliedAt", "actor", "campaign", "revision", "occurrence", "state", "at", "devices", "successes",
        "invalidTokens", "inDoubt", "missed", "tooLarge", "heldOut", "capped", "simulated", "commit", "run", "delivery",
        "objectId", "reason",
    ]

    /// The table for spreadsheets.
    var csv: String {
        var file = CSVFile(Self.csvColumns)
        for row in rows {
            let members = Self.row.json(of: row).unordered
            file.add(
                Self.csvColumns.map { name in
                    switch members[name] {
                    case .string(let text)?: escaped(text)
                    case .integer(let number)?: String(number)
                    case .bool, .number, .array, .object, .null, nil: ""
                    }
                })
        }
        return file.text
    }
}
