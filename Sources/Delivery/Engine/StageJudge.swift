package import DeviceRegistry
package import Push

/// Judges the stages of a rollout: the verdict is durable before the next stage opens.
struct StageJudge {
    let job: DeliveryJob
    let permit: DeliveryPermit
    let store: Journal

    /// The journal after the next stage was opened; nil when no stage or device is left, or the time for that is over.
    ///
    /// - Throws: a stop while the last stage bakes, or when its verdict leaves the next one to a person.
    func next(after figures: JournalFigures) async throws(DeliveryStop) -> JournalFigures? {
        if case .variants(let test) = job.order.timing { return try await rest(after: test, figures) }
        guard case .stages(let rollout) = job.order.timing, let stage = figures.current, !figures.isClosed,
            figures.waiting > 0
        else { return nil }
        // The last one, too, may have been halted inside.
        if let verdict = stage.verdict, !verdict.opensNext { throw .judged(verdict) }
        guard stage.number < rollout.stages.count else { return nil }
        let now = try await DeliveryStop.asking(try await store.now())
        let outcome = stage.answeredAt ?? job.due
        guard now <= outcome + rollout.window else { return nil }
        let ready = outcome + rollout.bake
        guard now >= ready else {
            throw .postponed("stage \(stage.number) bakes before it is judged", until: ready)
        }
        let verdict: StageVerdict
        if let known = stage.verdict, known.decision == .proceed {
            // A person let the next stage start, once the rest of this one was sent: what they decided stands.
            verdict = known
        } else {
            let answers = try await DeliveryStop.asking(try await store.answers(of: stage, of: job.id))
            verdict = rollout.verdict(on: stage, answers, routes: job.order.routes, at: now)
        }
        try await record(verdict)
        guard verdict.opensNext else { throw .judged(verdict) }
        return try await DeliveryStop.asking(try await store.journal(of: job.id))
    }

    /// The journal after the rest was opened with the variant that was chosen, or that is due when nobody chose; nil
    /// when there is no rest to open, or the time for that is over.
    ///
    /// - Throws: a stop while a winner may still be named.
    private func rest(
        after test: VariantTest, _ figures: JournalFigures
    ) async throws(DeliveryStop) -> JournalFigures? {
        guard let part = figures.current, part.number == VariantTest.test, !figures.isClosed, figures.waiting > 0
        else { return nil }
        // What was decided stays, and opens the rest or ends the delivery.
        if let verdict = part.verdict, !verdict.opensNext { return nil }
        let now = try await DeliveryStop.asking(try await store.now())
        let deadline = (part.answeredAt ?? job.due) + test.decideBy
        let answers = try await DeliveryStop.asking(try await store.answers(of: part, of: job.id))
        var verdict = StageVerdict(
            stage: part.number, decision: .proceed, at: now, answers: answers,
            rule: Reason(.winner, .text(test.winner ?? "")), winner: test.winner)
        if let known = part.verdict {
            verdict = known
        } else if test.winner == nil {
            guard now >= deadline else {
                throw .postponed("the test of its variants waits for a winner", until: deadline)
            }
            guard now <= deadline + test.window else { return nil }
            switch test.otherwise {
            case .arm(let name):
                (verdict.decision, verdict.winner) = (.go, name)
                verdict.rule = Reason(.noWinner, .duration(test.decideBy), .text(name))
            case .abandon:
                (verdict.decision, verdict.rule) = (.halt, Reason(.noWinnerNothing, .duration(test.decideBy)))
            }
        } else if now > deadline + test.window {
            return nil
        }
        try await record(verdict)
        guard verdict.opensNext else { return nil }
        return try await DeliveryStop.asking(try await store.journal(of: job.id))
    }

    /// The halt of the current stage when Apple refuses the whole delivery; nil when it is no rollout, or stopped for
    /// another reason.
    func halted(_ figures: JournalFigures, by stop: DeliveryStop) async throws(RegistryError) -> DeliveryStop? {
        guard case .stages = job.order.timing, let stage = figures.current else { return nil }
        switch stop {
        case .refused, .wrongEnvironment: break
        case .asked, .lockLost, .over, .postponed, .unreachable, .credential, .machine, .registry, .audience, .mismatch,
            .judged, .stopped:
            return nil
        }
        let verdict = StageVerdict(
            stage: stage.number, decision: .halt, at: try await store.now(),
            answers: try await store.answers(of: stage, of: job.id), rule: .verbatim(stop.description))
        try await store.judge(job.id, verdict, under: permit.lease)
        return .judged(verdict)
    }

    private func record(_ verdict: StageVerdict) async throws(DeliveryStop) {
        try await DeliveryStop.asking(try await store.judge(job.id, verdict, under: permit.lease))
    }
}

extension JournalReading {
    /// Returns the answers of a part's devices, with those whose app was opened by it where they are counted.
    package func answers(
        of part: JournalPart, of delivery: String
    ) async throws(RegistryError) -> StageVerdict.Answers {
        var answers = StageVerdict.Answers(part.figures)
        answers.opened = try await events(of: delivery)?.opened(inPart: part.number)
        return answers
    }
}

extension JournalPart {
    /// The time of its last answer, or else of its opening; nil when it has not opened.
    package var answeredAt: Instant? { [opensAt, figures.lastOutcomeAt].compactMap(\.self).max() }

    /// The time from which its expiration counts: that of its opening, or at which a person let the rest of it proceed.
    var startsAt: Instant? {
        guard let verdict, verdict.decision == .proceed, verdict.winner == nil else { return opensAt }
        return opensAt.map { max($0, verdict.at) }
    }
}

extension JournalFigures {
    /// The last part that has opened; nil for an undivided audience.
    package var current: JournalPart? { parts.last { $0.opensAt != nil } }
}

extension Rollout {
    /// The verdict on a stage by all its answers, and by each service's alone: the failures of one that has few devices
    /// would drown among the others'.
    func verdict(
        on stage: JournalPart, _ answers: StageVerdict.Answers, routes: [DeliveryOrder.Route], at now: Instant
    ) -> StageVerdict {
        var verdict = verdict(onStage: stage.number, answers, at: now)
        let services = Dictionary(grouping: routes, by: \.vendor)
        guard services.count > 1, verdict.decision != .halt else { return verdict }
        for vendor in PushVendor.allCases {
            var own = StageVerdict.Answers()
            for route in services[vendor] ?? [] {
                stage.profiles[route.profile].map { own.add(StageVerdict.Answers($0)) }
            }
            let judged = self.verdict(onStage: stage.number, own, at: now)
            guard judged.decision == .halt else { continue }
            (verdict.decision, verdict.rule) = (.halt, Reason(.says, .text(vendor.title), .reason(judged.rule)))
            break
        }
        return verdict
    }
}

extension StageVerdict.Answers {
    fileprivate mutating func add(_ other: Self) {
        accepted += other.accepted
        refused += other.refused
        deadTokens += other.deadTokens
        inDoubt += other.inDoubt
    }

    /// The answers of a stage's devices.
    package init(_ figures: JournalFigures) {
        let dead = figures.refused.filter { ServiceReason(word: $0.key)?.isOfTheToken ?? false }.values.reduce(0, +)
        self.init(
            accepted: figures.accepted, refused: figures.refused.values.reduce(0, +) - dead, deadTokens: dead,
            inDoubt: figures.unanswered)
    }
}
