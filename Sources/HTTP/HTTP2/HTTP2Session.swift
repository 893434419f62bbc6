internal import CNghttp2

/// The client's side of HTTP/2 on one connection (RFC 9113): frames requests, and reports what the server's frames say
/// of them.
///
/// Why it is not nghttp2's: docs/background/libcurl.md#connections-for-frames-of-our-own.
final class HTTP2Session {
    private unowned let connection: HTTP2Connection
    private var encoder: HeaderEncoder
    private let decoder: HeaderDecoder

    /// The requests that have not ended, by stream.
    private var requests: [Int32: HTTP2Request] = [:]
    /// Streams to open, in order; those of abandoned requests are skipped.
    private var waiting: [Int32] = []
    /// Streams whose body is to be continued, and whether one may be: a window has grown, or the output was full.
    private var stalled: [Int32] = []
    private var hasGrown = false
    /// The next stream, the last one that was opened, and the number of open ones.
    private var nextStream: Int32 = 1
    private var lastOpened: Int32 = 0
    private var open = 0

    /// Frames about the connection and about streams, to be sent before those of requests.
    private var control = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// The number of acknowledgements among them.
    private var acknowledgements = 0
    /// The beginning of a frame that has not arrived whole.
    private var input: [UInt8] = []
    /// A header block that is to be continued, and the number of frames it has.
    private var block: (stream: Int32, endsStream: Bool, bytes: [UInt8], frames: Int)?

    // What the server allows, until it says otherwise.
    /// The number of concurrent requests that the server allows.
    private(set) var streams = Int(Int32.max)
    private var initialWindow = HTTP2Session.standardWindow
    private var sendWindow = HTTP2Session.standardWindow
    /// The number of bytes that the server may send before it hears of it.
    private var receiveWindow = HTTP2Session.standardWindow

    /// True once the server's SETTINGS came.
    private var isGreeted = false
    /// True once the server has said GOAWAY, and once it broke the protocol.
    private var isLeaving = false
    private(set) var isBroken = false

    private static let standardWindow = 65535
    private static let largestWindow = Int(Int32.max)
    private static let largestFrame = 16384
    private static let headSize = 9
    // What the server may make us keep.
    private static let mostAcknowledgements = 1000
    private static let mostBlockBytes = 65536
    private static let mostBlockFrames = 16

    /// Starts a session whose events go to `connection`, which must outlive it.
    init(of connection: HTTP2Connection, authority: [UInt8]) throws(HTTP2Failure) {
        self.connection = connection
        encoder = HeaderEncoder(authority: authority)
        decoder = try HeaderDecoder()
        // By default a server may push; the other defaults are fine.
        Self.write(.settings, length: 6, stream: 0, to: &control)
        control.append(contentsOf: [0, 2, 0, 0, 0, 0])
    }

    /// True when the session has ended: further input from the server is ignored.
    var hasEnded: Bool { control.isEmpty && (isBroken || isLeaving && requests.isEmpty) }

    /// Queues a request and returns its stream; nil when no stream can be opened.
    func submit(_ request: HTTP2Request) -> Int32? {
        guard !isLeaving, !isBroken, nextStream < .max - 2 else { return nil }
        let stream = nextStream
        nextStream += 2
        request.stream = stream
        requests[stream] = request
        waiting.append(stream)
        return stream
    }

    /// Resets a stream; its request receives nothing more.
    func abandon(_ request: HTTP2Request) { reset(request, .cancel) }

    /// Sends a PING to check that the server is alive.
    func ping() {
        Self.write(.ping, length: 8, stream: 0, to: &control)
        control.append(contentsOf: repeatElement(0, count: 8))
    }
}

@available(*, unavailable, message: "a session belongs to the thread of its connection")
extension HTTP2Session: Sendable {}

extension HTTP2Session {
    /// The types of frames (RFC 9113, 6).
    fileprivate enum FrameType: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// The flags of frames (RFC 9113, 6).
    fileprivate enum Flag {
        static let acknowledges: UInt8 = 1
        static let endsStream: UInt8 = 1
        static let endsHeaders: UInt8 = 4
        static let isPadded: UInt8 = 8
        static let hasPriority: UInt8 = 0x20
    }

    /// The reasons to end a stream or a connection (RFC 9113, 7).
    fileprivate enum Code: UInt32 {
        case none = 0
        case protocolError = 1
        case flowControl = 3
        case streamClosed = 5
        case frameSize = 6
        case refusedStream = 7
        case cancel = 8
        case compression = 9
        case enhanceYourCalm = 11

        /// The code's name.
        static func text(_ code: UInt32) -> String {
            // Static text.
            unsafe String(cString: nghttp2_http2_strerror(code))
        }
    }
}

