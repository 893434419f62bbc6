internal import Base
internal import NIOCore
internal import NIOHTTP2

extension APNsConnection {
    /// Raises the stream limit once the client has sent a valid token.
    func raiseStreamLimit() {
        guard !isStreamLimitRaised else { return }
        isStreamLimitRaised = true
        announce(service.streamLimit.value)
    }

    /// Changes the stream limit of the connection; unprocessed requests beyond it are refused.
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

    /// The unprocessed requests, oldest first.
    private var unacted: [HTTP2StreamID] {
        exchanges.filter { exchange in
            switch exchange.value.stage {
            case .receiving, .held: true
            case .acted: false
            }
        }.keys.sorted()
    }

    /// Sends GOAWAY, leaving out the `refused` newest unprocessed requests; fewer if a newer request was processed.
    func goAway(_ reason: String?, refusingNewest refused: Int) {
        let open = unacted.filter { $0 > newestActed }
        let last = refused == 0 ? newestSeen : open.dropLast(refused).last ?? newestActed
        sendGoAway(reason, last: last)
        flush()
    }

    /// Sends GOAWAY with the stream before `id` as the last; if a newer one was processed, only `id` is refused.
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

    /// Sends GOAWAY with Apple's debug data (docs/background/apple/service.md#connections); the connection closes when
    /// the streams up to `last` are answered.
    func sendGoAway(_ reason: String?, last: HTTP2StreamID) {
        guard !isGoingAway, let context else { return }
        isGoingAway = true
        let json = reason.map { JSONValue.object(["reason": .string($0)]).canonicalBytes }
        let data = json.map { context.channel.allocator.buffer(bytes: $0) }
        exchanges = exchanges.filter { $0.key <= last }
        write(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: data), on: .rootStream)
        closeWhenDone()
    }

    /// Closes the connection if GOAWAY was sent and no request is in flight.
    func closeWhenDone() {
        guard isGoingAway, exchanges.isEmpty, !isClosing, let context else { return }
        isClosing = true
        // Closing while the client still sends would reset the connection and lose what the client has not read.
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(200)) {
            self.context?.close(promise: nil)
        }
    }

    /// Closes the connection if it has been idle for too long.
    func sweep() {
        let idle = service.clock.now - lastFrameAt
        guard exchanges.isEmpty, idle >= service.configuration.idleTimeout * 1000 else { return }
        sendGoAway(APNsReason.idleTimeout.name, last: newestSeen)
        flush()
    }

    /// Continues the requests that the gate held.
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
