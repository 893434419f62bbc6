internal import NIOCore

/// The state shared by all connections of a simulator.
struct Service: Sendable {
    let configuration: SimulatorConfiguration
    let clock: SimulatorClock
    let statistics = StatisticsBook()
    let credentials: CredentialBook
    let devices: DeviceBook
    let channels: ChannelBook
    let faults = FaultBook()
    let gate = AnswerGate()
    /// The number of streams allowed on an authenticated connection.
    let streamLimit: StreamLimit

    init(_ configuration: SimulatorConfiguration) {
        self.configuration = configuration
        clock = configuration.clock
        credentials = CredentialBook(statistics: statistics)
        devices = DeviceBook(configuration)
        channels = ChannelBook(configuration)
        streamLimit = StreamLimit(configuration.maxConcurrentStreams)
    }
}

/// A complete request.
struct Request {
    let head: RequestHead
    let route: Route
    /// The body; only the first part of one that is too long.
    let body: ByteBuffer
    /// The number of bytes in the body.
    let bodyCount: Int
}

extension Service {
    /// Carries out a request and returns the response; `permission` is the result of authentication.
    func answer(_ request: Request, _ permission: Result<ConnectionAuthentication.Permission, Refusal>) -> Answer {
        switch request.route {
        case .device(let token): return push(request, token, permission)
        case .broadcast(let bundle): return broadcast(request, bundle, permission)
        case .channels(let bundle): return manageChannels(request, bundle, permission)
        case .allChannels(let bundle): return listChannels(request, bundle, permission)
        case .none: return Answer(Refusal(.badPath), headers: [("apns-id", Self.id(of: request.head))])
        }
    }

    /// The `apns-id` of the response: the request's if it is a valid UUID, otherwise a new one.
    static func id(of head: RequestHead) -> String {
        if let id = head.id, APNsUUID.isValid(id) { id } else { APNsUUID.make() }
    }
}
