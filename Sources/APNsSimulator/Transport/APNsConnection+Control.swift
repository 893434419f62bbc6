internal import JSONValue
internal import NIOCore
internal import NIOHTTP2

extension APNsConnection {
    /// Lets the client open more streams, once it has shown a valid token.
    func raiseStreamLimit() {
        guard !isStreamLimitRaised else { return }
        isStreamLimitRaised = true
        announce(service.streamLimit.value)
    }

    /// Changes the limit for the rest of the connection; requests beyond it that were not acted on are refused.
    func limitStreams(to limit: Int) {
        guard isStreamLimitRaised else { return }
        announce(limit)
        for id in unacted.suffix(max(0, exchanges.count - limit)) {
            exchanges[id] = nil
            service.statistics.change { $0.refusedStreams += 1 }
            write(.rstStream(.refusedStream), on: id)
        }
        flush()
    }

    private func announce(_ limit: Int) {
        guard limit != streamLimit else { return }
        streamLimit = limit
        write(.settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)])), on: .rootStream)
    }

    /// The requests that were not acted on, the oldest first.
    private var unacted: [HTTP2StreamID] {
        exchanges.filter { exchange in
            switch exchange.value.stage {
            case .receiving, .held: true
            case .acted: false
            }
        }.keys.sorted()
    }

    /// GOAWAY, leaving out the newest requests that were not acted on.
    ///
    /// - Parameter refused: how many at most; fewer when a newer one was acted on.
    func goAway(_ reason: String?, refusingNewest refused: Int) {
        let open = unacted.filter { $0 > newestActed }
        let last = refused == 0 ? newestSeen : open.dropLast(refused).last ?? newestActed
        sendGoAway(reason, last: last)
        flush()
    }

    /// GOAWAY with the stream before `id` as the last; when a newer one was acted on, `id` is refused alone.
    func goAway(_ reason: String?, before id: HTTP2StreamID) {
        guard newestActed > id else {
            let older = unacted.last { $0 < id } ?? newestActed
            return sendGoAway(reason, last: max(older, newestActed))
        }
        exchanges[id] = nil
        service.statistics.change { $0.refusedStreams += 1 }
        write(.rstStream(.refusedStream), on: id)
        sendGoAway(reason, last: newestSeen)
    }

    /// GOAWAY with Apple's debug data (<doc:/APNs/AppleService#Connections>); the connection ends when the streams up
    /// to `last` are answered.
    func sendGoAway(_ reason: String?, last: HTTP2StreamID) {
        guard !isGoingAway, let context else { return }
        isGoingAway = true
        let json = reason.map { JSONValue.object(["reason": .string($0)]).canonicalBytes }
        let data = json.map { context.channel.allocator.buffer(bytes: $0) }
        exchanges = exchanges.filter { $0.key <= last }
        write(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: data), on: .rootStream)
        closeWhenDone()
    }

    /// Ends the connection when GOAWAY was sent and nothing is under way.
    func closeWhenDone() {
        guard isGoingAway, exchanges.isEmpty, !isClosing, let context else { return }
        isClosing = true
        // Closing on a client that still sends would reset the connection, and lose what it has not read.
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(200)) {
            self.context?.close(promise: nil)
        }
    }

    /// Ends the connection when it was idle for too long.
    func sweep() {
        let idle = service.clock.now - lastFrameAt
        guard exchanges.isEmpty, idle >= service.configuration.idleTimeout * 1000 else { return }
        sendGoAway(APNsReason.idleTimeout.name, last: newestSeen)
        flush()
    }

    /// Goes on with what the gate held.
    func release() {
        for id in exchanges.keys.sorted() {
            switch exchanges[id]?.stage {
            case .held: act(on: id)
            case .acted(let answer?): finish(id, answer)
            case .receiving, .acted(nil), nil: break
            }
        }
        flush()
    }
}
