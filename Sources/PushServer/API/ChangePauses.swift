internal import Push
internal import DeviceRegistry
internal import Synchronization

/// Makes a client whose change was cut off wait before its next one, twice as long each time.
///
/// The table is bounded; addresses that do not fit share one entry.
final class ChangePauses: Sendable {
    private struct Pause {
        var seconds: Double
        var end: Instant
    }

    /// The first pause, in seconds.
    static let shortest: Double = 1
    /// The longest pause, in seconds.
    static let longest: Double = 300
    /// The seconds after a pause in which another cut-off doubles it; later ones start over.
    static let memory: Double = 3600
    /// The number of addresses tracked separately.
    static let mostAddresses = 4096

    private let pauses = Mutex<[String: Pause]>([:])

    /// True if a change from this address may start.
    func allows(_ address: String, at now: Instant) -> Bool {
        pauses.withLock { pauses in
            pauses[ClientAddress.entry(of: address, in: pauses, most: Self.mostAddresses)].map { $0.end <= now } ?? true
        }
    }

    /// Records that a change from this address took too long.
    func cutOff(_ address: String, at now: Instant) {
        pauses.withLock { pauses in
            if pauses.count >= Self.mostAddresses {
                pauses = pauses.filter { now < $0.value.end.advanced(bySeconds: Self.memory) }
            }
            let key = ClientAddress.entry(of: address, in: pauses, most: Self.mostAddresses)
            var seconds = Self.shortest
            if let last = pauses[key], now < last.end.advanced(bySeconds: Self.memory) {
                seconds = min(2 * last.seconds, Self.longest)
            }
            pauses[key] = Pause(seconds: seconds, end: now.advanced(bySeconds: seconds))
        }
    }
}

extension API {
    /// The size in bytes up to which a device change without a condition never waits: many devices share an address,
    /// and such a change is cheap.
    private static let smallChange = 4096

    /// Runs a change; a client whose previous change was cut off gets 429 until its pause is over.
    func change<Value: Sendable>(
        _ request: APIRequest, _ className: ClassName, _ work: () async throws(RegistryError) -> Value
    ) async throws(APIError) -> Value {
        guard request.access == .client else { return try await ask(work) }
        let isCheap =
            className.isInstallation && request.body.count <= Self.smallChange && request.query["where"] == nil
        guard isCheap || pauses.allows(request.client, at: request.now) else { throw APIError.tooManyRequests }
        return try await ask { () throws(RegistryError) in
            do throws(RegistryError) {
                return try await work()
            } catch {
                if error.code == .timeout { pauses.cutOff(request.client, at: clock.now) }
                throw error
            }
        }
    }
}
