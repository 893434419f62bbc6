internal import CurlHTTP

extension SenderLoop {
    /// Opens one connection when there is work for it: never two at a time, and spaced.
    func connect(_ now: ContinuousClock.Instant) {
        for lane in lanes {
            guard let lasted = lane.connection.lasted else { continue }
            longestLife = min(longestLife ?? lasted, lasted)
        }
        lanes.removeAll { $0.connection.phase == .retired || $0.connection.phase == .closed }
        // A server that closes connections after so many requests is given the next one before.
        let lasting = lanes.filter { $0.connection.begun < (longestLife.map { $0 - $0 / 4 } ?? .max) }
        guard lasting.count < configuration.connections, now >= nextConnect, now >= heldUntil,
            !lanes.contains(where: { $0.connection.phase == .opening })
        else { return }
        let room = lasting.reduce(0) { $0 + $1.room(of: trust.streams) }
        // One that became useless just now is no reason not to open another.
        guard readyCount > room else { return }
        do throws(TransportError) {
            lanes.append(Lane(try client.connect(at: now), streams: configuration.streams))
            nextConnect = now + configuration.retries.spacing
        } catch {
            failed(error.brief, isFinal: true)
        }
    }

    /// Notes that a connection could not be made, or was lost with its first request: the pause grows, and when it
    /// happens too often, or would happen again, and there is no other, what waits is given up.
    func failed(_ why: String, isFinal: Bool) {
        connectFailures += 1
        nextConnect = .now + configuration.retries.pause(after: connectFailures)
        guard isFinal || connectFailures >= configuration.retries.connectAttempts,
            !lanes.contains(where: { $0.connection.phase == .open })
        else { return }
        connectFailures = 0
        giveUp(why)
    }
}

extension TransportError {
    /// What happened, without the address.
    var brief: String { detail.isEmpty ? "\(code)" : "\(code): \(detail)" }
}
