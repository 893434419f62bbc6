internal import NIOCore

/// Everything that the connections of a simulator share.
struct Service: Sendable {
    let configuration: SimulatorConfiguration
    let clock: SimulatorClock
    let statistics = StatisticsBook()
    let credentials: CredentialBook
    let devices: DeviceBook
    let channels: ChannelBook
    let faults = FaultBook()
    let gate = AnswerGate()
    /// How many streams a connection may have that has shown who it is.
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

/// A whole request.
struct Request {
    let head: RequestHead
    let route: Route
    /// The body; of one that is too long, the first part.
    let body: ByteBuffer
    /// How many bytes the body has.
    let bodyCount: Int
}

extension Service {
    /// Answers a request, and carries out what it asks for.
    ///
    /// - Parameter permission: what authentication said.
    func answer(_ request: Request, _ permission: Result<ConnectionAuthentication.Permission, Refusal>) -> Answer {
        switch request.route {
        case .device(let token): return push(request, token, permission)
        case .broadcast(let bundle): return broadcast(request, bundle, permission)
        case .channels(let bundle): return manageChannels(request, bundle, permission)
        case .allChannels(let bundle): return listChannels(request, bundle, permission)
        case .none: return Answer(Refusal(.badPath), headers: [("apns-id", Self.id(of: request.head))])
        }
    }

    /// The `apns-id` that the answer bears: the request's when it is one, else a new one.
    static func id(of head: RequestHead) -> String {
        if let id = head.id, APNsUUID.isValid(id) { id } else { APNsUUID.make() }
    }
}
