internal import Base
internal import Delivery
internal import HTTP
internal import Push

/// Apple's management of channels, where nothing goes wrong.
// Everything happens on the scheduler's thread.
final class SimulatedChannels: HTTPExchanging, @unchecked Sendable {
    private var ids: [String] = []

    /// The clients of these profiles.
    func clients(_ profiles: [DeviceProfile]) -> BroadcastClients {
        BroadcastClients(profiles: profiles) { [self] profile in
            .success(
                BroadcastClient(
                    http: self, endpoints: APNsEndpoints(), environment: profile.environment, topic: profile.topic,
                    credential: .certificate))
        }
    }

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        switch request.method {
        case .get:
            let list: JSONValue = ["channels": .array(ids.map { .string($0) })]
            return HTTPResponse(status: 200, headers: [:], body: list.canonicalBytes)
        case .post:
            ids.append("channel\(ids.count)==")
            return HTTPResponse(status: 201, headers: ["apns-channel-id": ids[ids.count - 1]], body: [])
        case .delete, .put: return HTTPResponse(status: 204, headers: [:], body: [])
        }
    }
}
