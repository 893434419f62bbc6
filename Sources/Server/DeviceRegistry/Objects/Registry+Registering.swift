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

    private let state = Mutex((waiting: [Waiting](), running: 0))
    /// The number of transactions at a time: while one is on its way to the disk, another is computed.
    private static let mostAtOnce = 2
    /// The number of registrations in a transaction, so that the first does not wait long for the last.
    private static let mostTogether = 64

    /// Adds a registration; true if the caller must now take ``next()`` until it is nil.
    func add(_ waiting: Waiting) -> Bool {
        state.withLock { state in
            state.waiting.append(waiting)
            guard state.running < Self.mostAtOnce else { return false }
            state.running += 1
            return true
        }
    }

    /// Returns the registrations of the next transaction; nil when none waits.
    func next() -> [Waiting]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            let next = Array(state.waiting.prefix(Self.mostTogether))
            state.waiting.removeFirst(next.count)
            return next
        }
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
            // Not run by a caller's task: a cancelled one must not take the others with it.
            if registrations.add((registration, answer)) { Task { await registerWaiting() } }
        }
        return try outcome?.get()
    }

    private func registerWaiting() async {
        while let waiting = registrations.next() {
            let outcomes = await register(waiting.map(\.registration))
            for (index, entry) in waiting.enumerated() { entry.answer.resume(returning: outcomes[index]) }
        }
    }

    private func register(_ wanted: [WaitingRegistration]) async -> [RegistrationQueue.Outcome?] {
        let isWhole = Mutex(false)
        do throws(RegistryError) {
            return try await write { [changeTimeLimit] db in
                isWhole.withLock { $0 = false }
                var batch = RegistrationBatch(in: db, limit: changeTimeLimit)
                let outcomes = try batch.run(wanted)
                isWhole.withLock { $0 = true }
                return outcomes
            }
        } catch {
            // What did not come to its commit was undone: one of them may be at fault, so each is tried alone.
            return wanted.map { _ in isWhole.withLock { $0 } ? .failure(error) : nil }
        }
    }
}
