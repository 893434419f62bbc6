/// Looks for an order in which a lock can have done what its history says: each operation at once, at some moment between
/// its question and its answer, those without an answer at such a moment or never.
///
/// It goes through questions and answers in the order of their times, with every state that the lock may be in and the
/// operations that have had their effect before their answers (Wing and Gong; Lowe's "just in time").
struct LockChecker {
    /// The lock's row, and when it ends; nil when only a lost answer said so.
    private struct Lock: Hashable {
        var run = ""
        var fence = 0
        var until: Int64? = 0
        /// The entry of the ledger, which is written under the lock.
        var entry: HistoryEntry?

        func isHeld(_ holding: Holding) -> Bool { !run.isEmpty && run == holding.run && fence == holding.fence }
    }

    /// One way in which everything so far may have happened.
    private struct Way: Hashable {
        var lock = Lock()
        /// The operations that have had their effect, and not their answers.
        var done: Set<Int> = []
    }

    /// More ways are a history that is not worth the time: too many answers were lost at once.
    private static let mostWays = 20_000

    /// What no order explains; nil when one does.
    static func complaint(about history: History) -> String? {
        let operations = history.operations
        var moments: [(time: Int64, isEnd: Bool, index: Int)] = []
        for (index, operation) in operations.enumerated() {
            moments.append((operation.invoked, false, index))
            moments.append((operation.returned, true, index))
        }
        // What ends when another begins may have happened before it.
        moments.sort { ($0.time, $0.isEnd ? 1 : 0, $0.index) < ($1.time, $1.isEnd ? 1 : 0, $1.index) }
        var (ways, open): (Set<Way>, [Int]) = ([Way()], [])
        for moment in moments {
            guard moment.isEnd else {
                open.append(moment.index)
                continue
            }
            var next: Set<Way> = []
            for way in ways { extend(way, to: moment.index, open, operations, into: &next) }
            open.removeAll { $0 == moment.index }
            guard !next.isEmpty else {
                let states = ways.prefix(3).map { "\($0.lock)" }.joined(separator: " or ")
                return "no order explains \(operations[moment.index]), after \(states)"
            }
            guard next.count <= mostWays else {
                return "more than \(mostWays) orders, up to \(operations[moment.index])"
            }
            ways = next
        }
        return nil
    }

    /// Adds the ways in which an operation has had its effect by its answer, after some of the others that are open; one
    /// without an answer may have had none.
    private static func extend(
        _ way: Way, to index: Int, _ open: [Int], _ operations: [HistoryOperation], into ways: inout Set<Way>
    ) {
        if way.done.contains(index) {
            var way = way
            way.done.remove(index)
            ways.insert(way)
            return
        }
        if operations[index].answer == nil { ways.insert(way) }
        for lock in states(after: operations[index], way.lock) {
            ways.insert(Way(lock: lock, done: way.done))
        }
        for other in open where other != index && !way.done.contains(other) {
            for lock in states(after: operations[other], way.lock) {
                // One whose answer was lost, and that changes nothing, may as well not have happened.
                guard lock != way.lock || operations[other].answer != nil else { continue }
                extend(Way(lock: lock, done: way.done.union([other])), to: index, open, operations, into: &ways)
            }
        }
    }

    /// The states that an operation may leave: none when its answer cannot be right now.
    private static func states(after operation: HistoryOperation, _ lock: Lock) -> [Lock] {
        guard let answer = operation.answer else { return unknown(operation.action, lock) }
        var next = lock
        switch (operation.action, answer) {
        case (.acquire(let run), .granted(let fence, let now, let until)):
            if lock.run == run {
                guard fence == lock.fence else { return [] }
            } else {
                let isOver = lock.run.isEmpty || (lock.until.map { $0 <= now } ?? true)
                guard isOver, fence == lock.fence + 1 else { return [] }
            }
            (next.run, next.fence, next.until) = (run, fence, until)
        case (.acquire(let run), .held(let other, let now)):
            guard lock.isHeld(other), other.run != run, lock.until.map({ $0 > now }) ?? true else { return [] }
        case (.renew(let holding), .granted(let fence, _, let until)):
            guard lock.isHeld(holding), fence == holding.fence else { return [] }
            next.until = until
        case (.release(let holding), .done):
            if lock.isHeld(holding) { next.run = "" }
        case (.look, .lock(let seen)):
            guard lock.run == seen.run, lock.fence == seen.fence else { return [] }
        case (.claim(let holding), .batch), (.claim(let holding), .nothing), (.giveUp(let holding), .done),
            (.settle(let holding, _, _, _), .done), (.settle(let holding, _, _, _), .nothing):
            guard lock.isHeld(holding) else { return [] }
        case (.write(let holding, let number), .done):
            guard lock.isHeld(holding) else { return [] }
            next.entry = HistoryEntry(holding.fence, number)
        case (.read, .entry(let entry)):
            guard lock.entry == entry else { return [] }
        case (let action, .lost):
            guard let holding = action.holding, !lock.isHeld(holding) else { return [] }
        default: return []
        }
        return [next]
    }

    /// The state after an operation whose answer was lost, if it had an effect.
    private static func unknown(_ action: HistoryAction, _ lock: Lock) -> [Lock] {
        var next = lock
        switch action {
        case .acquire(let run):
            if lock.run != run { next.fence += 1 }
            (next.run, next.until) = (run, nil)
        case .renew(let holding):
            guard lock.isHeld(holding) else { return [] }
            next.until = nil
        case .release(let holding):
            guard lock.isHeld(holding) else { return [] }
            next.run = ""
        case .write(let holding, let number):
            guard lock.isHeld(holding) else { return [] }
            next.entry = HistoryEntry(holding.fence, number)
        case .look, .claim, .settle, .giveUp, .read: return []
        }
        return [next]
    }
}
