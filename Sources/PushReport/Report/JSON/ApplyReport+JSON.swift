package import Base
internal import Push

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
            Field(
                optional: "leftOut", .leftOut, leftOutSentence, unless: [:], { $0.leftOut }, { $0.leftOut = $1 })
        ])

    /// The record of figures that may be missing.
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

extension JSONForm<[AudienceExplanation.Skip: Int]> {
    fileprivate static var leftOut: Self { .counts(of: AudienceExplanation.Skip.self) }
}
