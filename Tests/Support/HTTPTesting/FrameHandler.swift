internal import NIOCore
internal import NIOHPACK

/// One connection of a frame server: behaves for some requests, then misbehaves with the next.
final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private struct Request {
        let stream: Int32
        let path: String
        let id: String
    }

    private var plan: FramePlan
    private var input = ByteBuffer()
    private var hasPreface = false
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var heads: [Int32: (path: String, id: String)] = [:]
    private var waiting: [Request] = []
    /// The number of requests that are answered normally, and then of those that meet the misbehaviour.
    private var good: Int
    private var bad: Int
    private var isWaiting = false
    private var isOver = false

    init(_ plan: FramePlan) {
        self.plan = plan
        good = Int.random(in: 1...30, using: &self.plan.chance)
        bad = Int.random(in: 2...60, using: &self.plan.chance)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // As many streams and bytes as anybody wants.
        send(Frame.settings([(3, 1000), (4, 1 << 30)]) + Frame.windowUpdate(1 << 30), context)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        guard plan.misbehaviour == .unwilling else { return }
        isOver = true
        say([Frame.goAway(0), []], context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        if !hasPreface {
            guard input.readableBytes >= 24 else { return }
            input.moveReaderIndex(forwardBy: 24)
            hasPreface = true
        }
        while let head = input.getBytes(at: input.readerIndex, length: 9) {
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard input.readableBytes >= 9 + length else { break }
            input.moveReaderIndex(forwardBy: 9)
            let stream = Int32(head[5] & 127) << 24 | Int32(head[6]) << 16 | Int32(head[7]) << 8 | Int32(head[8])
            guard let payload = input.readSlice(length: length) else { break }
            take(type: head[3], flags: head[4], stream, payload, context)
        }
        input.discardReadBytes()
    }

    private func take(
        type: UInt8, flags: UInt8, _ stream: Int32, _ payload: ByteBuffer, _ context: ChannelHandlerContext
    ) {
        guard !isOver else { return }
        switch type {
        case 0 where flags & 1 != 0:
            guard let head = heads.removeValue(forKey: stream) else { return }
            take(Request(stream: stream, path: head.path, id: head.id), context)
        case 1:
            var payload = payload
            guard let fields = try? decoder.decodeHeaders(from: &payload) else { return }
            heads[stream] = (fields.first(name: ":path") ?? "", fields.first(name: "apns-id") ?? "")
        case 4 where flags & 1 == 0: send(Frame.raw(4, flags: 1, []), context)
        case 6 where flags & 1 == 0: send(Frame.raw(6, flags: 1, Array(payload.readableBytesView)), context)
        default: break
        }
    }

    private func take(_ request: Request, _ context: ChannelHandlerContext) {
        guard plan.misbehaviour != nil, good <= 0 else {
            good -= 1
            return send(answered(request), context)
        }
        waiting.append(request)
        if waiting.count >= bad { return misbehave(context) }
        guard !isWaiting else { return }
        isWaiting = true
        // No more may come.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(15)) {
            let (handler, context) = bound.value
            if context.channel.isActive { handler.misbehave(context) }
        }
    }

    /// Acts and answers.
    private func answered(_ request: Request) -> [UInt8] {
        act(on: request)
        return Frame.answer(200, request.stream, id: request.id)
    }

    private func act(on request: Request) {
        plan.record.act(on: request.path, "stream \(request.stream) of connection \(plan.number)")
    }

    private func act() { for request in waiting { act(on: request) } }

    private func misbehave(_ context: ChannelHandlerContext) {
        guard !waiting.isEmpty, !isOver, let misbehaviour = plan.misbehaviour else { return }
        let cut = Int.random(in: 0..<waiting.count, using: &plan.chance)
        switch misbehaviour {
        case .refused: send(refused(from: cut), context)
        case .reset: send(reset(from: cut), context)
        case .bigBody: send(bigBody(), context)
        case .wordy: send(waiting.flatMap { wordy($0) }, context)
        case .gatewayTimeout:
            act()
            send(waiting.flatMap { Frame.answer(504, $0.stream, body: Array("<html>504</html>".utf8)) }, context)
        case .stalled:
            act()
            isOver = true
        case .unwilling: break
        case .goAwayBelow, .goAwayAt, .goAwayAbove, .drain, .farewells, .emptyWindowUpdate, .badSettings, .badHPACK,
            .truncated, .cutAnswer:
            let parts = goodbye(misbehaviour, cut)
            // Before it is said: saying it may bring more requests, or the end of the connection.
            isOver = true
            say(parts, context)
        }
        waiting = []
        (good, isWaiting) = (Int.random(in: 1...30, using: &plan.chance), false)
    }

    private func refused(from cut: Int) -> [UInt8] {
        for request in waiting[cut...] { plan.record.disown(request.path) }
        return waiting[..<cut].flatMap { answered($0) } + waiting[cut...].flatMap { Frame.reset($0.stream, 7) }
    }

    private func reset(from cut: Int) -> [UInt8] {
        for request in waiting[cut...] { act(on: request) }
        let code: UInt32 = [0, 1, 2, 5, 8, 11].randomElement(using: &plan.chance) ?? 8
        return waiting[..<cut].flatMap { answered($0) } + waiting[cut...].flatMap { Frame.reset($0.stream, code) }
    }

    private func wordy(_ request: Request) -> [UInt8] {
        act(on: request)
        let trailers: [UInt8] = [0x00, 1, UInt8(ascii: "t"), 1, UInt8(ascii: "v")]
        return Frame.answer(103, request.stream, isWhole: false)
            + Frame.answer(200, request.stream, id: request.id, body: [0x20], isWhole: false)
            + Frame.raw(1, flags: 5, stream: request.stream, trailers)
    }

    private func bigBody() -> [UInt8] {
        act()
        let long = [UInt8](repeating: 0x20, count: Int.random(in: 4200...16_000, using: &plan.chance))
        let last = waiting[waiting.count - 1]
        return waiting.dropLast().flatMap { Frame.reset($0.stream, 8) }
            + Frame.answer(200, last.stream, id: last.id, body: long)
    }

    /// The bytes sent before the connection ends: parts that come at once or one after the other; an empty one is the
    /// farewell of TLS.
    private func goodbye(_ misbehaviour: Misbehaviour, _ cut: Int) -> [[UInt8]] {
        let last = waiting[waiting.count - 1].stream
        switch misbehaviour {
        case .goAwayBelow:
            for request in waiting[(cut + 1)...] { plan.record.disown(request.path) }
            return [waiting[...cut].flatMap { answered($0) } + Frame.goAway(waiting[cut].stream), []]
        case .goAwayAt: return [waiting.flatMap { answered($0) }, Frame.goAway(last), []]
        case .drain: return [Frame.goAway(.max), waiting.flatMap { answered($0) }, Frame.goAway(last), []]
        case .goAwayAbove:
            let answers = waiting[..<cut].flatMap { answered($0) }
            for request in waiting[cut...] { act(on: request) }
            return [answers, Frame.goAway(.max), []]
        case .farewells:
            act()
            let resets = waiting.flatMap { Frame.reset($0.stream, 8) }
            return [resets, Frame.goAway(.max), []].shuffled(using: &plan.chance)
        case .emptyWindowUpdate:
            act()
            return [
                Frame.windowUpdate(0, stream: cut % 2 == 0 ? 0 : last), waiting.flatMap { Frame.reset($0.stream, 8) },
                [],
            ]
        case .badSettings:
            act()
            let settings = [
                Frame.raw(4, [0, 3, 0]), Frame.settings([(2, 7)]), Frame.settings([(4, .max)]),
                Frame.settings([(5, 1)]),
                Frame.raw(4, stream: last, []),
            ]
            return [settings.randomElement(using: &plan.chance) ?? [], []]
        case .badHPACK:
            act()
            return [Frame.raw(1, flags: 5, stream: last, [0x80, 0xff, 0xff, 0xff]), []]
        case .truncated:
            act()
            return [Array(Frame.answer(200, last, id: waiting[waiting.count - 1].id).dropLast(5)), []]
        case .cutAnswer:
            act()
            let status = cut % 2 == 0 ? 200 : 400
            let head = waiting.flatMap { Frame.answer(status, $0.stream, id: $0.id, isWhole: false) }
            return [head, []]
        case .refused, .reset, .bigBody, .gatewayTimeout, .stalled, .wordy, .unwilling: return []
        }
    }

    /// Says the parts, all in one breath or with gaps, and ends the connection after them.
    private func say(_ parts: [[UInt8]], _ context: ChannelHandlerContext) {
        let gap = Bool.random(using: &plan.chance) ? TimeAmount.milliseconds(3) : nil
        let isAbrupt = Bool.random(using: &plan.chance)
        // Where nothing may be left open, what was written must have left before the connection goes.
        let isPatient = !(plan.misbehaviour?.leavesDoubt ?? false)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let step: @Sendable () -> Void = {
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                let end: @Sendable () -> Void = { bound.value.0.end(isAbrupt: isAbrupt, bound.value.1) }
                if isPatient, index == parts.count - 2 {
                    let bytes = handler.wrapOutboundOut(ByteBuffer(bytes: part))
                    context.writeAndFlush(bytes).whenComplete { _ in
                        // A client that has its answers ends the connection itself before.
                        bound.value.1.eventLoop.scheduleTask(in: .seconds(60), end)
                    }
                } else if !part.isEmpty {
                    handler.send(part, context)
                } else if !isAbrupt, !isPatient {
                    context.close(promise: nil)
                }
                if isLast, !isPatient { end() }
            }
            if let gap { context.eventLoop.scheduleTask(in: gap * index, step) } else { step() }
        }
    }

    /// Ends the connection; abruptly: without the farewell of TLS.
    private func end(isAbrupt: Bool, _ context: ChannelHandlerContext) {
        if isAbrupt { try? context.pipeline.syncOperations.context(name: "tls").close(promise: nil) }
        context.close(promise: nil)
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }
}
