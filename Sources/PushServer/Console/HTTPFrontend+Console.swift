internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

extension HTTPFrontend {
    /// Answers a request for the console; its forms are small, and faults do not strike it.
    @concurrent func respondConsole(
        _ request: Request, _ target: RequestTarget, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        var request = request
        let body: ByteBuffer
        do {
            body = try await request.collectBody(upTo: Console.bodyLimit)
        } catch is NIOTooManyBytesError {
            try await write(.text(413, "The form is too large."), to: writer, isHead: false)
            return try await channel.close()
        }
        var headers: [String: String] = [:]
        for field in request.headers where headers[field.name.canonicalName] == nil {
            headers[field.name.canonicalName] = field.value
        }
        // HTTPTypes keeps the host beside the headers, and cookies that came in several headers apart.
        headers["host"] = request.head.authority
        headers["cookie"] = request.headers[values: .cookie].joined(separator: "; ")
        let response = await console.respond(
            WebRequest(
                method: request.method.rawValue, path: target.path, query: target.query, headers: headers,
                body: Array(body.readableBytesView), remoteAddress: channel.remoteAddress?.ipAddress ?? "",
                isSecure: headers["x-forwarded-proto"] == "https"))
        if case .events(let stream) = response.body {
            // Nothing is read from this connection meanwhile: only its end tells that the browser has gone.
            channel.closeFuture.whenComplete { _ in stream.end() }
        }
        try await write(response, to: writer, isHead: request.method == .head)
    }

    @concurrent private func write(
        _ response: WebResponse, to writer: consuming ResponseWriter, isHead: Bool
    ) async throws {
        var head = HTTPResponse(status: .init(code: response.status))
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        head.headerFields[.date] = api.clock.now.httpDate
        switch response.body {
        case .bytes(let bytes):
            if response.status != 304 { head.headerFields[.contentLength] = String(bytes.count) }
            try await writer.write(response: head, body: isHead ? .init() : .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .events(let stream) where isHead:
            stream.end()
            try await writer.write(response: head, body: .init())
        case .events(let stream):
            defer { stream.end() }
            var body = try await writer.writeHead(head)
            for await chunk in stream.chunks { try await body.write(ByteBuffer(bytes: chunk)) }
            try await body.finish(nil)
        }
    }
}
