import DeviceRegistry
import HistoryTesting
import ProgramTesting
import RegistryTesting
import Testing

/// What three senders are told by a real server that is stopped, cut off and killed is what one lock, one journal and one
/// ledger would say.
@Suite(hasServer) struct SenderHistoryTests {
    private func expectSound(_ kind: HistoryTrial.Kind, seed: UInt64, times: Int) async throws {
        let trial = try await HistoryTrial(kind, seed: seed)
        let outcome = try await trial.run { trial in
            try await HistoryTrial.disturb(trial, times: times)
            // Otherwise it proves nothing: something was lost, devices were accepted, and the lock changed hands.
            try await eventually {
                let history = trial.recorder.history
                let hasLost = history.operations.contains { $0.answer == nil }
                return hasLost && history.fences > 3 && history.operations.contains(where: \.isAccepting)
            }
        }
        let history = trial.recorder.history
        let found = HistoryChecker.complaints(history, outcome)
        #expect(found == [], "\(kind), seed \(seed)")
        let lost = history.operations.count { $0.answer == nil }
        print(
            "a history, \(kind), seed \(seed): \(history.operations.count) operations, \(lost) without an answer, "
                + "\(history.fences) fences, \(outcome.accepted) accepted, \(outcome.inDoubt) in doubt")
    }

    /// The trial finds what it looks for: a server that breaks one promise for a while.
    @Test(arguments: Sabotage.allCases) func ofAServerThatBreaksAPromiseIsRefused(sabotage: Sabotage) async throws {
        let trial = try await HistoryTrial(.direct, seed: 1)
        try await trial.admin.use { session in
            for statement in sabotage.statements { try session.execute(statement) }
        }
        let outcome = try await trial.run { trial in
            // The first entry of the ledger is no update.
            try await eventually { trial.recorder.history.operations.count(where: sabotage.breaks) > 2 }
            try await trial.admin.use { try $0.execute("DROP FUNCTION sabotage CASCADE") }
        }
        let found = HistoryChecker.complaints(trial.recorder.history, outcome)
        #expect(found.contains { $0.contains(sabotage.complaint) }, "\(found)")
    }

    private static let seeds: ClosedRange<UInt64> = isLong ? 1...12 : 1...1
    private static let times = isLong ? 45 : 9

    @Test(arguments: seeds) func ofSendersIsSound(seed: UInt64) async throws {
        try await expectSound(.direct, seed: seed, times: Self.times)
    }

    @Test(arguments: seeds) func ofSendersWhoseClocksAreMinutesApartIsSound(seed: UInt64) async throws {
        try await expectSound(.skewed, seed: seed, times: Self.times)
    }

    @Test(.enabled(if: PgBouncer.isInstalled, "Debian's package 'pgbouncer' is not installed"), arguments: seeds)
    func ofSendersByWayOfPgBouncerIsSound(seed: UInt64) async throws {
        try await expectSound(.pooled, seed: seed, times: Self.times)
    }
}

/// Ways in which a server may break a promise, each by a trigger.
enum Sabotage: CaseIterable {
    /// The lock is not what its taker was told, but for the first.
    case forgetsTakeovers
    /// What was committed to the ledger is not there.
    case losesWrites
    /// Devices that were settled are not in the reached set.
    case losesReached

    fileprivate var statements: [String] {
        let (moment, body) =
            switch self {
            case .forgetsTakeovers:
                ("UPDATE ON deployLock", "IF NEW.fence > OLD.fence AND OLD.fence > 0 THEN RETURN OLD; END IF;")
            case .losesWrites: ("UPDATE ON deployRecord", "RETURN OLD;")
            case .losesReached: ("INSERT ON reached", "RETURN NULL;")
            }
        return [
            "CREATE FUNCTION sabotage() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \(body) RETURN NEW; END'",
            "CREATE TRIGGER sabotage BEFORE \(moment) FOR EACH ROW EXECUTE FUNCTION sabotage()",
        ]
    }

    /// The operations whose answers are not true under it.
    fileprivate func breaks(_ operation: HistoryOperation) -> Bool {
        switch (self, operation.action, operation.answer) {
        case (.forgetsTakeovers, .acquire, .granted?), (.losesWrites, .write, .done?): true
        case (.losesReached, _, _): operation.isAccepting
        default: false
        }
    }

    /// What the checker says of it.
    fileprivate var complaint: String {
        switch self {
        case .forgetsTakeovers, .losesWrites: "no order explains"
        case .losesReached: "not in the reached set"
        }
    }
}

extension History {
    /// How often the lock was taken.
    fileprivate var fences: Int {
        operations.reduce(0) { most, operation in
            if case .granted(let fence, _, _)? = operation.answer { max(most, fence) } else { most }
        }
    }
}

extension HistoryOperation {
    /// Devices were accepted for certain.
    fileprivate var isAccepting: Bool {
        guard case .settle(_, _, let devices, let again) = action else { return false }
        return answer == .done && again.count < devices.count
    }
}
