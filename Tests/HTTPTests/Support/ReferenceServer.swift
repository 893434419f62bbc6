internal import CNghttp2

/// A server's side of a connection, framed by nghttp2, which checks everything that it is sent.
final class ReferenceServer {
    /// What came on one stream.
    struct Received {
        var fields: [String] = []
        var body: [UInt8] = []
    }

    /// What it does about a stream of which something came.
    enum Reaction {
        case wait
        case answer(status: Int, body: [UInt8])
        case reset(nghttp2_error_code)
    }

    private(set) var received: [Int32: Received] = [:]
    /// The statuses that it answered.
    private(set) var answered: [Int32: Int] = [:]
    /// The streams on which it did not act, and said so.
    private(set) var refused: Set<Int32> = []
    /// The last stream on which it acts; nil: it has not said so.
    private(set) var last: Int32?
    /// What nghttp2 has against its client.
    private(set) var complaints: [String] = []
    private var session: OpaquePointer?
    private var bodies: [Int32: ArraySlice<UInt8>] = [:]
    private var reset: Set<Int32> = []
    private let react: (_ stream: Int32, _ isWhole: Bool) -> Reaction

    /// Starts with these settings; `react` is asked after each frame of a stream that is neither answered nor reset.
    init(_ settings: [(UInt32, UInt32)], react: @escaping (_ stream: Int32, _ isWhole: Bool) -> Reaction) {
        self.react = react
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameSize, value, valueSize, _, me in
            guard let stream = frame?.pointee.hd.stream_id else { return 0 }
            let field = [(name, nameSize), (value, valueSize)].map {
                String(decoding: UnsafeBufferPointer(start: $0.0, count: $0.1), as: UTF8.self)
            }
            of(me)?.received[stream, default: Received()].fields.append(field.joined(separator: ": "))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, me in
            of(me)?.received[stream]?.body += UnsafeBufferPointer(start: bytes, count: count)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, me in
            // DATA or HEADERS; END_STREAM.
            if let head = frame?.pointee.hd, head.type <= 1 {
                of(me)?.see(head.stream_id, isWhole: head.flags & 1 != 0)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, me in
            if code == NGHTTP2_ERR_REFUSED_STREAM.rawValue, let stream = frame?.pointee.hd.stream_id {
                of(me)?.refused.insert(stream)
            } else {
                of(me)?.complaints.append("frame of type \(frame?.pointee.hd.type ?? 255): \(code)")
            }
            return 0
        }
        nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, text, count, me in
            of(me)?.complaints.append(
                String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self))
            return 0
        }
        nghttp2_session_server_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
        change(settings)
    }

    /// Announces other settings.
    func change(_ settings: [(UInt32, UInt32)]) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0), value: $0.1) }
        nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    deinit { nghttp2_session_del(session) }

    /// Says that it acts on no stream after this one.
    func leave(after stream: Int32) {
        last = stream
        nghttp2_submit_goaway(session, 0, stream, 0, nil, 0)
    }

    private func see(_ stream: Int32, isWhole: Bool) {
        guard answered[stream] == nil, !reset.contains(stream) else { return }
        switch react(stream, isWhole) {
        case .wait: break
        case .answer(let status, let body): answer(stream, status, body)
        case .reset(let code):
            reset.insert(stream)
            if code == NGHTTP2_REFUSED_STREAM { refused.insert(stream) }
            nghttp2_submit_rst_stream(session, 0, stream, code.rawValue)
        }
    }

    private func answer(_ stream: Int32, _ status: Int, _ body: [UInt8]) {
        answered[stream] = status
        bodies[stream] = body[...]
        var source = nghttp2_data_provider()
        source.read_callback = { _, stream, room, size, flags, _, me in
            guard let body = of(me)?.bodies[stream] else { return 0 }
            _ = UnsafeMutableBufferPointer(start: room, count: size).update(fromContentsOf: body.prefix(size))
            of(me)?.bodies[stream] = body.dropFirst(size)
            if body.count <= size { flags?.pointee = NGHTTP2_DATA_FLAG_EOF.rawValue }
            return min(size, body.count)
        }
        var texts = [":status", "\(status)", "apns-id", "\(stream)"].map { Array($0.utf8) }
        // nghttp2 copies them.
        texts.withUnsafeMutableBufferPointer { texts in
            let fields = [0, 2].map { place in
                nghttp2_nv(
                    name: texts[place].withUnsafeMutableBufferPointer(\.baseAddress),
                    value: texts[place + 1].withUnsafeMutableBufferPointer(\.baseAddress),
                    namelen: texts[place].count, valuelen: texts[place + 1].count, flags: 0)
            }
            nghttp2_submit_response(session, stream, fields, fields.count, &source)
        }
    }

    /// Takes what the client sends.
    func receive(_ bytes: [UInt8]) {
        let count = nghttp2_session_mem_recv(session, bytes, bytes.count)
        if count != bytes.count { complaints.append("mem_recv: \(count)") }
    }

    /// What it sends.
    func write() -> [UInt8] {
        var output: [UInt8] = []
        var frame: UnsafePointer<UInt8>?
        while case let count = nghttp2_session_mem_send(session, &frame), count > 0 {
            output += UnsafeBufferPointer(start: frame, count: count)
        }
        return output
    }
}

/// The server behind a session's context.
private func of(_ context: UnsafeMutableRawPointer?) -> ReferenceServer? {
    context.map { Unmanaged<ReferenceServer>.fromOpaque($0).takeUnretainedValue() }
}
