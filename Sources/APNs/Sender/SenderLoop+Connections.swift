internal import CurlHTTP

extension SenderLoop {
    /// Opens one connection when there is work for it: never two at a time, and spaced.
    func connect(_ now: ContinuousClock.Instant) {
        lanes.removeAll { $0.connection.phase == .retired }
        guard lanes.count < configuration.connections, now >= nextConnect, now >= heldUntil,
            !lanes.contains(where: { $0.connection.phase == .opening })
        else { return }
        let room = lanes.reduce(0) { $0 + $1.room(of: trust.streams) }
        // One that became useless just now is no reason not to open another.
        guard readyCount > room else { return }
        do throws(TransportError) {
            let connection = try pump.connect()
            lanes.append(Lane(connection, streams: configuration.streams))
            nextConnect = now + configuration.retries.spacing
        } catch {
            failed(error, isFinal: true)
        }
    }

    /// Notes that a connection could not be made, or was lost with its first request: the pause grows, and when it happens too often, or would happen again,
    /// and there is no other, what waits is given up.
    func failed(_ error: TransportError, isFinal: Bool) {
        connectFailures += 1
        nextConnect = .now + configuration.retries.pause(after: connectFailures)
        guard isFinal || connectFailures >= configuration.retries.connectAttempts,
            !lanes.contains(where: { $0.connection.phase == .open })
        else { return }
        connectFailures = 0
        giveUp(error.brief)
    }
}

extension TransportError {
    /// What happened, without the address.
    var brief: String { detail.isEmpty ? "\(code)" : "\(code): \(detail)" }
}
