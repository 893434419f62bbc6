internal import Base
internal import Apply
internal import Push
internal import Synchronization

/// The log of a runner: one JSON object a line, on standard error. What stays as it was is said once.
final class RunnerLog: Sendable {
    private let console: Console
    private let last = Mutex<String?>(nil)

    init(console: Console) { self.console = console }

    /// The rounds begin.
    func began(_ planning: PlanningSession, every interval: Duration, port: Int?) {
        var fields: JSONObject = [
            "workspace": .string(planning.desired.name), "remote": .string(planning.remote.name),
            "every": .string(interval.configurationText),
        ]
        if let port { fields["port"] = .integer(Int64(port)) }
        write("info", "running", fields)
    }

    /// The rounds have ended.
    func ended() { write("info", "stopped", [:]) }

    /// Nothing was due; what a person must look at is said.
    func plan(_ plan: Plan) {
        let open = plan.changes.filter { $0.isBlocked || $0.action == .none }
        guard !open.isEmpty else { return once(nil, {}) }
        let text = open.map { "\($0.name): \(($0.blocked.first?.message ?? $0.reason).text)" }.joined(separator: "; ")
        once(text) { write("warning", "something waits for a person", ["what": .string(text)]) }
    }

    /// An apply has ended.
    func outcome(_ outcome: ApplySession.Outcome) {
        switch outcome.ending {
        case .lockHeld(let record, _):
            once("held by \(record.run)") {
                write("info", "another apply has the lock", ["holder": .string(record.holder)])
            }
        case .olderCommit(let last):
            let commit = last.commit ?? "unknown"
            once("older than \(commit)") {
                write(
                    "warning", "a newer commit was applied than that of these files: nothing is started",
                    ["applied": .string(commit)])
            }
        case .stale: write("warning", "the plan changed; the next round makes another", [:])
        case .lockLost: carriedOut(outcome, "the lock was lost; the next round goes on")
        case .ledgerLost(let what): carriedOut(outcome, what)
        case .stopped: carriedOut(outcome, "the apply was stopped; the next round goes on")
        case .finished: carriedOut(outcome, nil)
        }
    }

    private func carriedOut(_ outcome: ApplySession.Outcome, _ remark: String?) {
        last.withLock { $0 = nil }
        for result in outcome.results { self.result(result) }
        for change in outcome.missedDays {
            var fields = fields(change)
            fields["reason"] = .string(change.reason.text)
            write("warning", "missed \(change.name)", fields)
        }
        if let remark { write("warning", remark, [:]) }
    }

    private func result(_ result: ChangeResult) {
        var fields = fields(result.change)
        fields["outcome"] = .string(result.outcome.rawValue)
        if let detail = result.detail { fields["detail"] = .string(detail.text) }
        if let devices = result.figures?.devices { fields["devices"] = .integer(Int64(devices)) }
        let level =
            switch result.outcome {
            case .done, .ongoing, .skipped: "info"
            case .partly: "warning"
            case .refused, .failed, .unknown: "error"
            }
        write(level, "\(result.change.action.rawValue) \(result.change.name)", fields)
    }

    private func fields(_ change: Change) -> JSONObject {
        var fields: JSONObject = ["campaign": .string(change.name), "action": .string(change.action.rawValue)]
        if let delivery = change.delivery {
            fields["delivery"] = .string(delivery.id.text)
            if let day = delivery.occurrence.date { fields["occurrence"] = .string(day.text) }
        }
        return fields
    }

    /// Something happens in an apply.
    func event(_ event: ApplyEvent) {
        switch event {
        case .warning(let text): write("warning", text, [:])
        case .waitingForLock, .began, .progress, .ended, .waiting: break
        }
    }

    /// The workspace or the credentials cannot be used.
    func failure(_ failure: Failure) {
        let errors = failure.diagnostics.filter { $0.severity == .error }.map { found in
            found.range.map { "\($0.file):\($0.start.line): \(found.message)" } ?? found.message
        }
        problem((errors + [failure.message].compactMap { $0 }).joined(separator: "; "))
    }

    /// A round failed; the same again is not said again.
    func problem(_ text: String) { once(text) { write("error", text, [:]) } }

    private func once(_ text: String?, _ body: () -> Void) {
        let isNew = last.withLock { last in
            defer { last = text }
            return last != text
        }
        if isNew { body() }
    }

    private func write(_ level: String, _ message: String, _ fields: JSONObject) {
        var fields = fields
        fields["time"] = .string(Workbench.localNow.isoText)
        console.log(level, message, fields)
    }
}

extension ApplySession.Outcome {
    /// The lines about days of recurring campaigns that were missed since the apply before this one.
    var missedDays: [Change] {
        switch ending {
        case .finished, .stopped, .lockLost, .ledgerLost:
            plan?.changes.filter { $0.action == .missed && $0.delivery?.occurrence.date != nil } ?? []
        case .lockHeld, .stale, .olderCommit: []
        }
    }
}
