internal import APNs
internal import DeviceRegistry
internal import PushModel
internal import PushRemote

/// Sends one broadcast: durable intent, one request, durable outcome.
struct Broadcasting: Sendable {
    let writer: APNsWriter
    let sending: Sending
    let order: DeliveryOrder
    let channel: String
    let topic: String

    private var entry: LedgerEntry { sending.entry }
    private var requestID: APNsID { APNsID(delivery: entry.notificationID.text, token: channel) }

    /// What became of it; a lost answer counts as one device in doubt, which a person looks into.
    func send() async -> SendOutcome {
        do throws(RemoteError) {
            if let mark = try await writer.mark(of: entry) { return outcome(of: mark) }
            let lease = await sending.lease()
            let id = try await channelID(lease)
            let client = try await writer.clients.client(for: topic, in: order.environment)
            guard !sending.isStopped() else { return .interrupted(reason: "it was asked to stop") }
            guard await sending.mayStart() else { return .interrupted(reason: "the lock was lost") }
            try await put(.begun, lease)
            return await request(client, id, lease)
        } catch {
            return SendOutcome(error)
        }
    }

    private func request(_ client: BroadcastClient, _ id: String, _ lease: Lease) async -> SendOutcome {
        do throws(CredentialError) {
            let answer = try await client.send(order, to: id, requestID: requestID, startingAt: entry.intendedAt)
            return await outcome(of: answer, lease)
        } catch {
            // There was no provider token to send it with, or Apple refused the one that there was.
            await forget(lease)
            return .unauthorized(reason: error.description)
        }
    }

    private func outcome(of mark: BroadcastMark) -> SendOutcome {
        switch mark.state {
        case .accepted: .accepted(objectID: requestID.text)
        case .begun: .delivered(mark.figures)
        }
    }

    private func outcome(of answer: BroadcastClient.Outcome<Void>, _ lease: Lease) async -> SendOutcome {
        switch answer {
        case .done:
            // When this cannot be written it counts as in doubt: Apple has it all the same.
            try? await put(.accepted, lease)
            return .accepted(objectID: requestID.text)
        case .refused(let refusal):
            await forget(lease)
            return SendOutcome(refusal)
        case .notSent(let reason):
            await forget(lease)
            return .deferred(reason: reason, after: nil, isRateLimit: false)
        case .unknown: return .delivered(BroadcastMark(.begun, at: entry.intendedAt).figures)
        }
    }

    private func channelID(_ lease: Lease) async throws(RemoteError) -> String {
        let resources = try await asking { () throws(RegistryError) in
            try await writer.store.records(.resource, of: writer.workspace)
        }
        for record in resources {
            guard let resource = try ResourceFields.record(record.fields), resource.kind == .channel,
                resource.name == channel, let broadcast = try Channel.Broadcast(fields: resource.fields),
                broadcast.topic == topic
            else { continue }
            return try await writer.channels(lease).ready(channel, broadcast, in: order.environment)
        }
        throw RemoteError(.refused, "the broadcast channel \(channel) of topic \(topic) was not made: apply it first")
    }

    private func put(_ state: BroadcastMark.State, _ lease: Lease) async throws(RemoteError) {
        try await asking { () throws(RegistryError) in
            let mark = BroadcastMark(state, at: Instant(try await writer.store.now()))
            try await writer.store.put(
                mark.record(of: entry, workspace: writer.workspace), under: writer.deployLease(lease))
        }
    }

    /// Nothing was sent; when this cannot be written, the broadcast counts as in doubt.
    private func forget(_ lease: Lease) async {
        let mark = BroadcastMark(.begun, at: entry.intendedAt)
        try? await writer.store.remove(
            mark.record(of: entry, workspace: writer.workspace), under: writer.deployLease(lease))
    }
}

extension SendOutcome {
    /// A failure before anything was sent.
    init(_ error: RemoteError) {
        switch error.kind {
        case .credentials: self = .unauthorized(reason: error.description)
        case .refused: self = .refused(reason: error.description)
        case .conditionFailed, .unexpectedAnswer: self = .interrupted(reason: error.description)
        case .rateLimited, .unavailable, .unknownOutcome:
            self = .deferred(reason: error.description, after: nil, isRateLimit: error.kind == .rateLimited)
        }
    }
}
