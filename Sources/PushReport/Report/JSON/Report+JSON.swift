internal import Base
internal import Push

extension Report {
    /// The report as JSON.
    var jsonBytes: [UInt8] {
        switch self {
        case .plan(let plan): plan.savedBytes()
        case .diagnostics(let diagnostics): Self.diagnostics.json(of: diagnostics.sortedForPrinting()).bytes
        case .apply(let report): ApplyReport.record.json(of: report).bytes
        case .status(let report): StatusReport.record.json(of: report).bytes
        case .history(let report): HistoryReport.record.json(of: report).bytes
        case .preview(let report): PreviewReport.record.json(of: report).bytes
        }
    }

    /// The report as a table for spreadsheets; empty for one that is no table.
    var csv: String {
        switch self {
        case .history(let report): report.csv
        case .plan, .diagnostics, .apply, .status, .preview: ""
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
    /// The JSON record of the ledger.
    static let record = Record<StatusReport>(
        written: [
            Field(group: ReportHead.record, { _ in ReportHead() }),
            ReportHead.workspace { $0.workspace }, ReportHead.remote { $0.remote.name },
            Field("lastApplied", orNull: .record(LastApplied.record, definedAs: "lastApplied"), "", { $0.lastApplied }),
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
        written: [
            Field("name", .text, "", { $0.name }), Field("bytes", .integer(), "", { $0.bytes }),
        ])
}
