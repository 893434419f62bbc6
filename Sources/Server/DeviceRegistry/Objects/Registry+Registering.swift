internal import CLibrary
internal import DeliveryJournal
internal import JSONValue
internal import PushModel
internal import RegistryModel
internal import Synchronization

/// A device that asks to be registered.
struct WaitingRegistration: Sendable {
    let members: JSONObject
    let access: Access
    /// The default for `valid` on a new Android device.
    let androidIsValid: Bool
    let time: Instant
    /// Its identifiers.
    let names: [(key: String, value: String)]

    /// The size up to which a registration shares a transaction, in bytes: others wait for it.
    private static let mostBytes = 4096

    /// A registration that may share a transaction; nil for one without a name, or a large one.
    init?(_ members: JSONObject, as access: Access, androidIsValid: Bool, at time: Instant) {
        let body = JSONValue.object(members)
        names = DeviceRegistration.names(members)
        guard !names.isEmpty, body.canonicalByteCount <= Self.mostBytes, !body.holdsNUL else { return nil }
        (self.members, self.access, self.androidIsValid, self.time) = (members, access, androidIsValid, time)
    }
}

/// The registrations that wait for a transaction, which they will share.
final class RegistrationQueue: Sendable {
    typealias Outcome = Result<WrittenObject, RegistryError>
    typealias Waiting = (registration: WaitingRegistration, answer: CheckedContinuation<Outcome?, Never>)

    private let state = Mutex((waiting: [Waiting](), computing: 0, underWay: 0))
    /// The number of transactions that are computed at a time, for two processors each: more at once would be smaller
    /// ones, and a registration costs the database less in a larger one.
    private static let mostAtOnce = min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2))
    /// The number of transactions at a time with those on their way to the disk, which need no processor.
    private static let mostUnderWay = mostAtOnce + 2
    /// The number of registrations in a transaction, so that the first does not wait long for the last.
    private static let mostTogether = 64

    /// Adds a registration; returns the registrations of a transaction that the caller must begin.
    func add(_ waiting: Waiting) -> [Waiting]? {
        state.withLock { state in
            state.waiting.append(waiting)
            return Self.next(&state)
        }
    }

    /// Notes that a transaction only waits for the disk; returns the registrations of one that the caller must begin.
    func wasComputed() -> [Waiting]? {
        state.withLock { state in
            state.computing -= 1
            return Self.next(&state)
        }
    }

    /// Notes that a transaction is over; returns the registrations of one that the caller must begin.
    func isOver() -> [Waiting]? {
        state.withLock { state in
            state.underWay -= 1
            return Self.next(&state)
        }
    }

    private static func next(_ state: inout (waiting: [Waiting], computing: Int, underWay: Int)) -> [Waiting]? {
        guard !state.waiting.isEmpty, state.computing < mostAtOnce, state.underWay < mostUnderWay else { return nil }
        state.computing += 1
        state.underWay += 1
        let next = Array(state.waiting.prefix(mostTogether))
        state.waiting.removeFirst(next.count)
        return next
    }
}

extension Registry {
    /// Registers a device together with others that wait, where copies of the server share a database; nil for one that
    /// needs a transaction of its own.
    func register(
        _ members: JSONObject, as access: Access, androidIsValid: Bool, at time: Instant
    ) async throws(RegistryError) -> WrittenObject? {
        guard isShared,
            let registration = WaitingRegistration(members, as: access, androidIsValid: androidIsValid, at: time)
        else { return nil }
        let outcome = await withCheckedContinuation { answer in
            begin(registrations.add((registration, answer)))
        }
        return try outcome?.get()
    }

    /// Registers devices in a transaction, then what waits by then.
    private func begin(_ waiting: [RegistrationQueue.Waiting]?) {
        guard let waiting else { return }
        // Not run by a caller's task: a cancelled one must not take the others with it.
        Task {
            let outcomes = await register(waiting.map(\.registration))
            begin(registrations.isOver())
            for (index, entry) in waiting.enumerated() { entry.answer.resume(returning: outcomes[index]) }
        }
    }

    private func register(_ wanted: [WaitingRegistration]) async -> [RegistrationQueue.Outcome?] {
        let isWhole = Mutex(false)
        let isComputed = Mutex(false)
        // Once, also when a conflict makes it run again.
        let noteComputed: @Sendable () -> Void = { [self] in
            let isFirst = isComputed.withLock { isComputed in
                defer { isComputed = true }
                return !isComputed
            }
            if isFirst { begin(registrations.wasComputed()) }
        }
        defer { noteComputed() }
        do throws(RegistryError) {
            return try await write { [changeTimeLimit] db in
                isWhole.withLock { $0 = false }
                var batch = RegistrationBatch(in: db, limit: changeTimeLimit)
                let outcomes = try batch.run(wanted)
                isWhole.withLock { $0 = true }
                noteComputed()
                return outcomes
            }
        } catch {
            // What did not come to its commit was undone: one of them may be at fault, so each is tried alone.
            return wanted.map { _ in isWhole.withLock { $0 } ? .failure(error) : nil }
        }
    }
}
