internal import Base
internal import DeviceRegistry
internal import Push

/// Processes claimed batches: sends to their devices, and makes the answers durable.
struct BatchCourier: Sendable {
    let store: Journal
    let lease: Lease?
    /// The sender for each profile's devices.
    let routes: [String: any RouteSending]
    let gate: DeliveryGate
    let clock: ServerTime
    let settings: DeliverySettings
    let heartbeat: any Pausing

    /// The outcome of a batch.
    struct Report: Sendable {
        /// The part of its devices.
        let part: Int
        /// The answers; nil when no request was made.
        var settlement: BatchSettlement?
        /// True when the journal recorded the answers: a batch that was given up meanwhile counts as in doubt.
        var isSettled: Bool
        /// The reason the journal does not know the outcome.
        var failure: DeliveryStop?
    }

    /// Sends a batch and settles it; `claimed` is the time before its claim was requested, `end` the end of its part.
    func carry(
        _ batch: JournalBatch, claimed: Duration, startingAt start: Instant, until end: Instant
    ) async -> Report {
        guard let route = routes[batch.profile], route.fits(batch) else {
            let isKnown = routes[batch.profile] != nil
            let fault = isKnown ? "it has texts for other words" : "it has devices of profile '\(batch.profile)'"
            let back = batch.targets.indices.map {
                TargetFailure(index: $0, ending: .again(after: clock.now), reason: "Mismatch")
            }
            // Nothing was sent; if this cannot be recorded either, the batch counts as in doubt.
            _ = try? await store.settle(batch, back, under: lease)
            return Report(
                part: batch.part, isSettled: false, failure: .mismatch(fault))
        }
        let batchGate = BatchGate(gate, until: claimed + settings.batchTime, over: clock.elapsed(at: end))
        let answers = await route.send(batch, startingAt: start, through: batchGate)
        let settlement = BatchSettlement(
            batch, answers, at: clock.now, isRightEnvironment: gate.isRightEnvironment,
            wasHeldBack: batchGate.wasHeldBack)
        do throws(RegistryError) {
            let isSettled = try await persistently { () throws(RegistryError) in
                try await store.settle(batch, settlement.failures, under: lease)
            }
            return Report(part: batch.part, settlement: settlement, isSettled: isSettled)
        } catch {
            return Report(
                part: batch.part, settlement: settlement, isSettled: false,
                failure: error == .lockLost ? .lockLost : .registry(error))
        }
    }

    /// The pauses before what came of a batch is written again.
    private static let storing = Backoff(first: .milliseconds(500), longest: .seconds(2))

    /// Retries when the database failed: an unrecorded outcome becomes a device in doubt.
    func persistently<Value: Sendable>(
        _ body: () async throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        var tries = 0
        while true {
            do throws(RegistryError) {
                return try await body()
            } catch {
                tries += 1
                guard error.isInternal, !error.isFileLost, tries <= 3,
                    (try? await heartbeat.pause(for: Self.storing.pause(after: tries))) != nil
                else { throw error }
            }
        }
    }
}
