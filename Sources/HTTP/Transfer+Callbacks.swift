internal import CCurl

extension Transfer {
    /// Sets libcurl's callbacks, with this object as their context.
    func setCallbacks() throws(LibcurlFailure) {
        // Not retained: the handle belongs to this object and is freed with it.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        // The functions below, which take the context that is set with them.
        try unsafe handle.set(CURLOPT_WRITEFUNCTION, transfer: receiveBody)
        try unsafe handle.set(CURLOPT_HEADERFUNCTION, transfer: receiveHeader)
        try unsafe handle.set(CURLOPT_READFUNCTION, transfer: provideBody)
        try unsafe handle.set(CURLOPT_SEEKFUNCTION, seek: rewindBody)
        try unsafe handle.set(CURLOPT_PREREQFUNCTION, prerequest: beginAttempt)
        try unsafe handle.set(CURLOPT_SOCKOPTFUNCTION, socket: noteSocket)
        for option in [
            CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
            CURLOPT_SOCKOPTDATA, CURLOPT_PRIVATE,
        ] {
            // Valid for as long as the handle, see above.
            try unsafe handle.set(option, pointer: context)
        }
    }

    /// The transfer behind a callback's context.
    @unsafe
    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        // Every context is a live transfer: `setCallbacks`.
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// True when an attempt may begin on the connection with this local port.
    ///
    /// libcurl calls this for the first attempt and again for each retry: when a kept connection dies before the first
    /// byte of the answer, and after REFUSED_STREAM, GOAWAY and HTTP_1_1_REQUIRED. A `once` request is never begun
    /// twice; without a body this is what prevents it, since there is nothing to rewind. Nor is one sent on a
    /// connection that the server has closed: libcurl 7.88 overlooks that while a TLS record, such as the closing one,
    /// is still to be read, and the outcome would be unknown. Nor is any request sent after its `notAfter`.
    fileprivate func mayBeginAttempt(localPort: Int) -> Bool {
        if let last = job?.request.notAfter, last < .now {
            isTooLate = true
            return false
        }
        if job?.request.repetition == .once {
            if hasBegunSending {
                hasRefusedRepetition = true
                return false
            }
            if sockets.hasPeerClosed(localPort: localPort) {
                isOnClosedConnection = true
                return false
            }
        }
        hasBegunSending = true
        // Bytes fetched but not sent are lost to libcurl, which seeks only after a byte has left.
        bodyOffset = 0
        return true
    }

    /// Copies the next bytes of the request's body.
    fileprivate func provide(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = job?.request.body else { return 0 }
        let next = body[min(bodyOffset, body.count)...].prefix(room.count)
        // No longer than the room.
        unsafe room.copyBytes(from: next)
        bodyOffset += next.count
        return next.count
    }

    /// Rewinds the body, unless the request must be sent only once.
    fileprivate func rewind(to offset: Int) -> Bool {
        guard let request = job?.request, request.repetition == .repeatable, offset <= request.body?.count ?? 0 else {
            hasRefusedRepetition = true
            return false
        }
        bodyOffset = offset
        return true
    }
}

/// `CURLOPT_WRITEFUNCTION`: bytes of the answer's body; returning anything but their number ends the transfer.
private let receiveBody: curl_write_callback = { bytes, _, count, context in
    // libcurl passes `count` bytes, valid during the call.
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe transfer.answer.append(body: part) ? count : 0
}

/// `CURLOPT_HEADERFUNCTION`: one whole header line of the answer; returning anything but its length ends the transfer.
private let receiveHeader: curl_write_callback = { bytes, size, count, context in
    // libcurl passes `size * count` bytes, valid during the call.
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.answer.append(headLine: line) ? size * count : 0
}

/// `CURLOPT_READFUNCTION`: up to `size * count` bytes of the request's body.
private let provideBody: curl_read_callback = { bytes, size, count, context in
    // libcurl provides a buffer of `size * count` bytes, valid during the call.
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    return unsafe transfer.provide(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

/// `CURLOPT_SEEKFUNCTION`: libcurl is about to send the body again.
private let rewindBody: curl_seek_callback = { context, offset, origin in
    // The context is ours; 0 is SEEK_SET.
    guard let transfer = unsafe Transfer.from(context), origin == 0 else { return CURL_SEEKFUNC_FAIL }
    return transfer.rewind(to: Int(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

/// `CURLOPT_PREREQFUNCTION`: the connection is ready and the request is about to be sent on it.
private let beginAttempt: curl_prereq_callback = { context, _, _, _, localPort in
    // The context is ours.
    guard let transfer = unsafe Transfer.from(context) else { return CURL_PREREQFUNC_ABORT }
    return transfer.mayBeginAttempt(localPort: Int(localPort)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// `CURLOPT_SOCKOPTFUNCTION`: a socket was made for a connection.
private let noteSocket: curl_sockopt_callback = { context, descriptor, _ in
    // The context is ours.
    if let transfer = unsafe Transfer.from(context) { transfer.sockets.insert(descriptor) }
    return CURL_SOCKOPT_OK
}
