package import Apply
package import Push

extension FakeRemote {
    func write<Value: Sendable>(
        _ name: String, _ body: (inout FakeWorld) -> Result<Value, RemoteError>
    ) async throws(RemoteError) -> Value {
        try await reach(.before, name)
        let failure: FakeWriteFailure? = service.with { world in
            guard let failures = world.failingWrites[name], let first = failures.first else { return nil }
            world.failingWrites[name] = Array(failures.dropFirst())
            return first
        }
        if failure == .refused { throw RemoteError(.unavailable, "the service answered 503") }
        if failure == .ledgerLost { throw RemoteError(.ledgerLost, "the ledger was taken away") }
        if case .slow(let duration) = failure { service.advance(duration) }
        let result = service.with { world in body(&world) }
        try await reach(.after, name)
        if failure == .lostAnswer { throw RemoteError(.unknownOutcome, "the answer was lost") }
        return try result.get()
    }

    package func acquireLock(holder: String, run: String) async throws(RemoteError) -> LockAttempt {
        try await write("acquireLock") { world in
            if let lock = world.lock, lock.isHeld(at: world.now), lock.run != run {
                return .success(.held(lock, now: world.now))
            }
            let fence = (world.lock?.fence ?? 0) + 1
            let end = world.now + .seconds(120)
            world.lock = LockRecord(
                holder: holder, run: run, fence: fence, acquiredAt: world.now, expiresAt: end,
                lastApplied: world.lock?.lastApplied)
            return .success(.acquired(Lease(workspace: "", run: run, fence: fence, expiresAt: end)))
        }
    }

    package func renew(_ lease: Lease) async throws(RemoteError) -> Lease? {
        try await write("renew") { world in
            guard let lock = world.lock, lock.run == lease.run, lock.fence == lease.fence else { return .success(nil) }
            var renewed = lease
            renewed.expiresAt = world.now + .seconds(120)
            world.lock?.expiresAt = renewed.expiresAt
            return .success(renewed)
        }
    }

    package func release(_ lease: Lease, lastApplied: LastApplied?) async throws(RemoteError) {
        try await write("release") { world -> Result<Void, RemoteError> in
            guard let lock = world.lock, lock.run == lease.run, lock.fence == lease.fence else { return .success(()) }
            world.lock?.run = ""
            world.lock?.expiresAt = world.now - .seconds(1)
            if let lastApplied { world.lock?.lastApplied = lastApplied }
            return .success(())
        }
    }

    package func unlock(fence: Int) async throws(RemoteError) -> Bool {
        try await write("unlock") { world in
            guard let lock = world.lock, lock.fence == fence, lock.isHeld(at: world.now) else { return .success(false) }
            world.lock?.run = ""
            world.lock?.expiresAt = world.now - .seconds(1)
            return .success(true)
        }
    }

    package func insert(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await write("insert \(entry.state.rawValue)") { world -> Result<Void, RemoteError> in
            guard world.now < lease.expiresAt else { return .failure(Self.overtaken) }
            var written = entry
            written.fence = lease.fence
            world.ledger.append(written)
            return .success(())
        }
    }

    package func update(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try await write("update \(entry.state.rawValue)") { world -> Result<Void, RemoteError> in
            let places = world.ledger.indices.filter { world.ledger[$0].delivery == entry.delivery }
            guard !places.isEmpty, places.allSatisfy({ world.ledger[$0].fence <= lease.fence }) else {
                return .failure(Self.overtaken)
            }
            for place in places {
                world.ledger[place] = entry
                world.ledger[place].fence = lease.fence
            }
            return .success(())
        }
    }

    package func stop(_ order: StopOrder) async throws(RemoteError) {
        try await write("stop") { world in
            if !world.stops.contains(where: { $0.key == order.key }) { world.stops.append(order) }
            return .success(())
        }
    }

    package func lift(_ order: StopOrder) async throws(RemoteError) {
        try await write("lift") { world in
            world.stops.removeAll { $0.key == order.key }
            return .success(())
        }
    }

    package func startLedger() async throws(RemoteError) {
        try await write("startLedger") { world in
            world.ledgerStarted = true
            return .success(())
        }
    }

    package func save(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        try await write("save \(resource.name)") { world in
            world.resources.removeAll { $0.kind == resource.kind && $0.name == resource.name }
            world.resources.append(resource)
            return .success(())
        }
    }

    package func delete(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        try await write("delete \(resource.name)") { world in
            world.resources.removeAll { $0.kind == resource.kind && $0.name == resource.name }
            return .success(())
        }
    }

    package func send(_ sending: OutgoingDelivery) async -> SendOutcome {
        guard let request = sending.entry.request else { return .notSent("no request") }
        if let order = service.with({ $0.stops.stopping(sending.entry) }) { return .stopped(order, nil) }
        if capabilities.keepsJournal { return await sendToEach(sending, request) }
        let asked = service.now
        switch await sending.permission() {
        case .denied(let denial): return .notSent(denial.reason.text, .again(after: nil))
        case .granted(let time):
            do throws(RemoteError) {
                return try await write("send") { world in
                    guard world.now <= asked + time else { return .success(.notSent("too late", .again(after: nil))) }
                    world.sentAt.append(world.now)
                    let answer = world.answers.isEmpty ? .accept : world.answers.removeFirst()
                    return .success(.answered(world.answer(answer, to: request)))
                }
            } catch {
                return .answered(SendAnswer(.unknown(error.description), reason: error.description))
            }
        }
    }

    package func cancel(_ id: Int64) async throws(RemoteError) {
        try await write("cancel") { world in
            if !world.ignoresCancel { world.kept.removeAll { $0.push.id == id } }
            return .success(())
        }
    }

    private static let overtaken = RemoteError(.conditionFailed, "a later apply wrote it")
}

extension SendOutcome {
    /// No byte was given away.
    static func notSent(_ reason: String, _ remedy: Remedy = .none) -> SendOutcome {
        .answered(SendAnswer(.notSent(.noBodyGiven(reason)), reason: reason, remedy: remedy))
    }

    /// The service refused it.
    static func refused(_ code: LeanCloudReason, _ reason: String, _ remedy: Remedy = .none) -> SendOutcome {
        .answered(.refused(code, reason, remedy))
    }
}

extension SendAnswer {
    fileprivate static func refused(_ code: LeanCloudReason, _ reason: String, _ remedy: Remedy = .none) -> SendAnswer {
        SendAnswer(.refused(.leanCloud(code, reason)), reason: reason, remedy: remedy)
    }

    fileprivate static func unknown(_ reason: String) -> SendAnswer { SendAnswer(.unknown(reason), reason: reason) }
}

extension FakeWorld {
    fileprivate mutating func answer(_ answer: FakeAnswer, to request: PushRequest) -> SendAnswer {
        switch answer {
        case .accept: return SendAnswer(.accepted, objectID: take(request))
        case .refuse: return .refused(.forbidden, "the service refused it")
        case .putOff(let after):
            return .refused(
                .tooManyRequests, "too many requests", after.map { .slowDown($0) } ?? .slowDown(.seconds(1)))
        case .unreachable:
            let reason = "nobody answers"
            return SendAnswer(.notSent(.noBodyGiven(reason)), reason: reason, remedy: .again(after: nil))
        case .unauthorized: return .refused(.unauthorized, "the key is wrong", .credentials)
        case .lostRequest: return .unknown("the connection was lost")
        case .lostAnswer:
            _ = take(request)
            return .unknown("the answer was lost")
        case .late(let delay):
            arrive(request, after: delay)
            return .unknown("no answer in time")
        }
    }
}
