internal import Base
internal import HTTP
package import Push
package import Apply

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

    /// Asks the remote to drop a scheduled push.
    ///
    /// The service's answer for an unknown id is not documented, so any answer except refused credentials is accepted:
    /// the
    /// list of scheduled pushes shows the result.
    package func cancel(_ push: ScheduledPush) async throws(RemoteError) {
        let call = APICall(.delete, "/scheduledPushMessages/\(push.id)")
        var attempt = 0
        while true {
            do throws(RemoteError) {
                switch try await api.write(call) {
                case .done, .conditionFailed, .absent: return
                case .unknown(let error):
                    // Deleting is idempotent.
                    guard attempt < api.connection.retries else { throw error }
                }
            } catch {
                if error.kind == .refused { return }
                throw error
            }
            try await api.pause(for: api.pausing.backoff(attempt))
            attempt += 1
        }
    }
}
