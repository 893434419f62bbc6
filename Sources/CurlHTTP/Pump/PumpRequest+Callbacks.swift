internal import CCurl

extension PumpRequest {
    /// Hands libcurl the functions that it calls, with this object as their context.
    func setCallbacks() throws(LibcurlFailure) {
        // Not retained: the handle is this object's own and is freed with it.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        // The functions below, which take the context that is set beside them.
        try unsafe handle.set(CURLOPT_WRITEFUNCTION, transfer: receiveAnswer)
        try unsafe handle.set(CURLOPT_HEADERFUNCTION, transfer: receiveLine)
        try unsafe handle.set(CURLOPT_READFUNCTION, transfer: giveBody)
        try unsafe handle.set(CURLOPT_SEEKFUNCTION, seek: refuseRewinding)
        try unsafe handle.set(CURLOPT_PREREQFUNCTION, prerequest: beginOnConnection)
        try unsafe handle.set(CURLOPT_DEBUGFUNCTION, debug: hearText)
        try unsafe handle.set(CURLOPT_SOCKOPTFUNCTION, socket: noteOpened)
        try unsafe handle.set(CURLOPT_CLOSESOCKETFUNCTION, closing: noteClosed)
        for option in [
            CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
            CURLOPT_DEBUGDATA, CURLOPT_PRIVATE,
        ] {
            // Valid for as long as the handle, see above.
            try unsafe handle.set(option, pointer: context)
        }
    }

    /// Says whose sockets are opened and closed for this request.
    func bind(to connection: PumpConnection) throws(LibcurlFailure) {
        // The connection frees its multi handle, and every socket with it, before it goes itself.
        let context = unsafe Unmanaged.passUnretained(connection).toOpaque()
        try unsafe handle.set(CURLOPT_SOCKOPTDATA, pointer: context)
        try unsafe handle.set(CURLOPT_CLOSESOCKETDATA, pointer: context)
        self.connection = connection
    }

    /// The request behind a callback's context.
    @unsafe
    static func from(_ context: UnsafeMutableRawPointer?) -> PumpRequest? {
        // Every context is a live request: `setCallbacks`.
        unsafe context.map { unsafe Unmanaged<PumpRequest>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether the request may be sent on the connection that has this local port.
    fileprivate func mayBegin(localPort: Int) -> Bool {
        guard let connection, !lacksHTTP2, !isBodyGiven, connection.begins(self, localPort: localPort) else {
            return false
        }
        hasBegun = true
        // Without a body the head is the whole request.
        isBodyGiven = body.isEmpty
        return true
    }

    /// Copies the next bytes of the body.
    @unsafe
    fileprivate func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, body.count - bodyOffset)
        guard count > 0 else { return 0 }
        isBodyGiven = true
        // Within the body and the room, see above.
        unsafe body.withUnsafeBytes { bytes in
            unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[bodyOffset..<(bodyOffset + count)]))
        }
        bodyOffset += count
        // From here on what libcurl says tells a refused stream from a lost connection; a failure leaves it in doubt.
        if bodyOffset == body.count { try? handle.set(CURLOPT_VERBOSE, 1) }
        return count
    }

    /// Hears a line of what libcurl says it does.
    @unsafe
    fileprivate func hear(_ text: UnsafeRawBufferPointer) {
        guard let connection else { return }
        // Compared within its length.
        if unsafe text.starts(with: "Connection died, retrying".utf8)
            || text.starts(with: "REFUSED_STREAM, retrying".utf8)
        {
            guard !isRetryAnnounced else { return }
            isRetryAnnounced = true
            connection.interrupt(self)
        } else if unsafe text.starts(with: "recveived GOAWAY".utf8) || text.starts(with: "received GOAWAY".utf8) {
            connection.isLeaving = true
            connection.hasSaidGoAway = true
        } else if unsafe text.starts(with: "TLSv1".utf8) {
            let line = unsafe String(decoding: text, as: UTF8.self)
            if line.contains("(IN)") && line.contains("close notify") { connection.isPeerGone = true }
        } else if unsafe text.starts(with: "ALPN".utf8), connection.isOpening {
            let line = unsafe String(decoding: text, as: UTF8.self)
            if line.contains("did not agree") || line.contains("accepted http/1") { lacksHTTP2 = true }
        }
    }

    /// Takes a line of the answer's head.
    @unsafe
    fileprivate func receive(line: UnsafeRawBufferPointer) {
        // "HTTP/2 200"; looked at within its length.
        if line.count >= 10, unsafe line[0] == 0x48, unsafe line[5] == 0x32, unsafe line[6] == 0x20,
            unsafe line.starts(with: "HTTP/".utf8)
        {
            status = 0
            for index in 7...9 {
                let digit = unsafe Int(line[index]) - 0x30
                guard (0...9).contains(digit) else { return }
                status = status * 10 + digit
            }
        } else if unsafe own.hasName(of: line) {
            // As above.
            echo = unsafe own.hasValue(of: line) ? .same : .other
        }
    }
}

