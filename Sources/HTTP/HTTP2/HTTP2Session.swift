internal import CNghttp2

/// The nghttp2 session of a connection: frames requests and reports the server's frames to the connection.
///
/// https://nghttp2.org/documentation/
@safe
final class HTTP2Session {
    private let pointer: OpaquePointer

    /// Starts a session whose events go to `connection`, which must outlive it.
    init(of connection: HTTP2Connection) throws(HTTP2Failure) {
        var callbacks: OpaquePointer?
        var session: OpaquePointer?
        // Freed below; the session copies them.
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0 else { throw Self.shortage }
        defer { unsafe nghttp2_session_callbacks_del(callbacks) }
        // C functions live forever.
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, hearHead)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, hearHeader)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, hearBody)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, hearFrame)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, hearEnd)
        unsafe nghttp2_session_callbacks_set_error_callback2(callbacks, hearError)
        // The caller guarantees that the connection lives longer.
        let context = unsafe Unmanaged.passUnretained(connection).toOpaque()
        guard unsafe nghttp2_session_client_new(&session, callbacks, context) == 0, let session = unsafe session else {
            throw Self.shortage
        }
        // Freed in deinit.
        unsafe pointer = session
        // By default a server may push; the other defaults are fine.
        var settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
        ]
        // One entry, read during the call.
        guard unsafe nghttp2_submit_settings(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), &settings, 1) == 0 else {
            throw Self.shortage
        }
    }

    deinit {
        // The only owner; it makes no callbacks while being freed.
        unsafe nghttp2_session_del(pointer)
    }

    private static var shortage: HTTP2Failure { HTTP2Failure(.internalFailure, "out of memory") }

    /// The number of concurrent requests that the server allows.
    var streams: Int {
        // The session lives as long as self.
        let streams = unsafe nghttp2_session_get_remote_settings(pointer, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        return Int(min(streams, UInt32(Int32.max)))
    }

    /// True when the session has ended: further input from the server is ignored.
    var hasEnded: Bool {
        // The session lives as long as self.
        unsafe nghttp2_session_want_read(pointer) == 0 && nghttp2_session_want_write(pointer) == 0
    }

    /// Queues a request and returns its stream; nil when no stream can be opened.
    func submit(_ request: HTTP2Request, authority: FixedText) -> Int32? {
        guard let headers = request.headers else { return nil }
        // The request keeps its texts and headers until it has ended, and its client keeps the request.
        let fields = unsafe headers.fields(authority: authority.bytes, path: request.path, own: request.own)
        let context = unsafe Unmanaged.passUnretained(request).toOpaque()
        let stream = unsafe cnghttp2_submit_request(pointer, fields.baseAddress, fields.count, giveBody, context)
        return stream > 0 ? stream : nil
    }

    /// Resets a stream; its request receives nothing more.
    func abandon(_ request: HTTP2Request) {
        // Fails only for a stream that has ended.
        _ = unsafe nghttp2_session_set_stream_user_data(pointer, request.stream, nil)
        _ = unsafe nghttp2_submit_rst_stream(
            pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), request.stream, NGHTTP2_CANCEL.rawValue)
    }

    /// Sends a PING to check that the server is alive.
    func ping() {
        // Without data; fails only when memory is short, and then the next one counts.
        _ = unsafe nghttp2_submit_ping(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    /// Processes the server's bytes; false when they are invalid.
    @unsafe
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Read during the call.
        unsafe nghttp2_session_mem_recv(
            pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) == bytes.count
    }

    /// The next frame to send, valid until the next call of this session; nil: none.
    @unsafe
    func nextFrame() -> UnsafeRawBufferPointer? {
        var bytes: UnsafePointer<UInt8>?
        // nghttp2 sets the address and returns the count.
        let count = unsafe nghttp2_session_mem_send(pointer, &bytes)
        return unsafe count > 0 ? UnsafeRawBufferPointer(start: bytes, count: count) : nil
    }
}

@available(*, unavailable, message: "a session belongs to the thread of its connection")
extension HTTP2Session: Sendable {}