// MARK: - Sending

extension HTTP2Session {
    /// Appends the next frames, of requests up to `size` bytes: one that does not fit waits, or begins alone.
    func write(to output: inout [UInt8], size: Int) {
        flush(&output)
        guard !isBroken else { return }
        if hasGrown { resume(&output, size) }
        // What was reset makes room for others.
        flush(&output)
        var next = 0
        while next < waiting.count, open < streams, sendWindow > 0 {
            if let request = requests[waiting[next]] {
                let length = 2 * Self.headSize + request.path.count + request.own.count + request.body.count
                guard output.isEmpty || output.count + length + Self.commonLength <= size else { break }
                if connection.mayGive(request) { begin(request, &output, size) } else { drop(request, .cancel) }
            }
            next += 1
        }
        waiting.removeFirst(next)
    }

    private func flush(_ output: inout [UInt8]) {
        output.append(contentsOf: control)
        control.removeAll(keepingCapacity: true)
        acknowledgements = 0
    }

    /// More than the headers that requests share take once they stand in the server's table.
    private static let commonLength = 64

    /// Opens a request's stream.
    private func begin(_ request: HTTP2Request, _ output: inout [UInt8], _ size: Int) {
        guard let headers = request.headers else { return }
        let start = output.count
        let flags = request.body.isEmpty ? Flag.endsStream | Flag.endsHeaders : Flag.endsHeaders
        Self.write(.headers, flags: flags, length: 0, stream: request.stream, to: &output)
        encoder.write(request, headers, to: &output)
        let length = output.count - start - Self.headSize
        if length > Self.largestFrame {
            split(&output, from: start, flags, request.stream)
        } else {
            Self.write(length: length, to: &output, at: start)
        }
        request.isOpen = true
        request.sendWindow = initialWindow
        request.receiveWindow = Self.standardWindow
        lastOpened = request.stream
        open += 1
        if request.body.isEmpty { noteGiven(request) }
        give(request, &output, size)
    }

    /// Divides a HEADERS frame that is too large for the server.
    private func split(_ output: inout [UInt8], from start: Int, _ flags: UInt8, _ stream: Int32) {
        var block = output[(start + Self.headSize)...]
        output.removeSubrange(start...)
        var type = FrameType.headers
        while !block.isEmpty {
            let part = block.prefix(Self.largestFrame)
            block = block.dropFirst(part.count)
            let kept = type == .headers ? flags & ~Flag.endsHeaders : 0
            let flags = block.isEmpty ? kept | Flag.endsHeaders : kept
            Self.write(type, flags: flags, length: part.count, stream: stream, to: &output)
            output.append(contentsOf: part)
            type = .continuation
        }
    }

    /// Frames as much of a request's body as the windows and the output allow.
    private func give(_ request: HTTP2Request, _ output: inout [UInt8], _ size: Int) {
        while request.bodyOffset < request.body.count {
            let room = size - output.count - Self.headSize
            if room <= 0 { hasGrown = true }
            let allowed = min(Self.largestFrame, room, min(sendWindow, request.sendWindow))
            let count = min(request.body.count - request.bodyOffset, allowed)
            guard count > 0 else { return stalled.append(request.stream) }
            let end = request.bodyOffset + count
            Self.write(
                .data, flags: end == request.body.count ? Flag.endsStream : 0, length: count, stream: request.stream,
                to: &output)
            output.append(contentsOf: request.body[request.bodyOffset..<end])
            if !request.isGiven { noteGiven(request) }
            request.bodyOffset = end
            request.sendWindow -= count
            sendWindow -= count
        }
        if request.isAnswered { end(request, Code.none.rawValue) }
    }

    /// Once a part was given, nothing can be taken back.
    private func noteGiven(_ request: HTTP2Request) {
        request.isGiven = true
        connection.framed.append(request)
    }

    /// Continues bodies after a window has grown, or the output was full.
    private func resume(_ output: inout [UInt8], _ size: Int) {
        hasGrown = false
        let streams = stalled
        stalled.removeAll(keepingCapacity: true)
        for stream in streams {
            guard let request = requests[stream] else { continue }
            if connection.mayGive(request) { give(request, &output, size) } else { drop(request, .cancel) }
        }
    }

