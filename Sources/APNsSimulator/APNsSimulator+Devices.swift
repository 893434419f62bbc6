extension APNsSimulator {
    /// A token that is not an even number of hexadecimal digits.
    package struct MalformedToken: Error {}

    /// Registers a device; its token is valid only for `topic`, which includes the suffix.
    ///
    /// `environment` is the environment of the token; nil for the simulator's.
    package func register(
        token: String, topic: String, environment: SimulatedEnvironment? = nil
    ) throws(MalformedToken) {
        service.devices.register(try Self.read(token), topic: topic, environment: environment)
    }

    /// Marks a token unregistered: pushes to it are answered with 410 `Unregistered`.
    ///
    /// It became invalid at `time`, in milliseconds of UNIX time; nil for now.
    package func unregister(token: String, at time: Int64? = nil) throws(MalformedToken) {
        service.devices.kill(try Self.read(token), .unregistered, at: time ?? clock.now)
    }

    /// Marks a token expired: pushes to it are answered with 410 `ExpiredToken`.
    ///
    /// It expired at `time`, in milliseconds of UNIX time; nil for now.
    package func expire(token: String, at time: Int64? = nil) throws(MalformedToken) {
        service.devices.kill(try Self.read(token), .expiredToken, at: time ?? clock.now)
    }

    /// Forgets a token.
    package func forget(token: String) throws(MalformedToken) {
        service.devices.forget(try Self.read(token))
    }

    /// Sets whether every well-formed token is accepted as a device's, unless it is registered otherwise or marked
    /// dead.
    package func acceptEveryToken(_ isOn: Bool = true) { service.devices.acceptEveryToken(isOn) }

    /// The notifications a device received, oldest first; empty when only counts are recorded.
    package func inbox(of token: String) -> [ReceivedPush] {
        DeviceToken(token).map(service.devices.inbox) ?? []
    }

    /// The number of notifications a device received.
    package func deliveries(to token: String) -> Int {
        DeviceToken(token).map(service.devices.count) ?? 0
    }

    /// The number of devices that received one, two, three notifications and so on.
    package func deliveryHistogram() -> [Int: Int] { service.devices.histogram() }

    /// The tokens among these that received no notification.
    package func missed(among tokens: some Sequence<String>) -> [String] {
        tokens.filter { deliveries(to: $0) == 0 }
    }

    /// Totals of reached devices, notifications and duplicates; when only counts are recorded, of all notifications.
    ///
    /// Otherwise only notifications of `topic` with the `apns-collapse-id` `collapseID` count; nil for all.
    package func inboxSummary(topic: String? = nil, collapseID: String? = nil) -> InboxSummary {
        service.devices.summary { push in
            (topic == nil || push.topic == topic) && (collapseID == nil || push.collapseID == collapseID)
        }
    }

    /// Empties every inbox and resets the counts; the devices stay registered.
    package func emptyInboxes() { service.devices.empty() }

    private static func read(_ token: String) throws(MalformedToken) -> DeviceToken {
        guard let token = DeviceToken(token) else { throw MalformedToken() }
        return token
    }
}