/// The connection behind a session's context.
@unsafe
private func connection(_ context: UnsafeMutableRawPointer?) -> HTTP2Connection? {
    // Every context is a live connection: it frees its session before it is freed.
    unsafe context.map { unsafe Unmanaged<HTTP2Connection>.fromOpaque($0).takeUnretainedValue() }
}

/// The request of a stream; nil for an abandoned one and for the connection itself.
@unsafe
private func request(_ session: OpaquePointer?, _ stream: Int32) -> HTTP2Request? {
    // Set by `submit`; the client keeps every request alive.
    unsafe nghttp2_session_get_stream_user_data(session, stream)
        .map { unsafe Unmanaged<HTTP2Request>.fromOpaque($0).takeUnretainedValue() }
}

/// Supplies the next bytes of a request's body.
private let giveBody: nghttp2_data_source_read_callback = { session, stream, room, size, flags, _, context in
    // nghttp2 passes a buffer of `size` bytes, valid during the call.
    guard let connection = unsafe connection(context), let request = unsafe request(session, stream),
        connection.mayGive(request)
    else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    // Once a part was given, nothing can be taken back.
    if !request.isGiven { connection.framed.append(request) }
    let given = unsafe request.give(UnsafeMutableRawBufferPointer(start: room, count: size))
    if given.isLast { unsafe flags?.pointee = NGHTTP2_DATA_FLAG_EOF.rawValue }
    return given.count
}

/// The headers of an answer begin.
private let hearHead: nghttp2_on_begin_headers_callback = { session, frame, _ in
    // nghttp2 passes a frame.
    if let stream = unsafe frame?.pointee.hd.stream_id { unsafe request(session, stream)?.nextStatus = 0 }
    return 0
}

/// One header of an answer.
private let hearHeader: nghttp2_on_header_callback = { session, frame, name, nameSize, value, valueSize, _, _ in
    // nghttp2 passes a frame and two strings with their sizes, valid during the call.
    guard let stream = unsafe frame?.pointee.hd.stream_id, let request = unsafe request(session, stream) else {
        return 0
    }
    unsafe request.receive(
        name: UnsafeRawBufferPointer(start: name, count: nameSize),
        value: UnsafeRawBufferPointer(start: value, count: valueSize))
    return 0
}

