package import Apply
internal import Base
internal import HTTP
package import Push

/// Writes to a remote with LeanCloud's API.
///
/// A request is never sent twice unless it is certain that the first did nothing, or that repeating it changes nothing.
package struct LeanCloudWriter: RemoteWriting {
    let workspace: String
    let api: LeanCloudAPI

    /// Sends a push once, unless the time within which it may be written is over.
    package func send(_ sending: OutgoingDelivery) async -> SendOutcome {
        guard let request = sending.entry.request else {
            return .answered(SendAnswer(notSent: "the ledger does not hold the request", remedy: .none))
        }
        do throws(RemoteError) {
            if let order = try await api.stops(of: workspace).stopping(sending.entry) { return .stopped(order, nil) }
        } catch {
            return SendOutcome(error)
        }
        let asked = api.clock.local.steady()
        switch await sending.permission() {
        case .denied(let denial):
            return .answered(SendAnswer(notSent: denial.reason.text, remedy: .again(after: nil)))
        case .granted(let time): return .answered(await send(request, notAfter: asked + time))
        }
    }

    private func send(_ request: PushRequest, notAfter: ContinuousClock.Instant) async -> SendAnswer {
        let path =
            switch request.endpoint {
            case .push: "/push"
            case .devices: "/push/devices"
            }
        switch await api.exchange(APICall(.post, path, body: request.body), notAfter: notAfter) {
        case .success(let answer): return SendAnswer(answer)
        case .failure(let error): return SendAnswer(error)
        }
    }

    /// Asks the remote to drop the scheduled push with an id.
    ///
    /// The service's answer for an unknown id is not documented, so any answer except refused credentials is accepted:
    /// the list of scheduled pushes shows the result.
    package func cancel(_ id: Int64) async throws(RemoteError) {
        let call = APICall(.delete, "/scheduledPushMessages/\(id)")
        var attempt = 0
        while true {
            do throws(RemoteError) {
                switch try await api.write(call) {
                case .done, .conditionFailed, .absent: return
                // Deleting is idempotent.
                case .unknown(let error): try await again(&attempt, error)
                }
            } catch {
                if error.kind == .refused { return }
                throw error
            }
        }
    }
}

// MARK: - Lean cloud

extension SendAnswer {
    /// The outcome of a push from its answer: decided on `code` in the body, then on the status.
    init(_ answer: APIAnswer) {
        let reason = "LeanCloud answered \(answer.summary)".shortened()
        if let refusal = answer.refusal, let text = answer.fault?.text {
            self.init(.refused(.leanCloud(refusal, text.shortened())), reason: reason, remedy: answer.remedy(refusal))
        } else if answer.isSuccess, answer.fault == nil, let id = answer.json?["objectId"]?.string,
            (1...128).contains(id.utf8.count)
        {
            self.init(.accepted, objectID: id)
        } else {
            self.init(.unknown(reason), reason: reason)
        }
    }

    /// The outcome of a push without a complete answer.
    init(_ error: TransportError) {
        let reason = error.summary.shortened()
        switch error.sent {
        case .possibly: self.init(.unknown(reason), reason: reason)
        case .nothing: self.init(notSent: reason, remedy: error.isTransient ? .again(after: nil) : .none)
        }
    }

    /// The outcome when no byte of the request was sent.
    init(notSent reason: String, remedy: Remedy) {
        self.init(.notSent(.noBodyGiven(reason)), reason: reason, remedy: remedy)
    }
}

extension APIAnswer {
    /// The code with which the service refused a send request; nil: it may have acted on the request.
    fileprivate var refusal: LeanCloudReason? {
        guard let code = fault?.code, let reason = LeanCloudReason(rawValue: code), json?["objectId"] == nil else {
            return nil
        }
        return switch status {
        // With these statuses, it is unknown what the service did before.
        case 408: nil
        case 429: reason == .tooManyRequests ? reason : nil
        case 400..<500: reason
        // With a success status, too, it is unknown what the service did.
        default: nil
        }
    }

    fileprivate func remedy(_ reason: LeanCloudReason) -> Remedy {
        if reason == .tooManyRequests { return .slowDown(rateLimitPause) }
        return reason == .unauthorized || status == 401 ? .credentials : .none
    }
}

// MARK: - State

extension LeanCloudWriter {
    package func insert(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        try checkTime(of: lease)
        let members = JSONObject(LedgerFields.members(of: entry, fence: lease.fence).compactMapValues { $0 })
        try await create(.ledger, members) { () throws(RemoteError) in
            for object in try await ledgerObjects(of: entry.delivery)
            where try LedgerFields.entry(object.fields) == entry.written(under: lease) {
                return true
            }
            return false
        }
    }

    package func update(_ entry: LedgerEntry, under lease: Lease) async throws(RemoteError) {
        let objects = try await ledgerObjects(of: entry.delivery)
        guard !objects.isEmpty else {
            throw RemoteError(.conditionFailed, "BugleLedger: the entry of delivery \(entry.delivery.text) is gone")
        }
        let members = LedgerFields.members(of: entry, fence: lease.fence)
        for object in objects {
            try await replace(.ledger, object, members, under: lease) { object throws(RemoteError) in
                try LedgerFields.entry(object.fields) == entry.written(under: lease)
            }
        }
    }

    package func stop(_ order: StopOrder) async throws(RemoteError) {
        try await create(.stop, order.members.merging(["workspace": .string(workspace)]) { $1 }) {
            () throws(RemoteError) in try await api.stops(of: workspace).contains(order)
        }
    }