/// `CURLOPT_WRITEFUNCTION`: bytes of the answer's body.
private let receiveAnswer: curl_write_callback = { bytes, _, count, context in
    // libcurl gives `count` bytes, valid during the call.
    guard let request = unsafe PumpRequest.from(context), let bytes = unsafe bytes else { return 0 }
    let room = PumpRequest.maximumAnswer - request.answer.count
    let kept = unsafe UnsafeRawBufferPointer(start: bytes, count: max(0, min(count, room)))
    unsafe request.answer.append(contentsOf: kept)
    return count
}

/// `CURLOPT_HEADERFUNCTION`: one whole line of the answer's head.
private let receiveLine: curl_write_callback = { bytes, size, count, context in
    // libcurl gives `size * count` bytes, valid during the call.
    guard let request = unsafe PumpRequest.from(context), let bytes = unsafe bytes else { return 0 }
    unsafe request.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

/// `CURLOPT_READFUNCTION`: up to `size * count` bytes of the request's body.
private let giveBody: curl_read_callback = { bytes, size, count, context in
    // libcurl offers `size * count` bytes of room, valid during the call.
    guard let request = unsafe PumpRequest.from(context), let bytes = unsafe bytes else { return 0 }
    return unsafe request.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

/// `CURLOPT_SEEKFUNCTION`: libcurl is about to send the body again, which never happens.
private let refuseRewinding: curl_seek_callback = { _, _, _ in CURL_SEEKFUNC_FAIL }

/// `CURLOPT_PREREQFUNCTION`: there is a connection and the request is about to be sent on it.
private let beginOnConnection: curl_prereq_callback = { context, _, _, _, localPort in
    // The context is ours.
    guard let request = unsafe PumpRequest.from(context) else { return CURL_PREREQFUNC_ABORT }
    return request.mayBegin(localPort: Int(localPort)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// `CURLOPT_DEBUGFUNCTION`: what libcurl says, sends and receives; only the first is looked at.
private let hearText: curl_debug_callback = { _, kind, bytes, count, context in
    // libcurl gives `count` bytes, valid during the call.
    guard kind == CURLINFO_TEXT, let request = unsafe PumpRequest.from(context), let bytes = unsafe bytes else {
        return 0
    }
    unsafe request.hear(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

/// `CURLOPT_SOCKOPTFUNCTION`: a socket was made for a connection.
private let noteOpened: curl_sockopt_callback = { context, descriptor, _ in
    // The context is ours.
    guard let connection = unsafe PumpConnection.from(context), connection.opened(descriptor) else {
        return CURL_SOCKOPT_ERROR
    }
    return CURL_SOCKOPT_OK
}

/// `CURLOPT_CLOSESOCKETFUNCTION`: a socket is to be closed.
private let noteClosed: curl_closesocket_callback = { context, descriptor in
    // The context is ours.
    if let connection = unsafe PumpConnection.from(context) { connection.closed(descriptor) }
    return Platform.close(descriptor)
}
