package import Apply
internal import Base
package import Push

/// A fake remote's knowledge of each device of a delivery.
package struct FakeJournal: Hashable, Sendable {
    /// The state of each device of the frozen audience.
    package var devices: [String: State]
    /// When the last answer was recorded.
    package var lastOutcomeAt: Instant?

    /// The state of a device.
    package enum State: Hashable, Sendable {
        /// Nothing was sent to it.
        case waiting
        /// Its intent is recorded; by the run of this fence.
        case underWay(fence: Int)
        /// Taken.
        case accepted
        /// The answer was lost.
        case inDoubt
        /// Not sent to in time.
        case missed
    }

    /// The number of devices in a state.
    package func count(_ isCounted: (State) -> Bool) -> Int { devices.values.count(where: isCounted) }

    /// The figures of a delivery.
    package var figures: DeliveryFigures {
        DeliveryFigures(
            devices: devices.count, successes: count { $0 == .accepted }, invalidTokens: 0,
            inDoubt: count { $0 == .inDoubt }, missed: count { $0 == .missed })
    }
}

/// The outcome of a request to one device.
package enum FakeDeviceAnswer: Hashable, Sendable {
    /// It is taken.
    case accept
    /// It is taken, and the answer is lost.
    case lostAnswer
    /// The connection is gone before it: the delivery is interrupted.
    case interrupt
    /// The device cannot be sent to for so long: the delivery waits for it.
    case later(Duration)
    /// The whole delivery is refused.
    case refuse
    /// Nothing of the delivery can be sent.
    case outOfReach
    /// So much time passes before it is taken.
    case slow(Duration)
}

extension FakeRemote: DeliveryJournaling {
    package var journaling: (any DeliveryJournaling)? { capabilities.keepsJournal ? self : nil }

    package func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalState {
        try read(.record) { world in
            guard let journal = world.journals[entry.notificationID] else { return .unbegun }
            return JournalState(
                targets: journal.devices.count, answered: journal.count { $0 == .accepted },
                inDoubt: journal.count { if case .underWay = $0 { true } else { $0 == .inDoubt } },
                waiting: journal.count { $0 == .waiting }, lastOutcomeAt: journal.lastOutcomeAt)
        }
    }

    package func proceed(
        _ entry: LedgerEntry, reason: String, under lease: Lease
    ) async throws(RemoteError) -> Instant? {
        throw RemoteError(.refused, "this remote divides no deliveries")
    }

    /// Sends device by device: intent, request, outcome.
    func sendToEach(_ sending: OutgoingDelivery, _ request: PushRequest) async -> SendOutcome {
        let id = sending.entry.notificationID
        let message = request.body["data"]?["id"]?.string ?? "?"
        do throws(RemoteError) {
            let fence = await sending.lease().fence
            let devices = service.with { $0.journals[id] == nil ? $0.inboxes.count : nil }
            if let devices, !sending.allowed.contains(devices) {
                return .outsideLimits(DeliveryFigures(devices: devices, successes: 0, invalidTokens: 0))
            }
            try await write("freeze") { world -> Result<Void, RemoteError> in
                var journal =
                    world.journals[id]
                    ?? FakeJournal(devices: world.inboxes.mapValues { _ in FakeJournal.State.waiting })
                for (device, state) in journal.devices {
                    if case .underWay(let earlier) = state, earlier < fence { journal.devices[device] = .inDoubt }
                }
                world.journals[id] = journal
                return .success(())
            }
            while let device = service.with({ world in
                world.journals[id]?.devices.filter { $0.value == .waiting }.keys.min()
            }) {
                guard !sending.isStopped() else { return .interrupted(reason: "it was stopped") }
                switch await sending.permission() {
                case .granted: break
                case .denied(.quietHours(let until)):
                    return .interrupted(reason: Denial.quietHours(until: until).reason.text, until: until)
                case .denied(let denial): return .interrupted(reason: denial.reason.text)
                }
                let answer = service.with { world in
                    world.deviceAnswers.isEmpty ? .accept : world.deviceAnswers.removeFirst()
                }
                if answer == .interrupt { return .interrupted(reason: "the connection was lost") }
                if case .later(let delay) = answer {
                    var figures = service.with { $0.journals[id]?.figures }
                    figures?.leftOut = service.with { $0.leftOut }
                    return .interrupted(reason: "a device is tried again later", until: service.now + delay, figures)
                }
                if answer == .outOfReach { return .notSent("no connection") }
                if answer == .refuse { return .refused(.forbidden, "the topic is wrong") }
                try await write("intend") { world in
                    world.journals[id]?.devices[device] = .underWay(fence: fence)
                    return .success(())
                }
                if case .slow(let duration) = answer { service.advance(duration) }
                try await write("push") { world in
                    world.inboxes[device]?.append(message)
                    return .success(())
                }
                try await write("outcome") { world in
                    world.journals[id]?.devices[device] = answer == .lostAnswer ? .inDoubt : .accepted
                    world.journals[id]?.lastOutcomeAt = world.now
                    return .success(())
                }
            }
            return .delivered(try await write("close") { .success($0.journals[id]?.figures ?? Self.nothing) })
        } catch {
            return .interrupted(reason: error.description)
        }
    }

    package func conclude(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) -> DeliveryFigures {
        try await write("conclude") { world in
            guard var journal = world.journals[entry.notificationID] else { return .success(Self.nothing) }
            for (device, state) in journal.devices {
                switch state {
                case .waiting: journal.devices[device] = .missed
                case .underWay: journal.devices[device] = .inDoubt
                case .accepted, .inDoubt, .missed: break
                }
            }
            world.journals[entry.notificationID] = journal
            return .success(journal.figures)
        }
    }

    package func reopenDoubtful(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await write("reopen") { world -> Result<Void, RemoteError> in
            for (device, state) in world.journals[entry.notificationID]?.devices ?? [:] where state == .inDoubt {
                world.journals[entry.notificationID]?.devices[device] = .waiting
            }
            world.journals[entry.notificationID]?.lastOutcomeAt = world.now
            return .success(())
        }
    }

    package func renewWindow(of entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await write("renew") { world -> Result<Void, RemoteError> in
            world.journals[entry.notificationID]?.lastOutcomeAt = world.now
            return .success(())
        }
    }

    /// Does nothing: it does not record which devices were reached.
    package func forgetReached(before: Instant, under lease: Lease) async throws(RemoteError) {}

    package func join(_ help: DeliveryHelper) async throws(RemoteError) -> DeliveryProgress? { nil }

    private static let nothing = DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)
}