    package func lift(_ order: StopOrder) async throws(RemoteError) {
        let condition: JSONObject = ["workspace": .string(workspace), "delivery": .string(order.key)]
        try await remove(.stop, where: .object(condition)) { () throws(RemoteError) in
            try await api.objects(of: .stop, where: condition).objects
        }
    }

    package func startLedger() async throws(RemoteError) {
        guard try await !api.isLedgerStarted(workspace) else { return }
        try await create(.resource, ResourceFields.mark(workspace: workspace)) { () throws(RemoteError) in
            try await api.isLedgerStarted(workspace)
        }
    }

    package func save(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        let members = ResourceFields.members(of: resource, workspace: workspace, fence: lease.fence)
        let objects = try await resourceObjects(of: resource)
        if objects.isEmpty {
            try checkTime(of: lease)
            try await create(.resource, members) { () throws(RemoteError) in
                for object in try await resourceObjects(of: resource)
                where try ResourceFields.record(object.fields) == resource {
                    return true
                }
                return false
            }
        }
        for object in objects {
            let replacement = [String: JSONValue?](uniqueKeysWithValues: members.map { ($0, $1) })
            try await replace(.resource, object, replacement, under: lease) { object throws(RemoteError) in
                try ResourceFields.record(object.fields) == resource
            }
        }
    }

    package func delete(_ resource: ResourceRecord, under lease: Lease) async throws(RemoteError) {
        try await remove(.resource, where: lease.notLater) { () throws(RemoteError) in
            try await resourceObjects(of: resource)
        }
    }

    /// Deletes objects that fulfil a condition until there are none.
    private func remove(
        _ className: StateClass, where condition: JSONValue,
        _ look: () async throws(RemoteError) -> [StoredObject]
    ) async throws(RemoteError) {
        var attempt = 0
        while true {
            let objects = try await look()
            if objects.isEmpty { return }
            var lost: RemoteError?
            for object in objects {
                switch try await api.delete(className, object.objectID, where: condition) {
                case .done, .absent: break
                case .conditionFailed: throw Self.overtaken(className.rawValue, object.objectID)
                case .unknown(let error): lost = error
                }
            }
            guard let lost else { return }
            try await again(&attempt, lost)
        }
    }
}

// MARK: - Writing until it is certain

extension LeanCloudWriter {
    /// Waits before another attempt.
    ///
    /// - Throws: `error` when the retries are used up.
    func again(_ attempt: inout Int, _ error: RemoteError) async throws(RemoteError) {
        guard attempt < api.connection.retries else { throw error }
        try await api.pause(for: api.pausing.backoff(attempt))
        attempt += 1
    }

    /// Creates an object, and calls `isThere` when the answer was lost; a second object does no harm.
    private func create(
        _ className: StateClass, _ members: JSONObject,
        isThere: () async throws(RemoteError) -> Bool
    ) async throws(RemoteError) {
        var attempt = 0
        while true {
            switch try await api.create(className, members) {
            case .done: return
            case .conditionFailed, .absent:
                throw RemoteError(.refused, "\(className.rawValue): the service did not create the object")
            case .unknown(let error):
                try await again(&attempt, error)
                if try await isThere() { return }
            }
        }
    }

    /// Replaces an object's fields unless a later fence wrote it, and calls `isRight` when the answer was lost.
    private func replace(
        _ className: StateClass, _ object: StoredObject, _ members: [String: JSONValue?], under lease: Lease,
        isRight: (StoredObject) throws(RemoteError) -> Bool
    ) async throws(RemoteError) {
        var attempt = 0
        while true {
            switch try await api.update(className, object.objectID, where: lease.notLater, members) {
            case .done: return
            case .conditionFailed, .absent: throw Self.overtaken(className.rawValue, object.objectID)
            case .unknown(let error):
                try await again(&attempt, error)
                let found = try await api.objects(of: className, where: ["objectId": .string(object.objectID)])
                if let found = found.objects.first, try isRight(found) { return }
            }
        }
    }

    private func ledgerObjects(of delivery: DeliveryID) async throws(RemoteError) -> [StoredObject] {
        let condition: JSONObject = ["workspace": .string(workspace), "delivery": .string(delivery.text)]
        return try await api.objects(of: .ledger, where: condition).objects
    }

    private func resourceObjects(of resource: ResourceRecord) async throws(RemoteError) -> [StoredObject] {
        let condition: JSONObject = [
            "workspace": .string(workspace), "kind": .string(resource.kind.rawValue), "name": .string(resource.name),
        ]
        return try await api.objects(of: .resource, where: condition).objects
    }

    /// Creating an object cannot be conditional, so at least the lease must not have expired.
    private func checkTime(of lease: Lease) throws(RemoteError) {
        guard let now = api.clock.estimate, now >= lease.expiresAt else { return }
        throw RemoteError(.conditionFailed, "the lock has expired, so nothing was written; run it again")
    }

    private static func overtaken(_ className: String, _ objectID: String) -> RemoteError {
        RemoteError(
            .conditionFailed,
            "\(className) object \(objectID.shortened(to: 64)): a later apply has written it, so this one must not")
    }
}

extension Lease {
    /// The condition for writing an object under this lease.
    fileprivate var notLater: JSONValue { ["fence": ["$lte": .integer(Int64(fence))]] }
}

extension LedgerEntry {
    /// The entry as stored after being written under a lease.
    fileprivate func written(under lease: Lease) -> LedgerEntry {
        var entry = self
        entry.fence = lease.fence
        return entry
    }
}