    /// Writes a frame's head (RFC 9113, 4.1).
    private static func write(
        _ type: FrameType, flags: UInt8 = 0, length: Int, stream: Int32, to output: inout [UInt8]
    ) {
        write(UInt32(length) << 8 | UInt32(type.rawValue), to: &output)
        output.append(flags)
        write(UInt32(stream), to: &output)
    }

    /// Sets the length of the frame that begins at `start`.
    private static func write(length: Int, to output: inout [UInt8], at start: Int) {
        for (place, shift) in [16, 8, 0].enumerated() {
            output[start + place] = UInt8(truncatingIfNeeded: length >> shift)
        }
    }

    private static func write(_ number: UInt32, to output: inout [UInt8]) {
        // Four bytes of the stack.
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe output.append(contentsOf: $0) }
    }
}

// MARK: - Ends of streams

extension HTTP2Session {
    /// Ends a request whose stream both sides have closed, or the server alone.
    private func end(_ request: HTTP2Request, _ code: UInt32) {
        forget(request)
        connection.hearEnd(of: request, Code.text(code))
    }

    private func forget(_ request: HTTP2Request) {
        guard requests.removeValue(forKey: request.stream) != nil else { return }
        if request.isOpen { open -= 1 }
    }

    /// Closes a stream; the caller ends its request.
    private func reset(_ request: HTTP2Request, _ code: Code) {
        forget(request)
        guard request.isOpen else { return }
        Self.write(.reset, length: 4, stream: request.stream, to: &control)
        Self.write(code.rawValue, to: &control)
    }

    /// Ends a request whose body is not wanted any more, or whose answer breaks the protocol.
    private func drop(_ request: HTTP2Request, _ code: Code) {
        reset(request, code)
        connection.hearEnd(of: request, Code.text(code.rawValue))
    }

    /// Ends the connection, because the server broke the protocol.
    private func refuse(_ code: Code, _ fault: String) {
        guard !isBroken else { return }
        isBroken = true
        connection.fault = fault
        Self.write(.goAway, length: 8, stream: 0, to: &control)
        Self.write(0, to: &control)
        Self.write(code.rawValue, to: &control)
    }
}

// MARK: - Receiving

