internal import HTTP

extension SenderLoop {
    /// Opens a connection when there is work for it: one at a time, and spaced.
    func connect(_ now: ContinuousClock.Instant) {
        for lane in lanes {
            guard let lasted = lane.connection.lasted else { continue }
            longestLife = min(longestLife ?? lasted, lasted)
        }
        lanes.removeAll { $0.connection.phase == .retired || $0.connection.phase == .closed }
        // When the server closes connections after a number of requests, the next one is opened before that.
        let lasting = lanes.filter { $0.connection.begun < (longestLife.map { $0 - $0 / 4 } ?? .max) }
        guard lasting.count < configuration.connections, now >= nextConnect, now >= heldUntil,
            !lanes.contains(where: { $0.connection.phase == .opening })
        else { return }
        let room = lasting.reduce(0) { $0 + $1.room(of: trust.streams) }
        // A connection that became useless just now does not keep another from opening.
        guard readyCount > room else { return }
        do throws(TransportError) {
            lanes.append(Lane(try client.connect(at: now), streams: configuration.streams))
            nextConnect = now + configuration.retries.spacing
        } catch {
            failed(error.brief, isFinal: true)
        }
    }

    /// Notes that a connection could not be made, or was lost with its first request: the pause grows. After too many
    /// failures, or one that would recur, and with no open connection left, everything waiting is given up.
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
    /// The error without the address.
    var brief: String { detail.isEmpty ? "\(code)" : "\(code): \(detail)" }
}
