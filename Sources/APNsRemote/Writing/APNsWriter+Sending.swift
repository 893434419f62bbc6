internal import APNs
internal import APNsDelivery
internal import DeviceRegistry
internal import PushModel
package import PushRemote

extension APNsWriter {
    package func send(_ sending: Sending) async -> SendOutcome {
        let entry = sending.entry
        let order: DeliveryOrder
        do throws(Unreadable) {
            order = try readOrder(of: entry)
        } catch {
            return await refusalUnlessBegun(entry, error.description)
        }
        if case .broadcast(let channel, let topic) = order.target {
            return await Broadcasting(writer: self, sending: sending, order: order, channel: channel, topic: topic)
                .send()
        }
        let lease = await sending.lease()
        let permit = DeliveryPermit(
            run: lease.run, lease: deployLease(lease), mayStart: sending.mayStart, isStopped: sending.isStopped)
        var job = DeliveryJob(entry, order)
        job.mostDevices = sending.mostDevices
        return SendOutcome(await engine(for: order).run(job, under: permit, progress: sending.progress))
    }

    func engine(for order: DeliveryOrder) -> DeliveryEngine {
        DeliveryEngine(
            store: store, senders: senders(order), settings: settings, pausing: pausing, heartbeat: heartbeat,
            elapsed: elapsed)
    }

    /// What a delivery is carried out from.
    func readOrder(of entry: LedgerEntry) throws(Unreadable) -> DeliveryOrder {
        guard let request = entry.request else { throw Unreadable(description: "the ledger does not hold the request") }
        do throws(DeliveryOrderError) {
            return try DeliveryOrder(request.body)
        } catch {
            throw Unreadable(description: "the recorded request cannot be carried out: \(error)")
        }
    }

    /// A request that cannot be read sends nothing; a delivery that was begun is not refused for it.
    private func refusalUnlessBegun(_ entry: LedgerEntry, _ reason: String) async -> SendOutcome {
        do throws(RegistryError) {
            let figures = try await store.journal(of: entry.notificationID.text)
            return figures?.hasSent ?? false ? .interrupted(reason: reason) : .refused(reason: reason)
        } catch {
            return .interrupted(reason: reason)
        }
    }
}

/// Why a recorded request cannot be carried out.
struct Unreadable: Error {
    let description: String
}

extension DeliveryJob {
    /// The delivery of an entry.
    init(_ entry: LedgerEntry, _ order: DeliveryOrder) {
        self.init(
            id: entry.notificationID.text, workspace: entry.workspace, order: order, start: Timestamp(entry.intendedAt),
            due: entry.scheduledAt.map { Timestamp($0) }, window: entry.window,
            expiresAt: entry.expiresAt.map { Timestamp($0) })
    }
}

extension SendOutcome {
    /// How a run of the engine ended.
    init(_ ending: DeliveryEnding) {
        switch ending {
        case .ended(let figures): self = .delivered(DeliveryFigures(figures))
        case .interrupted(let stop): self = .interrupted(reason: stop.description)
        case .nothingSent(let stop): self = Self.nothingSent(stop)
        }
    }

    private static func nothingSent(_ stop: DeliveryStop) -> SendOutcome {
        let reason = stop.description
        switch stop {
        // Whether it was missed, the next apply says.
        case .asked, .lockLost, .over: return .interrupted(reason: reason)
        case .unreachable: return .deferred(reason: reason, after: nil, isRateLimit: false)
        case .credential: return .unauthorized(reason: reason)
        case .wrongEnvironment, .mismatch: return .refused(reason: reason)
        case .refused(let refusal): return SendOutcome(refusal)
        case .registry(let error):
            return error.isInternal
                ? .deferred(reason: reason, after: nil, isRateLimit: false) : .refused(reason: reason)
        }
    }

    /// A refusal of the whole.
    init(_ refusal: Refusal) {
        let reason = refusal.explanation
        switch refusal.decision {
        case .giveUp(.credential), .renew: self = .unauthorized(reason: reason)
        case .giveUp, .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken: self = .refused(reason: reason)
        case .retry, .reconnect: self = .deferred(reason: reason, after: nil, isRateLimit: false)
        case .wait(let delay): self = .deferred(reason: reason, after: delay.first, isRateLimit: true)
        }
    }
}

extension DeliveryFigures {
    /// What a journal came to.
    init(_ figures: JournalFigures) {
        let invalid = figures.refused.filter { APNsReason(word: $0.key)?.isOfTheToken ?? false }
        self.init(
            devices: figures.targets, successes: figures.accepted, invalidTokens: invalid.values.reduce(0, +),
            inDoubt: figures.inDoubt + figures.underWay, missed: figures.missed)
    }
}

extension APNsReason {
    /// Whether Apple calls the token itself invalid.
    fileprivate var isOfTheToken: Bool {
        switch row.decision {
        case .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken: true
        case .retry, .wait, .renew, .reconnect, .giveUp: false
        }
    }
}
