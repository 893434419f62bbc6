internal import Synchronization

/// What senders asked of one database, and what they were told: of one lock, one delivery and one ledger entry.
package struct History: Sendable {
    /// The operations, in the order in which they were asked for.
    package var operations: [HistoryOperation] = []

    package init(_ operations: [HistoryOperation] = []) { self.operations = operations }
}

/// Something that a sender asked for.
package struct HistoryOperation: Hashable, Sendable {
    /// The sender.
    package var sender: Int
    /// When it was asked for, by the one clock of the history.
    package var invoked: Int64
    /// When its answer came, or when it was certain that it would have no effect any more; later than `invoked`.
    package var returned: Int64
    package var action: HistoryAction
    /// The answer; nil when it was lost: it may have had its effect or not.
    package var answer: HistoryAnswer?

    package init(_ sender: Int, _ invoked: Int64, _ returned: Int64, _ action: HistoryAction, _ answer: HistoryAnswer?)
    {
        (self.sender, self.invoked, self.returned) = (sender, invoked, returned)
        (self.action, self.answer) = (action, answer)
    }
}

/// The kinds of operations.
package enum HistoryAction: Hashable, Sendable {
    /// To take the lock.
    case acquire(run: String)
    case renew(Holding)
    case release(Holding)
    /// To read the lock.
    case look
    /// To claim a batch.
    case claim(Holding)
    /// To write the outcome of a batch: its devices, and those of them that are to be sent to again.
    case settle(Holding, batch: Int, devices: Set<String>, again: Set<String>)
    /// To give up what earlier fences left open.
    case giveUp(Holding)
    /// To write the ledger's entry, with a number that rises within a fence.
    case write(Holding, Int)
    /// To read the ledger's entry.
    case read

    /// The lock under which it is done.
    var holding: Holding? {
        switch self {
        case .renew(let holding), .release(let holding), .claim(let holding), .giveUp(let holding),
            .settle(let holding, _, _, _), .write(let holding, _):
            holding
        case .acquire, .look, .read: nil
        }
    }
}

/// The lock as its holder knows it.
package struct Holding: Hashable, Sendable {
    package var run: String
    package var fence: Int

    package init(_ run: String, _ fence: Int) { (self.run, self.fence) = (run, fence) }
}

/// The answers to operations.
package enum HistoryAnswer: Hashable, Sendable {
    /// The lock was taken or renewed at a time of the clock that judges its term, and ends at another.
    case granted(fence: Int, at: Int64, until: Int64)
    /// Another holds the lock, at a time of that clock.
    case held(Holding, at: Int64)
    /// The lock is not the asker's.
    case lost
    /// It was done.
    case done
    /// What the lock's row says; an empty run when it is free.
    case lock(Holding)
    /// A batch and its devices.
    case batch(Int, Set<String>)
    /// There was no batch, or none that could be settled.
    case nothing
    /// The ledger's entry; nil before the first.
    case entry(HistoryEntry?)
}

/// The ledger's entry: which fence wrote it, and the how manieth it is.
package struct HistoryEntry: Hashable, Comparable, Sendable {
    package var fence: Int
    package var number: Int

    package init(_ fence: Int, _ number: Int) { (self.fence, self.number) = (fence, number) }

    package static func < (one: HistoryEntry, other: HistoryEntry) -> Bool {
        (one.fence, one.number) < (other.fence, other.number)
    }
}

/// What the database says when all senders are gone and the delivery was closed.
package struct HistoryEnd: Sendable {
    package var targets: Int
    package var accepted: Int
    package var inDoubt: Int
    package var others: Int
    /// The devices of the reached set.
    package var reached: Set<String>
    package var entry: HistoryEntry?

    package init(
        targets: Int, accepted: Int, inDoubt: Int, others: Int = 0, reached: Set<String>, entry: HistoryEntry? = nil
    ) {
        (self.targets, self.accepted, self.inDoubt, self.others) = (targets, accepted, inDoubt, others)
        (self.reached, self.entry) = (reached, entry)
    }
}

/// Notes what senders ask for, on one monotonic clock.
package final class HistoryRecorder: Sendable {
    private let state = Mutex<[HistoryOperation?]>([])
    private let start = ContinuousClock.now

    /// An empty history.
    package init() {}

    private var now: Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Carries out an operation: `body` asks for it, and says what it was told with the value for the caller, or nil when
    /// the answer was lost; `certainty` returns when such an operation can have no effect any more.
    ///
    /// - Returns: the value.
    /// - Throws: what `body` and `certainty` throw.
    package func note<Value: Sendable>(
        _ sender: Int, _ action: HistoryAction, _ body: () async throws -> (HistoryAnswer, Value)?,
        certainty: () async throws -> Void
    ) async throws -> Value? {
        let invoked = now
        let place = state.withLock { operations in
            operations.append(nil)
            return operations.count - 1
        }
        let told = try await body()
        if told == nil { try await certainty() }
        let operation = HistoryOperation(sender, invoked, max(now, invoked + 1), action, told?.0)
        state.withLock { $0[place] = operation }
        return told?.1
    }

    /// What was noted.
    package var history: History {
        History(state.withLock { $0.compactMap(\.self) }.sorted { $0.invoked < $1.invoked })
    }

    /// The number of operations that have ended.
    package var count: Int { state.withLock { $0.count { $0 != nil } } }
}
