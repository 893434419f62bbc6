internal import Apply
internal import Push
internal import Synchronization

/// The figures of a runner, for `/health` and `/metrics`.
final class RunnerFigures: Sendable {
    private let state: Mutex<State>
    private let interval: Duration

    /// How a round ended.
    enum Ending: String, CaseIterable {
        /// Nothing was due.
        case idle
        /// Something was due and was carried out.
        case applied
        /// Another apply had the lock.
        case locked
        /// The workspace or the credentials could not be used.
        case invalid
        /// The remote could not be queried, or something of the apply failed.
        case failed
    }

    private struct State {
        var start: Instant
        var rounds: [Ending: Int] = [:]
        var changes: [ChangeOutcome: Int] = [:]
        var missed = 0
        var began: Instant?
        var ended: Instant?
        var lastGood: Instant?
        var last: Ending?
    }

    /// Creates figures of rounds that begin at this interval.
    init(start: Instant, every interval: Duration) {
        state = Mutex(State(start: start))
        self.interval = interval
    }

    /// A round begins.
    func begin(at now: Instant) { state.withLock { $0.began = now } }

    /// A round has ended.
    func end(_ ending: Ending, results: [ChangeResult] = [], missed: Int = 0, at now: Instant) {
        state.withLock { state in
            state.rounds[ending, default: 0] += 1
            for result in results where !result.change.isBlocked { state.changes[result.outcome, default: 0] += 1 }
            state.missed += missed
            (state.began, state.ended, state.last) = (nil, now, ending)
            if ending == .idle || ending == .applied { state.lastGood = now }
        }
    }

    /// True while rounds go on: one is under way, or the last ended not long ago.
    func isAlive(at now: Instant) -> Bool {
        state.withLock { state in
            state.began != nil || now - (state.ended ?? state.start) < interval + interval + .seconds(120)
        }
    }

    /// The answer to `/health`: 200 while rounds go on, whatever they come to.
    func health(at now: Instant) -> StatusAnswer {
        let isAlive = isAlive(at: now)
        let last = state.withLock { ($0.last?.rawValue ?? "none", $0.lastGood?.text) }
        let good = last.1.map { "\"\($0)\"" } ?? "null"
        return StatusAnswer(
            status: isAlive ? 200 : 503, type: "application/json",
            body: "{\"status\":\"\(isAlive ? "ok" : "stuck")\",\"lastRound\":\"\(last.0)\",\"lastGood\":\(good)}\n")
    }

    /// The answer to `/metrics`, in Prometheus' text format 0.0.4.
    var metrics: StatusAnswer {
        let state = state.withLock { $0 }
        var page = ""
        func add(_ name: String, _ type: String, _ help: String, _ lines: [(labels: String, value: Int64)]) {
            page += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
            for line in lines { page += "\(name)\(line.labels) \(line.value)\n" }
        }
        add(
            "bugle_run_rounds_total", "counter", "Rounds by their ending.",
            Ending.allCases.map { ("{ending=\"\($0.rawValue)\"}", Int64(state.rounds[$0] ?? 0)) })
        add(
            "bugle_run_changes_total", "counter", "Changes carried out, by their outcome.",
            ChangeOutcome.allCases.map { ("{outcome=\"\($0.rawValue)\"}", Int64(state.changes[$0] ?? 0)) })
        add(
            "bugle_run_missed_total", "counter", "Campaigns with days that were missed and are not caught up.",
            [("", Int64(state.missed))])
        add(
            "bugle_run_last_round_timestamp_seconds", "gauge", "End of the last round, in seconds since 1970.",
            [("", state.ended?.seconds ?? 0)])
        add(
            "bugle_run_last_good_round_timestamp_seconds", "gauge",
            "End of the last round without a failure, in seconds since 1970.", [("", state.lastGood?.seconds ?? 0)])
        add(
            "process_start_time_seconds", "gauge", "Start of the runner, in seconds since 1970.",
            [("", state.start.seconds)])
        return StatusAnswer(status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: page)
    }
}