/// A part of an answer's body.
private let hearBody: nghttp2_on_data_chunk_recv_callback = { session, _, stream, bytes, count, _ in
    // nghttp2 passes `count` bytes, valid during the call.
    unsafe request(session, stream)?.receive(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

/// A complete, valid frame from the server.
private let hearFrame: nghttp2_on_frame_recv_callback = { session, frame, context in
    // nghttp2 passes a frame, valid during the call.
    guard let frame = unsafe frame, let connection = unsafe connection(context) else { return 0 }
    let head = unsafe frame.pointee.hd
    switch UInt32(head.type) {
    case NGHTTP2_HEADERS.rawValue:
        // Only now are the headers complete and valid; trailers have no status.
        if let request = unsafe request(session, head.stream_id), request.nextStatus > 0 {
            request.status = request.nextStatus
        }
    case NGHTTP2_RST_STREAM.rawValue:
        guard unsafe cnghttp2_reset_code(frame) == NGHTTP2_REFUSED_STREAM.rawValue else { break }
        unsafe request(session, head.stream_id)?.isRefused = true
    case NGHTTP2_SETTINGS.rawValue:
        if head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { connection.hearSettings() }
    case NGHTTP2_GOAWAY.rawValue:
        let said = unsafe cnghttp2_goaway(frame).pointee
        let words = unsafe UnsafeRawBufferPointer(start: said.opaque_data, count: min(64, said.opaque_data_len))
        // Valid during the call.
        unsafe connection.hearGoAway(
            lastStream: said.last_stream_id, isError: said.error_code != NGHTTP2_NO_ERROR.rawValue,
            String(decoding: words, as: UTF8.self))
    default: break
    }
    return 0
}

private let hearEnd: nghttp2_on_stream_close_callback = { session, stream, code, context in
    // The contexts are ours.
    guard let connection = unsafe connection(context), let request = unsafe request(session, stream) else { return 0 }
    // Static text.
    unsafe connection.hearEnd(of: request, String(cString: nghttp2_http2_strerror(code)))
    return 0
}

/// A protocol error of the server.
private let hearError: nghttp2_error_callback2 = { _, _, text, count, context in
    // nghttp2 passes `count` bytes, valid during the call.
    guard let connection = unsafe connection(context) else { return 0 }
    unsafe connection.fault = String(
        decoding: UnsafeRawBufferPointer(start: text, count: min(count, 200)), as: UTF8.self)
    return 0
}

/// Headers shared by many requests, ready for framing; each request adds its path and one header of its own.
@safe
package final class HTTP2Headers {
    /// The name of the header that differs from request to request.
    let ownName: FixedText
    /// The fields to frame: `:method`, `:scheme`, `:authority`, `:path`, the shared ones, and the request's own.
    private let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    private let texts: [FixedText]

    /// Prepares headers given as names and values.
    ///
    /// - Parameters:
    ///   - headers: the headers that requests share.
    ///   - ownName: the name of the header that differs from request to request, in lower case.
    /// - Throws: `TransportError` with `refusedHeader` when a header cannot be sent unchanged.
    package init(_ headers: [(String, String)], ownName: String) throws(TransportError) {
        if let fault = Self.fault(in: headers) {
            throw TransportError(.refusedHeader, sent: .nothing, request: "POST", detail: fault)
        }
        let open = [(":method", "POST"), (":scheme", "https"), (":authority", ""), (":path", "")]
        let all = open + headers.map { ($0.0.lowercased(), $0.1) } + [(ownName, "")]
        let texts = all.map { (FixedText(Array($0.0.utf8)), FixedText(Array($0.1.utf8))) }
        self.texts = texts.flatMap { [$0.0, $0.1] }
        self.ownName = texts[texts.count - 1].0
        // Freed in deinit.
        unsafe fields = .allocate(capacity: all.count)
        for (index, text) in texts.enumerated() {
            // The texts live as long as this object.
            unsafe fields.initializeElement(
                at: index, to: Self.field(text.0.bytes, text.1.bytes, isIndexed: index < texts.count - 1))
        }
    }

    deinit {
        // The only owner; requests keep their headers until they have ended.
        unsafe fields.deallocate()
    }

    /// The reason a header cannot be sent; nil when all can.
    package static func fault(in headers: [(String, String)]) -> String? { HeaderList.fault(in: headers) }

    /// The fields of one request, valid until the next call; the memory they point to must live until they are framed.
    @unsafe
    func fields(
        authority: UnsafeMutableRawBufferPointer, path: UnsafeMutableRawBufferPointer,
        own: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableBufferPointer<nghttp2_nv> {
        // There are at least five.
        unsafe Self.set(&fields[2], authority)
        unsafe Self.set(&fields[3], path)
        unsafe Self.set(&fields[fields.count - 1], own)
        return unsafe fields
    }

    @unsafe
    private static func set(_ field: inout nghttp2_nv, _ value: UnsafeMutableRawBufferPointer) {
        // The caller guarantees validity.
        unsafe field.value = value.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe field.valuelen = value.count
    }

    /// A header field; `isIndexed` is true when it deserves an entry in the server's HPACK table.
    @unsafe
    private static func field(
        _ name: UnsafeMutableRawBufferPointer, _ value: UnsafeMutableRawBufferPointer, isIndexed: Bool
    ) -> nghttp2_nv {
        // nghttp2 reads both in place, and writes neither.
        let kept = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        return unsafe nghttp2_nv(
            name: name.baseAddress?.assumingMemoryBound(to: UInt8.self),
            value: value.baseAddress?.assumingMemoryBound(to: UInt8.self), namelen: name.count,
            valuelen: value.count,
            flags: UInt8(kept | (isIndexed ? 0 : NGHTTP2_NV_FLAG_NO_INDEX.rawValue)))
    }
}

@available(*, unavailable, message: "the headers belong to the thread of their client")
extension HTTP2Headers: Sendable {}
