internal import CLibrary
internal import Base
internal import Push
internal import Synchronization

/// The registrations that wait for a transaction, which they will share.
final class RegistrationQueue: Sendable {
    typealias Outcome = Result<WrittenObject, RegistryError>

    /// A registration, and who waits for its outcome: nil for one that needs a transaction of its own.
    struct Waiting: Sendable {
        let registration: DeviceRegistration
        let answer: CheckedContinuation<Outcome?, Never>
    }

    /// Registrations that share a transaction.
    struct Transaction: Sendable {
        let number: Int
        let waiting: [Waiting]
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The numbers of the transactions that are under way, and of those among them that are computed.
        var underWay: Set<Int> = []
        var computing: Set<Int> = []
        var last = 0
    }

    private let state = Mutex(State())
    /// The number of transactions that are computed at a time, for two processors each: more at once would be smaller
    /// ones, and a registration costs the database less in a larger one.
    private static let mostAtOnce = min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2))
    /// The number of transactions at a time with those on their way to the disk, which need no processor.
    private static let mostUnderWay = mostAtOnce + 2
    /// The number of registrations in a transaction, so that the first does not wait long for the last.
    private static let mostTogether = 64
    /// The size up to which a registration shares a transaction, in bytes: others wait for it.
    private static let mostBytes = 4096

    /// True for a registration that may share a transaction: it names its device, and is not large.
    static func takes(_ registration: DeviceRegistration) -> Bool {
        let body = JSONValue.object(registration.members)
        return !DeviceRegistration.names(registration.members).isEmpty && body.canonicalByteCount <= mostBytes
            && !body.holdsNUL
    }

    /// Adds a registration; returns a transaction that the caller must begin.
    func add(_ waiting: Waiting) -> Transaction? {
        state.withLock { state in
            state.waiting.append(waiting)
            return Self.next(&state)
        }
    }

    /// Notes that a transaction is computed, which a conflict makes it again.
    func isComputing(_ transaction: Transaction) {
        state.withLock { _ = $0.computing.insert(transaction.number) }
    }

    /// Notes that a transaction only waits for the disk; returns one that the caller must begin.
    func wasComputed(_ transaction: Transaction) -> Transaction? {
        state.withLock { state in
            state.computing.remove(transaction.number)
            return Self.next(&state)
        }
    }

    /// Notes that a transaction is over; returns whether it had been computed, and one that the caller must begin.
    func isOver(_ transaction: Transaction) -> (wasComputed: Bool, next: Transaction?) {
        state.withLock { state in
            state.underWay.remove(transaction.number)
            let wasComputed = state.computing.remove(transaction.number) == nil
            return (wasComputed, Self.next(&state))
        }
    }

    private static func next(_ state: inout State) -> Transaction? {
        guard !state.waiting.isEmpty, state.computing.count < mostAtOnce, state.underWay.count < mostUnderWay
        else { return nil }
        state.last += 1
        state.computing.insert(state.last)
        state.underWay.insert(state.last)
        let next = Array(state.waiting.prefix(mostTogether))
        state.waiting.removeFirst(next.count)
        return Transaction(number: state.last, waiting: next)
    }
}

extension Registry {
    /// Registers a device together with others that wait, where copies of the server share a database; nil for one that
    /// needs a transaction of its own.
    func registerTogether(_ registration: DeviceRegistration) async throws(RegistryError) -> WrittenObject? {
        guard isShared, RegistrationQueue.takes(registration) else { return nil }
        let outcome = await withCheckedContinuation { answer in
            begin(registrations.add(RegistrationQueue.Waiting(registration: registration, answer: answer)))
        }
        return try outcome?.get()
    }

    /// Registers devices in a transaction, then what waits by then.
    private func begin(_ transaction: RegistrationQueue.Transaction?) {
        guard let transaction else { return }
        // Not run by a caller's task: a cancelled one must not take the others with it.
        Task {
            let outcomes: [RegistrationQueue.Outcome?]
            do throws(RegistryError) {
                outcomes = try await register(transaction)
            } catch {
                outcomes = transaction.waiting.map { _ in .failure(error) }
            }
            let (wasComputed, next) = registrations.isOver(transaction)
            begin(next)
            for (index, waiting) in transaction.waiting.enumerated() {
                // What did not come to its commit was undone: one of them may be at fault, so each is tried alone.
                waiting.answer.resume(returning: wasComputed ? outcomes[index] : nil)
            }
        }
    }

    private func register(
        _ transaction: RegistrationQueue.Transaction
    ) async throws(RegistryError) -> [RegistrationQueue.Outcome?] {
        try await write { [self] db in
            registrations.isComputing(transaction)
            var batch = RegistrationBatch(in: db, limit: changeTimeLimit)
            let outcomes = try batch.run(transaction.waiting.map(\.registration))
            begin(registrations.wasComputed(transaction))
            return outcomes
        }
    }
}