extension HTTP2Session {
    /// Processes the server's bytes; false when it does not speak HTTP/2.
    @unsafe
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if input.isEmpty {
            let used = unsafe take(bytes)
            unsafe input.append(contentsOf: bytes[used...])
        } else {
            var whole: [UInt8] = []
            swap(&whole, &input)
            unsafe whole.append(contentsOf: bytes)
            // Valid during the call.
            let used = unsafe whole.withUnsafeBytes { unsafe take($0) }
            whole.removeFirst(used)
            input = whole
        }
        return isGreeted || !isBroken
    }

    /// Handles the whole frames among the bytes and returns the number of bytes that are done with.
    @unsafe
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        var offset = 0
        // All offsets are checked against the count.
        while !isBroken, bytes.count - offset >= Self.headSize {
            let head = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Self.headSize)])
            let length = unsafe Int(number(head, 0) >> 8)
            let (type, flags) = unsafe (FrameType(rawValue: head[3]), head[4])
            let stream = unsafe Int32(number(head, 5) & 0x7fff_ffff)
            if !isGreeted, type != .settings || flags & Flag.acknowledges != 0 {
                refuse(.protocolError, "the server does not begin with SETTINGS, as HTTP/2 does")
            } else if length > Self.largestFrame {
                refuse(.frameSize, "a frame of \(length) bytes")
            } else if bytes.count - offset - Self.headSize < length {
                return offset
            } else {
                let start = offset + Self.headSize
                offset = start + length
                unsafe take(type, flags, stream, UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
            }
        }
        return isBroken ? bytes.count : offset
    }

    /// The number in the four bytes at a place.
    @unsafe
    private func number(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        // The callers have checked the count.
        unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    /// Handles a frame.
    @unsafe
    private func take(_ type: FrameType?, _ flags: UInt8, _ stream: Int32, _ payload: UnsafeRawBufferPointer) {
        if block != nil, type != .continuation { return refuse(.protocolError, "a header block is interrupted") }
        switch type {
        case .data, .headers, .reset, .continuation:
            guard stream & 1 == 1, stream <= lastOpened else {
                return refuse(.protocolError, "a frame of stream \(stream), which was not opened")
            }
        case .settings, .ping, .goAway:
            guard stream == 0 else { return refuse(.protocolError, "a frame of stream \(stream) that concerns none") }
        case .windowUpdate, .priority, .pushPromise, nil: break
        }
        switch type {
        case .data: unsafe takeData(flags, stream, payload)
        case .headers: unsafe takeHeaders(flags, stream, payload)
        case .continuation: unsafe takeContinuation(flags, stream, payload)
        case .reset:
            guard payload.count == 4 else { return refuse(.frameSize, "RST_STREAM of \(payload.count) bytes") }
            guard let request = requests[stream] else { return }
            let code = unsafe number(payload, 0)
            if code == Code.refusedStream.rawValue { request.isRefused = true }
            end(request, code)
        case .settings: unsafe takeSettings(flags, payload)
        case .ping:
            guard payload.count == 8 else { return refuse(.frameSize, "PING of \(payload.count) bytes") }
            if flags & Flag.acknowledges == 0 { unsafe acknowledge(.ping, payload) }
        case .goAway: unsafe takeGoAway(payload)
        case .windowUpdate: unsafe takeWindowUpdate(stream, payload)
        case .pushPromise: refuse(.protocolError, "PUSH_PROMISE, which is off")
        case .priority, nil: break
        }
    }

    @unsafe
    private func takeSettings(_ flags: UInt8, _ payload: UnsafeRawBufferPointer) {
        let isAnswer = flags & Flag.acknowledges != 0
        guard payload.count % 6 == 0, unsafe !isAnswer || payload.isEmpty else {
            return refuse(.frameSize, "SETTINGS of \(payload.count) bytes")
        }
        if isAnswer { return }
        var window = initialWindow
        for place in stride(from: 0, to: payload.count, by: 6) {
            // Within the payload, whose size is a multiple.
            let name = unsafe Int(payload[place]) << 8 | Int(payload[place + 1])
            let value = unsafe Int(number(payload, place + 2))
            switch name {
            case 1: encoder.setLimit(value)
            case 2 where value != 0: return refuse(.protocolError, "a server that would be pushed to")
            case 3: streams = min(value, Self.largestWindow)
            case 4:
                guard value <= Self.largestWindow else { return refuse(.flowControl, "a window of \(value) bytes") }
                window = value
            case 5:
                // Larger frames than before may be written, and are no use.
                guard 16384...16_777_215 ~= value else { return refuse(.protocolError, "frames of \(value) bytes") }
            case _: break
            }
        }
        for request in requests.values where request.isOpen && window != initialWindow {
            request.sendWindow += window - initialWindow
            if request.sendWindow > Self.largestWindow { return refuse(.flowControl, "a window of too many bytes") }
        }
        hasGrown = true
        initialWindow = window
        unsafe acknowledge(.settings, UnsafeRawBufferPointer(start: nil, count: 0))
        isGreeted = true
        connection.hearSettings()
    }

    /// Acknowledges a frame, while the server reads what it asks for.
    @unsafe
    private func acknowledge(_ type: FrameType, _ payload: UnsafeRawBufferPointer) {
        acknowledgements += 1
        guard acknowledgements <= Self.mostAcknowledgements else {
            return refuse(.enhanceYourCalm, "the server does not read what it asks for")
        }
        Self.write(type, flags: Flag.acknowledges, length: payload.count, stream: 0, to: &control)
        unsafe control.append(contentsOf: payload)
    }

    @unsafe
    private func takeGoAway(_ payload: UnsafeRawBufferPointer) {
        guard payload.count >= 8 else { return refuse(.frameSize, "GOAWAY of \(payload.count) bytes") }
        let lastStream = unsafe Int32(number(payload, 0) & 0x7fff_ffff)
        let isError = unsafe (number(payload, 4)) != Code.none.rawValue
        let words = unsafe String(decoding: payload.dropFirst(8).prefix(64), as: UTF8.self)
        isLeaving = true
        connection.hearGoAway(lastStream: lastStream, isError: isError, words)
        for request in requests.values where request.stream > lastStream || !request.isOpen {
            end(request, Code.refusedStream.rawValue)
        }
    }

    @unsafe
    private func takeWindowUpdate(_ stream: Int32, _ payload: UnsafeRawBufferPointer) {
        guard payload.count == 4 else { return refuse(.frameSize, "WINDOW_UPDATE of \(payload.count) bytes") }
        let more = unsafe Int(number(payload, 0) & 0x7fff_ffff)
        hasGrown = true
        if stream == 0 {
            sendWindow += more
            guard more == 0 || sendWindow > Self.largestWindow else { return }
            refuse(more == 0 ? .protocolError : .flowControl, "WINDOW_UPDATE of \(more) bytes")
        } else if stream & 1 == 0 || stream > lastOpened {
            refuse(.protocolError, "WINDOW_UPDATE of stream \(stream), which was not opened")
        } else if let request = requests[stream] {
            request.sendWindow += more
            if more == 0 { return drop(request, .protocolError) }
            if request.sendWindow > Self.largestWindow { drop(request, .flowControl) }
        }
    }

    /// A payload without its padding; nil when there is more of that than of anything.
    @unsafe
    private func unpadded(_ flags: UInt8, _ payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard flags & Flag.isPadded != 0 else { return unsafe payload }
        // Within the payload.
        guard let padding = unsafe payload.first.map(Int.init), padding < payload.count else {
            refuse(.protocolError, "more padding than there is room for")
            return nil
        }
        return unsafe UnsafeRawBufferPointer(rebasing: payload[1..<(payload.count - padding)])
    }

    @unsafe
    private func takeData(_ flags: UInt8, _ stream: Int32, _ payload: UnsafeRawBufferPointer) {
        // More than half of a window is always left, and no frame takes so much.
        receiveWindow -= payload.count
        if receiveWindow <= Self.standardWindow / 2 { grow(&receiveWindow, stream: 0) }
        guard let content = unsafe unpadded(flags, payload), let request = requests[stream] else { return }
        request.receiveWindow -= payload.count
        if request.isAnswered { return drop(request, .streamClosed) }
        if request.status < 200 { return drop(request, .protocolError) }
        unsafe request.receive(content)
        if flags & Flag.endsStream != 0 {
            finish(request)
        } else if request.receiveWindow <= Self.standardWindow / 2 {
            grow(&request.receiveWindow, stream: stream)
        }
    }

    /// Lets the server send as much as at first.
    private func grow(_ window: inout Int, stream: Int32) {
        Self.write(.windowUpdate, length: 4, stream: stream, to: &control)
        Self.write(UInt32(Self.standardWindow - window), to: &control)
        window = Self.standardWindow
    }

    /// Handles the end of an answer.
    private func finish(_ request: HTTP2Request) {
        request.isAnswered = true
        if request.bodyOffset == request.body.count { end(request, Code.none.rawValue) }
    }

    @unsafe
    private func takeHeaders(_ flags: UInt8, _ stream: Int32, _ payload: UnsafeRawBufferPointer) {
        guard var bytes = unsafe unpadded(flags, payload) else { return }
        if flags & Flag.hasPriority != 0 {
            guard bytes.count >= 5 else { return refuse(.frameSize, "HEADERS of \(payload.count) bytes") }
            unsafe bytes = UnsafeRawBufferPointer(rebasing: bytes[5...])
        }
        let endsStream = flags & Flag.endsStream != 0
        if flags & Flag.endsHeaders != 0 { return unsafe takeBlock(stream, endsStream, bytes) }
        unsafe block = (stream, endsStream, Array(bytes), 1)
    }

    @unsafe
    private func takeContinuation(_ flags: UInt8, _ stream: Int32, _ payload: UnsafeRawBufferPointer) {
        guard var block, block.stream == stream else { return refuse(.protocolError, "CONTINUATION of nothing") }
        self.block = nil
        unsafe block.bytes.append(contentsOf: payload)
        block.frames += 1
        guard block.bytes.count <= Self.mostBlockBytes, block.frames <= Self.mostBlockFrames else {
            return refuse(.enhanceYourCalm, "the headers of an answer do not end")
        }
        guard flags & Flag.endsHeaders != 0 else { return self.block = block }
        // Valid during the call.
        unsafe block.bytes.withUnsafeBytes { unsafe takeBlock(stream, block.endsStream, $0) }
    }

    /// Handles the headers of an answer; those of an abandoned request are read too, for the table's sake.
    @unsafe
    private func takeBlock(_ stream: Int32, _ endsStream: Bool, _ bytes: UnsafeRawBufferPointer) {
        let request = requests[stream]
        let isHead = request.map { $0.status < 200 } ?? false
        if isHead { request?.echo = .absent }
        var head = AnswerHead()
        let isRead = unsafe decoder.decode(bytes) { name, value in
            unsafe head.take(name, value)
            if isHead { unsafe request?.receive(name: name, value: value) }
        }
        guard isRead else { return refuse(.compression, "headers that cannot be decompressed") }
        guard let request else { return }
        if request.isAnswered { return drop(request, .streamClosed) }
        guard head.isValid(after: request.status, endsStream: endsStream) else {
            return drop(request, .protocolError)
        }
        // Trailers have no status.
        if let status = head.status { request.status = status }
        if endsStream { finish(request) }
    }
}
