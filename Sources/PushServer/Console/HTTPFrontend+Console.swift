internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

extension HTTPFrontend {
    /// Handles a request for the console; its forms are small, and injected faults do not apply to it.
    @concurrent func respondConsole(
        _ exchange: Exchange, _ target: RequestTarget, _ reader: BodyReader, _ record: inout RequestRecord,
        _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        let body: [UInt8]
        switch try await self.body(reader, of: exchange, upTo: Console.bodyLimit, writer, channel) {
        case .read(let bytes, _): body = bytes
        case .refused(let error):
            record.status = error.status
            try await write(.text(error.status, error.message), to: writer, isHead: false, closes: true)
            try? await drain(reader)
            return try await channel.close()
        }
        var headers: [String: String] = [:]
        for field in exchange.headers where headers[field.name.canonicalName] == nil {
            headers[field.name.canonicalName] = field.value
        }
        // HTTPTypes keeps the host apart from the headers, and cookies from several headers separate.
        headers["host"] = exchange.authority
        headers["cookie"] = exchange.headers[values: .cookie].joined(separator: "; ")
        let response = await console.respond(
            WebRequest(
                method: exchange.method, path: target.path, query: target.query, headers: headers, body: body,
                remoteAddress: exchange.client.text, isSecure: exchange.client.isSecure))
        record.status = response.status
        record.bytes = response.bytes?.count ?? 0
        if case .events(let stream) = response.body {
            // Nothing reads from this connection meanwhile: only its close tells that the browser has gone.
            channel.closeFuture.whenComplete { _ in stream.end() }
        }
        try await write(response, to: writer, isHead: exchange.method == "HEAD", closes: false)
    }

    @concurrent private func write(
        _ response: WebResponse, to writer: consuming ResponseWriter, isHead: Bool, closes: Bool
    ) async throws {
        var head = HTTPResponse(status: .init(code: response.status))
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        head.headerFields[.date] = api.clock.httpDate
        if closes { head.headerFields[.connection] = "close" }
        switch response.body {
        case .bytes(let bytes):
            if response.status != 304 { head.headerFields[.contentLength] = String(bytes.count) }
            try await writer.write(
                response: head, body: isHead || bytes.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: bytes)))
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

extension WebResponse {
    /// The bytes of a response that is not streamed.
    fileprivate var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { return bytes }
        return nil
    }
}
