internal import DeviceRegistry
internal import Push
package import Apply

extension APNsWriter {
    package func send(_ sending: OutgoingDelivery) async -> SendOutcome {
        let entry = sending.entry
        let order: DeliveryOrder
        do throws(Unreadable) {
            order = try readOrder(of: entry)
        } catch {
            return await refusalUnlessBegun(entry, error.description)
        }
        let lease = await sending.lease()
        let permit = DeliveryPermit(
            run: lease.run, lease: lease, permission: sending.permission,
            isStopped: sending.isStopped)
        var job = DeliveryJob(entry, order)
        job.allowed = sending.allowed
        if case .broadcast(let channel, let topic) = order.target {
            do throws(RemoteError) {
                let known = try await store.journal(of: entry)
                if let known, known.isClosed { return .delivered(DeliveryFigures(known, order)) }
                if known?.isFrozen != true {
                    job.channelID = try await channelID(of: channel, topic: topic, in: order.environment, under: lease)
                }
            } catch {
                return SendOutcome(error)
            }
        }
        let ending = await engine(for: order).run(job, under: permit, progress: sending.progress)
        do throws(RegistryError) {
            switch ending {
            case .interrupted(.judged(let verdict)):
                let figures = try await store.journal(of: job.id) ?? JournalFigures(targets: 0)
                return .judged(verdict, DeliveryFigures(figures, order))
            case .interrupted(.postponed(let why, let until)):
                let figures = try await store.journal(of: job.id).map { DeliveryFigures($0, order) }
                return .interrupted(reason: why, until: until, figures)
            case .interrupted, .ended, .nothingSent: return SendOutcome(ending, order)
            }
        } catch {
            // The journal has the verdict and the figures: the next apply reads them again.
            return .interrupted(reason: error.description)
        }
    }

    /// Apple's id of a declared channel.
    private func channelID(
        of name: String, topic: String, in environment: PushEnvironment, under lease: Lease
    ) async throws(RemoteError) -> String {
        let resources = try await RemoteError.asking { () throws(RegistryError) in
            try await store.records(.resource, of: workspace)
        }
        for record in resources {
            guard let resource = try ResourceFields.record(record.fields), resource.kind == .channel,
                resource.name == name, let broadcast = try Channel.Broadcast(fields: resource.fields),
                broadcast.topic == topic
            else { continue }
            return try await channels(lease).ready(name, broadcast, in: environment)
        }
        throw RemoteError(.refused, "the broadcast channel \(name) of topic \(topic) was not created: apply it first")
    }

    func engine(for order: DeliveryOrder) -> DeliveryEngine {
        DeliveryEngine(
            store: store, senders: senders(order), settings: settings, pausing: pausing, heartbeat: heartbeat,
            elapsed: elapsed)
    }

    /// Reads the order from which a delivery is carried out.
    func readOrder(of entry: LedgerEntry) throws(Unreadable) -> DeliveryOrder {
        guard let request = entry.request else { throw Unreadable(description: "the ledger does not hold the request") }
        do throws(DeliveryOrderError) {
            return try DeliveryOrder(request.body)
        } catch {
            throw Unreadable(description: "the recorded request cannot be carried out: \(error)")
        }
    }

    /// A request that cannot be read sends nothing, but a delivery that was begun is not refused for that.
    private func refusalUnlessBegun(_ entry: LedgerEntry, _ reason: String) async -> SendOutcome {
        do throws(RegistryError) {
            let figures = try await store.journal(of: entry.notificationID.text)
            return figures?.hasSent ?? false ? .interrupted(reason: reason) : .nothingSent(reason)
        } catch {
            return .interrupted(reason: reason)
        }
    }
}

/// The reason a recorded request cannot be carried out.
struct Unreadable: Error {
    let description: String
}

extension DeliveryJob {
    /// Creates the job for an entry's delivery.
    init(_ entry: LedgerEntry, _ order: DeliveryOrder) {
        self.init(
            id: entry.notificationID.text, workspace: entry.workspace, order: order, start: entry.intendedAt,
            due: entry.scheduledAt, window: entry.window,
            expiresAt: entry.expiresAt, salt: entry.delivery.text)
    }
}

extension SendOutcome {
    /// Converts the ending of an engine's run.
    init(_ ending: DeliveryEnding, _ order: DeliveryOrder) {
        switch ending {
        case .ended(let figures): self = .delivered(DeliveryFigures(figures, order))
        case .interrupted(let stop): self = .interrupted(reason: stop.description)
        case .nothingSent(.audience(let figures)): self = .outsideLimits(DeliveryFigures(figures, order))
        case .nothingSent(let stop): self = Self.nothingSent(stop)
        }
    }

    private static func nothingSent(_ stop: DeliveryStop) -> SendOutcome {
        let reason = stop.description
        switch stop {
        // The next apply reports whether the delivery was missed.
        case .asked, .lockLost, .over, .postponed, .judged: return .interrupted(reason: reason)
        case .unreachable, .machine: return nothingSent(reason, .again(after: nil))
        case .credential: return nothingSent(reason, .credentials)
        case .wrongEnvironment, .audience, .mismatch: return nothingSent(reason)
        case .refused(let word):
            let isCredential = [.giveUp(.credential), .renew].contains(word.row.decision)
            return .answered(
                SendAnswer(
                    .refused(.apple(word, since: nil)), reason: reason, remedy: isCredential ? .credentials : .none))
        case .registry(let error): return nothingSent(reason, error.isInternal ? .again(after: nil) : .none)
        }
    }

    /// The outcome when nothing was sent, with the remedy; without a remedy, the delivery is refused.
    static func nothingSent(_ reason: String, _ remedy: Remedy = .none) -> SendOutcome {
        let proof = Proof.noBodyGiven(reason)
        return .answered(
            SendAnswer(remedy == .none ? .refused(proof) : .notSent(proof), reason: reason, remedy: remedy))
    }

    /// The outcome of a failure before anything was sent.
    init(_ error: RemoteError) {
        switch error.kind {
        case .credentials: self = .nothingSent(error.description, .credentials)
        case .refused: self = .nothingSent(error.description)
        case .conditionFailed, .unexpectedAnswer: self = .interrupted(reason: error.description)
        case .rateLimited, .unavailable, .ledgerLost, .unknownOutcome:
            self = .nothingSent(error.description, .again(after: nil))
        }
    }
}

extension DeliveryFigures {
    /// Converts the figures of an order's journal; nil: it cannot be read.
    init(_ figures: JournalFigures, _ order: DeliveryOrder?) {
        let invalid = figures.refused.filter { APNsReason(word: $0.key)?.isOfTheToken ?? false }
        self.init(
            devices: figures.targets, successes: figures.accepted, invalidTokens: invalid.values.reduce(0, +),
            inDoubt: figures.inDoubt + figures.underWay, missed: figures.missed,
            verdicts: figures.parts.compactMap(\.verdict), leftOut: .init(figures.leftOut))
        variants = order.flatMap { figures.answers(to: $0) } ?? []
    }
}
