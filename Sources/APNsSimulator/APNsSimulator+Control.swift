extension APNsSimulator {
    /// Registers a key that provider tokens may be signed with.
    package func register(_ key: ProviderKey) { service.credentials.register(key) }

    /// Makes a key unknown: its tokens are answered `InvalidProviderToken`.
    package func revoke(keyID: String) { service.credentials.revokeKey(keyID) }

    /// Revokes a client certificate: handshakes with it fail, requests on open connections get `BadCertificate`.
    package func revoke(_ certificate: PushCertificate) { service.credentials.revoke(serial: certificate.serial) }

    /// Puts a fault into force, behind those before it; the first that hits a push counts.
    ///
    /// - Returns: its number.
    @discardableResult
    package func add(_ fault: Fault) -> Int { service.faults.add(fault) }

    /// Ends a fault.
    package func removeFault(_ id: Int) { service.faults.remove(id) }

    /// Ends all faults.
    package func removeFaults() { service.faults.removeAll() }

    /// How many pushes a fault has hit.
    package func hits(ofFault id: Int) -> Int { service.faults.all.first { $0.id == id }?.hits ?? 0 }

    /// Changes how many streams a connection may have, of those that have shown who they are and of later ones.
    ///
    /// Requests beyond a lower limit that were not acted on are refused with REFUSED_STREAM.
    package func limitStreams(to limit: Int) async {
        service.streamLimit.value = limit
        await connections.each { $0.limitStreams(to: limit) }
    }

    /// Sends GOAWAY on every connection; each ends when what it still takes is answered.
    ///
    /// - Parameters:
    ///   - reason: the reason in the JSON of the debug data; nil for no data.
    ///   - newest: how many of the newest requests that were not acted on lie above the last stream.
    package func goAway(reason: String? = nil, refusingNewest newest: Int = 0) async {
        await connections.each { $0.goAway(reason, refusingNewest: newest) }
    }

    /// Sends GOAWAY with `Shutdown`, as Apple does before a server is taken down.
    package func shutDown() async { await goAway(reason: APNsReason.shutdown.name) }

    /// Resets every TCP connection.
    package func disconnectAll() async { await connections.each { $0.cut() } }

    /// Puts the clock forward, and ends the connections that have been idle for too long by it.
    package func advance(bySeconds seconds: Int64) async {
        clock.advance(bySeconds: seconds)
        await connections.each { $0.sweep() }
    }

    /// Holds requests back before they are acted on, until ``release()``.
    package func holdRequests() { service.gate.position = .beforeProcessing }

    /// Acts on requests and holds the answers back, until ``release()``.
    package func holdAnswers() { service.gate.position = .afterProcessing }

    /// Goes on with what was held, and holds no more.
    package func release() async {
        service.gate.position = .open
        await connections.each { $0.release() }
    }

    /// Returns when this many whole requests have come since the start.
    package func requests(_ count: Int) async { await wait { $0.requests >= count } }

    /// Returns when the counts are as wished.
    package func wait(until isMet: @escaping @Sendable (SimulatorStatistics) -> Bool) async {
        await service.statistics.wait(until: isMet)
    }

    /// The broadcast channels of an app.
    package func channels(of bundle: String) -> [BroadcastChannel] { service.channels.channels(of: bundle) }

    /// Makes a device listen to a channel: it gets the broadcasts, and first the one that is stored.
    ///
    /// - Returns: whether there is such a channel.
    package func subscribe(token: String, to channelID: String, of bundle: String) throws(MalformedToken) -> Bool {
        guard let token = DeviceToken(token) else { throw MalformedToken() }
        guard service.channels.subscribe(token, to: channelID, of: bundle) else { return false }
        if let stored = service.channels.channel(channelID, of: bundle)?.stored {
            service.devices.deliver(token, stored)
        }
        return true
    }
}
