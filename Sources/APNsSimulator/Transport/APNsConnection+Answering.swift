internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

extension APNsConnection {
    /// Handles a request that has arrived completely.
    func complete(_ id: HTTP2StreamID) {
        guard case .receiving? = exchanges[id]?.stage else { return }
        service.statistics.change { $0.requests += 1 }
        if service.gate.position == .beforeProcessing {
            exchanges[id]?.stage = .held
        } else {
            act(on: id)
        }
    }

    /// Processes a request, unless a fault prevents it.
    func act(on id: HTTP2StreamID) {
        guard let exchange = exchanges[id] else { return }
        let permission = Result { () throws(Refusal) in
            try authentication.check(exchange.head.authorization, at: service.clock.seconds)
        }
        if case .success = permission { raiseStreamLimit() }
        if let effect = exchange.draw.effect, prevent(id, effect) { return }
        newestActed = max(newestActed, id)
        let request = Request(
            head: exchange.head, route: exchange.route, body: exchange.body, bodyCount: exchange.bodyCount)
        let answer = service.answer(request, permission)
        if answer.isProcessed { service.statistics.change { $0.processed += 1 } }
        if service.gate.position == .afterProcessing {
            exchanges[id]?.stage = .acted(answer)
        } else {
            finish(id, answer)
        }
    }

    /// Sends the response to a processed request, unless a fault prevents it.
    func finish(_ id: HTTP2StreamID, _ answer: Answer) {
        guard let exchange = exchanges[id] else { return }
        if answer.isProcessed, let effect = exchange.draw.effect, swallow(id, effect) { return }
        answerLate(id, answer, exchange.draw.delay)
    }

    /// Sends the response after a delay in milliseconds.
    private func answerLate(_ id: HTTP2StreamID, _ answer: Answer, _ delay: Int64) {
        guard delay > 0, let context else { return write(answer, on: id) }
        exchanges[id]?.stage = .acted(answer)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(delay)) {
            guard self.exchanges[id] != nil else { return }
            self.write(answer, on: id)
            self.flush()
        }
    }

    /// Refuses a request because of a fault.
    func refuse(_ id: HTTP2StreamID, _ reason: APNsReason) {
        guard let exchange = exchanges[id] else { return }
        let refusal = Refusal(reason, timestamp: reason.status == 410 ? service.clock.now : nil)
        let answer = Answer(refusal, headers: [("apns-id", Service.id(of: exchange.head))])
        answerLate(id, answer, exchange.draw.delay)
    }

    /// Applies the faults that strike before processing; true if one did.
    private func prevent(_ id: HTTP2StreamID, _ effect: Fault.Effect) -> Bool {
        switch effect {
        case .refuse(let reason):
            newestActed = max(newestActed, id)
            refuse(id, reason)
        case .refuseStream:
            exchanges[id] = nil
            service.statistics.change { $0.refusedStreams += 1 }
            write(.rstStream(.refusedStream), on: id)
        case .reset(processed: false): reset(id)
        case .disconnect(processed: false): disconnect()
        case .stall(processed: false): leave(id)
        case .goAway(let reason): goAway(reason, before: id)
        case .refuseAtHead, .reset, .disconnect, .stall, .goAwayProcessed, .delay: return false
        }
        return true
    }

    /// Applies the faults that strike after processing; true if one did.
    private func swallow(_ id: HTTP2StreamID, _ effect: Fault.Effect) -> Bool {
        switch effect {
        case .reset(processed: true): reset(id)
        case .disconnect(processed: true): disconnect()
        case .stall(processed: true): leave(id)
        case .goAwayProcessed:
            service.statistics.change { $0.unanswered += 1 }
            sendGoAway(nil, last: newestSeen)
            flush()
            context?.close(promise: nil)
        case .refuse, .refuseAtHead, .refuseStream, .reset, .disconnect, .stall, .goAway, .delay: return false
        }
        return true
    }

    private func reset(_ id: HTTP2StreamID) {
        exchanges[id] = nil
        service.statistics.change { $0.unanswered += 1 }
        write(.rstStream(.internalError), on: id)
    }

    private func disconnect() {
        service.statistics.change { $0.unanswered += 1 }
        flush()
        cut()
    }

    private func leave(_ id: HTTP2StreamID) {
        exchanges[id]?.stage = .acted(nil)
        service.statistics.change { $0.unanswered += 1 }
    }

    private func write(_ answer: Answer, on id: HTTP2StreamID) {
        exchanges[id] = nil
        var headers = HPACKHeaders([(":status", String(answer.status))])
        for (name, value) in answer.headers {
            // Values that never repeat would only fill the client's header table.
            headers.add(name: name, value: value, indexing: name == "content-type" ? .indexable : .nonIndexable)
        }
        write(.headers(.init(headers: headers, endStream: answer.body.isEmpty)), on: id)
        if !answer.body.isEmpty {
            write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: answer.body)), endStream: true)), on: id)
        }
        note(answer)
        closeWhenDone()
    }

    /// Counts a response; too many refusals close the connection (docs/background/apple/service.md#connections).
    private func note(_ answer: Answer) {
        service.statistics.change { counts in
            if let reason = answer.reason {
                counts.refused[reason, default: 0] += 1
            } else {
                counts.accepted += 1
            }
        }
        guard let reason = answer.reason, (400..<500).contains(answer.status), answer.status != 410 else { return }
        refusals += 1
        if reason == APNsReason.badDeviceToken.name { badDeviceTokens += 1 }
        let configuration = service.configuration
        if badDeviceTokens >= configuration.badDeviceTokenLimit ?? .max
            || refusals >= configuration.refusalLimit ?? .max
        {
            sendGoAway(reason, last: newestSeen)
        }
    }
}
