package import Push

/// The results of an apply, change by change.
package struct ApplyReport: Hashable, Sendable {
    package var workspace: String
    package var remote: RemoteDescription
    /// The results of the plan's changes, in the plan's order.
    package var results: [Row]
    /// The number of deliveries that waited, and about which nothing was to be done.
    package var waiting: Int
    /// The program's exit code.
    package var exitCode: Int
    /// The language for people, set by the workspace; nil for that of the environment.
    package var language: Language?
    /// What is due next, as far as the apply knows.
    package var next: Next?

    /// The delivery that is due next.
    package struct Next: Hashable, Sendable {
        package var campaign: String
        /// The time at which it is sent, or goes on.
        package var at: OffsetInstant

        package init(campaign: String, at: OffsetInstant) {
            self.campaign = campaign
            self.at = at
        }
    }

    /// The result of one change.
    package struct Row: Hashable, Sendable {
        package var kind: ResourceKind
        package var name: String
        /// The planned action.
        package var action: Action
        package var result: ChangeOutcome
        /// The reason or the next step, in one clause.
        package var detail: Reason?
        /// The id of a campaign's delivery.
        package var delivery: DeliveryID?
        /// The day of a recurring campaign's occurrence.
        package var occurrence: CivilDate?
        /// The service's id of the push.
        package var objectID: String?
        /// The service's figures.
        package var figures: DeliveryFigures?
        /// The address of the page on which the remote shows the push.
        package var page: String?
    }

    package init(workspace: String, remote: RemoteDescription, results: [Row], waiting: Int = 0, exitCode: Int) {
        self.workspace = workspace
        self.remote = remote
        self.results = results
        self.waiting = waiting
        self.exitCode = exitCode
    }

    /// The number of changes with an outcome.
    package func count(_ outcome: ChangeOutcome) -> Int { results.count { $0.result == outcome } }
}

extension ApplyReport.Row {
    /// Creates the result of a planned change.
    package init(
        of change: Change, _ result: ChangeOutcome, detail: Reason? = nil, objectID: String? = nil,
        figures: DeliveryFigures? = nil
    ) {
        self.init(
            kind: change.kind, name: change.name, action: change.action, result: result, detail: detail,
            delivery: change.delivery?.id, objectID: objectID, figures: figures)
        occurrence = change.delivery?.occurrence.date
    }
}

// MARK: - Document

extension ApplyReport {
    /// The results as a document: a line each as text, a table with what to look at first as a whole.
    func document(isWhole: Bool, in language: Language) -> ReportDocument {
        let title = ReportDocument.Title(
            workspace: workspace, remote: remote.name, aside: remote.title, notes: [], what: language.say(.applyTitle))
        let due = next.map { [language.say(.nextDue($0.campaign, $0.at))] } ?? []
        guard !results.isEmpty else {
            return ReportDocument(parts: [.title(title), .closing([sentence(in: language)] + due)])
        }
        // What was stopped at the server is decided about there.
        let asks = results.contains {
            $0.result == .unknown && $0.detail?.has(Reason.Progress.stoppedAtServer) != true
        }
        let ask = asks ? [language.say(.findOut), language.say(.resolveCommand)] : []
        guard isWhole else {
            let counts = ChangeOutcome.allCases.filter { !$0.isRare || count($0) > 0 }
                .map { language.say(.count(count($0), of: language.say($0.label))) }
            return ReportDocument(parts: [
                .title(title), .items(results.map { $0.item(in: language) }),
                .closing([language.say(.applied(counts))] + ask + due),
            ])
        }
        return ReportDocument(parts: [
            .title(title), .closing([sentence(in: language)] + ask + due), .table(table(in: language)),
        ])
    }

    /// What became of the changes, in one sentence.
    func sentence(in language: Language) -> String {
        guard results.isEmpty else { return Self.sentence(of: results, in: language) }
        return language.say(exitCode == 0 ? .nothingToApply(remote.name, waiting: waiting) : .nothingChanged)
    }

    /// What was sent to how many, and the number of everything else that became of a change, in one sentence.
    static func sentence(of results: [Row], in language: Language) -> String {
        func count(_ outcome: ChangeOutcome) -> Int { results.count { $0.result == outcome } }
        let sent = results.filter(\.isSent)
        let figures = sent.compactMap(\.figures)
        let (devices, simulated) = (sent.reduce(0) { $0 + $1.reached }, figures.reduce(0) { $0 + $1.simulated })
        var parts: [String] = []
        if !figures.isEmpty || sent.isEmpty && !results.contains(where: \.maySend) {
            parts.append(language.say(.sentTo(pushes: figures.count, devices: devices, simulated: simulated)))
        }
        if sent.count > figures.count { parts.append(language.say(.sentUncounted(sent.count - figures.count))) }
        func add(_ count: Int, _ label: Phrase) {
            if count > 0 { parts.append(language.say(.count(count, of: language.say(label)))) }
        }
        let words = results.filter { $0.result == .done && !$0.isSent }.map(\.word)
        let known: [Phrase] = [
            .done, .wasCreated, .wasUpdated, .wasDeleted, .wasSent, .wasScheduled, .wasRescheduled, .wasCancelled,
            .wasSettled,
        ]
        for word in known { add(words.count { $0 == word }, word) }
        for outcome in ChangeOutcome.allCases where outcome != .done { add(count(outcome), outcome.label) }
        let inDoubt = results.reduce(0) { $0 + ($1.figures?.inDoubt ?? 0) }
        if inDoubt > 0 { parts.append(language.say(.inDoubtDevices(inDoubt))) }
        return language.say(.applied(parts))
    }

