extension APNsSimulator {
    /// Registers a key that may sign provider tokens.
    package func register(_ key: ProviderKey) { service.credentials.register(key) }

    /// Revokes a key: its tokens are answered with `InvalidProviderToken`.
    package func revoke(keyID: String) { service.credentials.revokeKey(keyID) }

    /// Revokes a client certificate: handshakes with it fail, and requests on open connections get `BadCertificate`.
    package func revoke(_ certificate: PushCertificate) { service.credentials.revoke(serial: certificate.serial) }

    /// Adds a fault after the existing ones; the first fault that hits a push wins.
    ///
    /// - Returns: the fault's number.
    @discardableResult
    package func add(_ fault: Fault) -> Int { service.faults.add(fault) }

    /// Removes a fault.
    package func removeFault(_ id: Int) { service.faults.remove(id) }

    /// Removes all faults.
    package func removeFaults() { service.faults.removeAll() }

    /// The number of pushes a fault has hit.
    package func hits(ofFault id: Int) -> Int { service.faults.all.first { $0.id == id }?.hits ?? 0 }

    /// Sets the number of concurrent streams allowed on authenticated connections, open and future.
    ///
    /// When the limit drops, requests beyond it that have not been processed are refused with REFUSED_STREAM.
    package func limitStreams(to limit: Int) async {
        service.streamLimit.value = limit
        await connections.each { $0.limitStreams(to: limit) }
    }

    /// Sends GOAWAY on every connection; each closes once the requests it still accepts are answered.
    ///
    /// - Parameters:
    ///   - reason: the reason in the JSON of the debug data; nil for no data.
    ///   - newest: the number of newest unprocessed requests left above the last stream id.
    package func goAway(reason: String? = nil, refusingNewest newest: Int = 0) async {
        await connections.each { $0.goAway(reason, refusingNewest: newest) }
    }

    /// Sends GOAWAY with `Shutdown`, as Apple does before a server is taken down.
    package func shutDown() async { await goAway(reason: APNsReason.shutdown.name) }

    /// Resets every TCP connection.
    package func disconnectAll() async { await connections.each { $0.cut() } }

    /// Advances the clock and closes the connections that are idle for too long as a result.
    package func advance(bySeconds seconds: Int64) async {
        clock.advance(bySeconds: seconds)
        await connections.each { $0.sweep() }
    }

    /// Holds requests before they are processed, until ``release()``.
    package func holdRequests() { service.gate.position = .beforeProcessing }

    /// Processes requests but holds the responses, until ``release()``.
    package func holdAnswers() { service.gate.position = .afterProcessing }

    /// Releases everything held and stops holding.
    package func release() async {
        service.gate.position = .open
        await connections.each { $0.release() }
    }

    /// Waits until this many complete requests have arrived since the start.
    package func requests(_ count: Int) async { await wait { $0.requests >= count } }

    /// Waits until the statistics satisfy a condition.
    package func wait(until isMet: @escaping @Sendable (SimulatorStatistics) -> Bool) async {
        await service.statistics.wait(until: isMet)
    }

    /// The broadcast channels of an app.
    package func channels(of bundle: String) -> [BroadcastChannel] { service.channels.channels(of: bundle) }

    /// Subscribes a device to a channel: it gets the stored broadcast first, if there is one, and all later ones.
    ///
    /// - Returns: false when the channel does not exist.
    package func subscribe(token: String, to channelID: String, of bundle: String) throws(MalformedToken) -> Bool {
        guard let token = DeviceToken(token) else { throw MalformedToken() }
        guard service.channels.subscribe(token, to: channelID, of: bundle) else { return false }
        if let stored = service.channels.channel(channelID, of: bundle)?.stored {
            service.devices.deliver(token, stored)
        }
        return true
    }
}
