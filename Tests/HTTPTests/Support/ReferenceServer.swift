internal import CNghttp2

/// A server's side of a connection, framed by nghttp2, which checks everything that it is sent.
final class ReferenceServer {
    /// What came on one stream.
    struct Received {
        var fields: [String] = []
        var body: [UInt8] = []
    }

    private(set) var received: [Int32: Received] = [:]
    /// What nghttp2 has against its client.
    private(set) var complaints: [String] = []
    private var session: OpaquePointer?
    private var bodies: [Int32: ArraySlice<UInt8>] = [:]
    private let answer: (Int32) -> (status: Int, body: [UInt8])

    /// Starts with these settings; `answer` makes the answer to a stream.
    init(_ settings: [(UInt32, UInt32)], answer: @escaping (Int32) -> (status: Int, body: [UInt8])) {
        self.answer = answer
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
            // DATA or HEADERS with END_STREAM.
            if let head = frame?.pointee.hd, head.type <= 1, head.flags & 1 != 0 { of(me)?.submit(head.stream_id) }
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, me in
            of(me)?.complaints.append("frame of type \(frame?.pointee.hd.type ?? 255): \(code)")
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

    private func submit(_ stream: Int32) {
        let (status, body) = answer(stream)
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
