extension APNsSimulator {
    /// A token that is no hexadecimal text of an even number of digits.
    package struct MalformedToken: Error {}

    /// Makes a device known.
    ///
    /// - Parameters:
    ///   - topic: the only topic its token is for, with its suffix.
    ///   - environment: the world it is of; nil for the simulator's.
    package func register(
        token: String, topic: String, environment: SimulatedEnvironment? = nil
    ) throws(MalformedToken) {
        service.devices.register(try Self.read(token), topic: topic, environment: environment)
    }

    /// Makes a token dead: pushes are answered 410 `Unregistered`.
    ///
    /// - Parameter time: since when, in milliseconds of UNIX time; nil for now.
    package func unregister(token: String, at time: Int64? = nil) throws(MalformedToken) {
        service.devices.kill(try Self.read(token), .unregistered, at: time ?? clock.now)
    }

    /// Makes a token expired: pushes are answered 410 `ExpiredToken`.
    ///
    /// - Parameter time: since when, in milliseconds of UNIX time; nil for now.
    package func expire(token: String, at time: Int64? = nil) throws(MalformedToken) {
        service.devices.kill(try Self.read(token), .expiredToken, at: time ?? clock.now)
    }

    /// Makes a token unknown again.
    package func forget(token: String) throws(MalformedToken) {
        service.devices.forget(try Self.read(token))
    }

    /// Whether every well-formed token is a device's, unless it was registered or killed.
    package func acceptEveryToken(_ isOn: Bool = true) { service.devices.acceptEveryToken(isOn) }

    /// What a device received, oldest first; nothing where only counts are kept.
    package func inbox(of token: String) -> [ReceivedPush] {
        DeviceToken(token).map(service.devices.inbox) ?? []
    }

    /// How many notifications a device received.
    package func deliveries(to token: String) -> Int {
        DeviceToken(token).map(service.devices.count) ?? 0
    }

    /// How many devices received one, two, three notifications and so on.
    package func deliveryHistogram() -> [Int: Int] { service.devices.histogram() }

    /// The tokens among these that received none.
    package func missed(among tokens: some Sequence<String>) -> [String] {
        tokens.filter { deliveries(to: $0) == 0 }
    }

    /// How many devices received something, and how much of it twice; where only counts are kept, of all notifications.
    ///
    /// - Parameters:
    ///   - topic: only notifications of this topic; nil for all.
    ///   - collapseID: only notifications with this `apns-collapse-id`; nil for all.
    package func inboxSummary(topic: String? = nil, collapseID: String? = nil) -> InboxSummary {
        service.devices.summary { push in
            (topic == nil || push.topic == topic) && (collapseID == nil || push.collapseID == collapseID)
        }
    }

    /// Empties every inbox and count; the devices stay.
    package func emptyInboxes() { service.devices.empty() }

    private static func read(_ token: String) throws(MalformedToken) -> DeviceToken {
        guard let token = DeviceToken(token) else { throw MalformedToken() }
        return token
    }
}