    /// Every result as a row, what a person must look at first.
    private func table(in language: Language) -> ReportDocument.Table {
        let sorted = results.enumerated().sorted {
            ($0.element.result.rank, $0.offset) < ($1.element.result.rank, $1.offset)
        }
        .map(\.element)
        var table = ReportDocument.Table(
            columns: language.columns(
                [.whatColumn, .resultColumn, .devicesColumn, .lookOutColumn], numeric: [.devicesColumn]),
            rows: sorted.map { $0.cells(in: language) }
        ).withoutEmptyColumns
        table.pages = sorted.map { $0.page.flatMap { PageLink($0) } }
        return table
    }
}

extension ApplyReport.Row {
    func item(in language: Language) -> ReportDocument.Item {
        ReportDocument.Item(mark: result.mark, kind: kind, name: name, outcome: outcome(in: language), details: [])
    }

    /// The result as the cells of a row: what, its result, the devices, and what to look at.
    fileprivate func cells(in language: Language) -> [String?] {
        let what = kind == .campaign ? name : "\(language.word(kind)) \(name)"
        var notes = figures.map { language.lost($0.leftOut, missed: $0.missed) } ?? []
        if let inDoubt = figures?.inDoubt, inDoubt > 0 { notes.append(language.say(.inDoubtDevices(inDoubt))) }
        if let detail { notes.append(language.say(detail)) }
        return [
            "\(result.sign) \(what)", dated(language.say(result == .done ? word : result.label), in: language),
            figures.map { language.say(.reached($0.devices, simulated: $0.simulated)) },
            notes.isEmpty ? nil : language.clauses(notes),
        ]
    }

    /// True when devices got it, or may have.
    fileprivate var isSent: Bool {
        // What settles or replaces an earlier push may have sent nothing.
        guard sends, action == .send || figures != nil, !isUnsent else { return false }
        return switch result {
        case .done, .ongoing, .partly: true
        case .refused, .failed, .unknown, .skipped: figures?.hasSent == true
        }
    }

    /// True when it is not known what was sent of it.
    fileprivate var maySend: Bool {
        sends && (result == .unknown || detail?.has(Reason.Result.continuesThere) == true)
    }

    private var sends: Bool { kind == .campaign && [.send, .resume, .reschedule].contains(action) }

    /// The devices that it was sent to; of what did not end as planned, those that got it or may have.
    fileprivate var reached: Int {
        guard let figures else { return 0 }
        return switch result {
        case .done, .ongoing: figures.devices - figures.missed
        case .partly, .refused, .failed, .unknown, .skipped: figures.successes + figures.inDoubt
        }
    }

    /// True for a delivery whose audience was empty, or whose time was over, before anybody was sent to.
    private var isUnsent: Bool { figures?.isUntried == true && detail?.has(Reason.Result.notSent) == true }

    /// What became of it, with the day of a recurring campaign.
    private func dated(_ text: String, in language: Language) -> String {
        occurrence.map { language.say(.remarked(text, language.day($0))) } ?? text
    }

    private func outcome(in language: Language) -> String {
        // Such a detail says it all; a word before it would repeat or contradict it.
        let saysAll = result == .ongoing || result == .done && isUnsent ? detail : nil
        let lost = figures.map { language.lost($0.leftOut, missed: $0.missed) } ?? []
        guard let saysAll else {
            return language.say(
                .outcome(
                    dated(language.say(result == .done ? word : result.label), in: language), devices: figures?.devices,
                    simulated: figures?.simulated ?? 0, lost: lost, detail: detail.map(language.say)))
        }
        let said = dated(language.say(saysAll), in: language)
        // It ends with a command.
        guard result != .ongoing else { return language.clauses([said] + lost) }
        return language.say(.outcome(said, devices: nil, simulated: 0, lost: lost, detail: nil))
    }

    fileprivate var word: Phrase {
        switch action {
        case .create: .wasCreated
        case .update: .wasUpdated
        case .delete: .wasDeleted
        case .send: isUnsent ? .done : .wasSent
        case .schedule: .wasScheduled
        case .reschedule: .wasRescheduled
        case .cancel: .wasCancelled
        case .resume: .wasSettled
        case .wait, .missed, .none: .done
        }
    }
}

extension ChangeOutcome {
    /// True when its count is left out where it is zero: only deliveries in parts end so.
    fileprivate var isRare: Bool { self == .ongoing || self == .partly }

    private typealias Tone = ReportDocument.Verdict.Tone

    private var row: (rank: Int, mark: Mark, sign: String, label: Phrase) {
        switch self {
        case .unknown: (0, .unknown, Tone.look.sign, .unknown)
        case .refused: (1, .failed, Tone.stop.sign, .refused)
        case .failed: (1, .failed, Tone.stop.sign, .failed)
        case .partly: (2, .partly, Tone.look.sign, .partly)
        case .skipped: (3, .skipped, Tone.look.sign, .skipped)
        case .ongoing: (4, .ongoing, "⏳", .ongoing)
        case .done: (5, .done, Tone.fine.sign, .done)
        }
    }

    /// The order in which a person looks at results.
    fileprivate var rank: Int { row.rank }
    fileprivate var mark: Mark { row.mark }
    /// What it means, at a glance.
    fileprivate var sign: String { row.sign }
    fileprivate var label: Phrase { row.label }
}
