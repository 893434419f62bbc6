internal import CurlHTTP
internal import JSONValue
package import PushModel
package import PushRemote

/// Writes to a remote with LeanCloud's API.
///
/// No request is ever sent twice unless it is certain that the first did nothing, or doing it twice is the same as
/// doing it once.
package struct LeanCloudWriter: RemoteWriting {
    let workspace: String
    let api: LeanCloudAPI

    package func send(_ sending: Sending) async -> SendOutcome {
        guard let request = sending.entry.request else {
            return .refused(reason: "the ledger does not hold the request")
        }
        return await send(request)
    }

    /// Sends a push request once.
    func send(_ request: PushRequest) async -> SendOutcome {
        let path =
            switch request.endpoint {
            case .push: "/push"
            case .devices: "/push/devices"
            }
        switch await api.exchange(APICall(.post, path, body: request.body)) {
        case .success(let answer): return SendOutcome(answer)
        case .failure(let error): return SendOutcome(error)
        }
    }

    /// Asks the remote to drop a push that it keeps for later.
    ///
    /// What the service answers for an id that it does not know is not documented, so any answer but a refusal of the
    /// credentials will do: the list says what is so.
    package func cancel(_ push: ScheduledPush) async throws(RemoteError) {
        let call = APICall(.delete, "/scheduledPushMessages/\(push.id)")
        var attempt = 0
        while true {
            do throws(RemoteError) {
                switch try await api.write(call) {
                case .done, .conditionFailed, .absent: return
                case .unknown(let error):
                    // Deleting twice is deleting once.
                    guard attempt < api.connection.retries else { throw error }
                }
            } catch {
                if error.kind == .refused { return }
                throw error
            }
            try await api.pause(for: api.backoff(attempt))
            attempt += 1
        }
    }
}

extension SendOutcome {
    /// What became of a push, from the answer to it: decided on `code` in the body, then on the status.
    init(_ answer: APIAnswer) {
        let reason = "LeanCloud answered \(answer.summary)".shortened()
        if answer.isRateLimit {
            self = .deferred(reason: reason, after: answer.rateLimitPause, isRateLimit: true)
        } else if let fault = answer.fault {
            self = Self.failed(answer, fault, reason)
        } else if answer.isSuccess, let id = answer.json?["objectId"]?.string, (1...128).contains(id.utf8.count) {
            self = .accepted(objectID: id)
        } else {
            self = .unknown(reason: reason)
        }
    }

    private static func failed(_ answer: APIAnswer, _ fault: ServiceFault, _ reason: String) -> SendOutcome {
        if answer.isUnauthorized { return .unauthorized(reason: reason) }
        if answer.isServerFailure { return .unknown(reason: reason) }
        if (400..<500).contains(answer.status) { return .refused(reason: reason) }
        // An error under a success: believed when the service names its code and no push.
        if answer.isSuccess, fault.code != nil, answer.json?["objectId"] == nil { return .refused(reason: reason) }
        return .unknown(reason: reason)
    }

    /// What became of a push that got no whole answer.
    init(_ error: TransportError) {
        let reason = error.summary.shortened()
        switch error.sent {
        case .possibly: self = .unknown(reason: reason)
        case .nothing where error.code == .refusedURL || error.code == .refusedHeader: self = .refused(reason: reason)
        case .nothing: self = .deferred(reason: reason, after: nil, isRateLimit: false)
        }
    }
}
