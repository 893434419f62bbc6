internal import DeviceRegistry
internal import HTTPTypes
internal import HummingbirdCore
internal import JSONValue
internal import Logging
internal import NIOCore
internal import Synchronization

/// Turns HTTP requests into calls of the API and their answers back; faults strike here.
struct HTTPFrontend: Sendable {
    let api: API
    let console: Console
    let credentials: Credentials
    let observer: RequestObserver?
    private let counter = RequestCounter()

    /// A body may have this many bytes. Source: leancloud.md section 2.5 ("Body ≤ 20 MB").
    private static let bodyLimit = 20 * 1024 * 1024

    init(api: API, console: Console, observer: RequestObserver?) {
        self.api = api
        self.console = console
        self.observer = observer
        credentials = Credentials(api.configuration)
    }

    /// Answers one request.
    // The writer belongs to the task that Hummingbird runs this on, whose functions are all concurrent.
    @concurrent func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel)
        async throws
    {
        let target = RequestTarget(request.head.path ?? "/")
        let path = target?.rawPath ?? "/"
        if let target, target.path.first == "console" {
            return try await respondConsole(request, target, writer, channel)
        }
        let body: ByteBuffer
        do {
            var request = request
            body = try await request.collectBody(upTo: Self.bodyLimit)
        } catch is NIOTooManyBytesError {
            try await write(APIError.payloadTooLarge, to: writer)
            return try await channel.close()
        }
        let observed = ObservedRequest(number: counter.next(), method: request.method.rawValue, path: path)
        await observer?(observed, .beforeHandling)
        let isControl = path.hasPrefix("/1.1/bugle/")
        let fault = isControl ? nil : api.faults.meet(method: observed.method, path: path)
        if fault == .close { return try await channel.close() }
        var response = await answer(request, target, Array(body.readableBytesView))
        await observer?(observed, .beforeAnswering)
        switch fault {
        case nil, .close: break
        case .delay(let seconds): await api.faults.hold(for: seconds)
        case .status(let status):
            response = APIResponse(
                status: status, body: ["code": .integer(Int64(status)), "error": "A fault that was asked for."])
        case .dropResponse: return try await channel.close()
        case .reset: return try await reset(channel)
        }
        try await write(response, to: writer)
    }

    private func answer(_ request: Request, _ target: RequestTarget?, _ body: [UInt8]) async -> APIResponse {
        do throws(APIError) {
            guard let target else { throw APIError(400, 1, "The request's target cannot be read.") }
            if target.path == ["health"] { return try await health() }
            let access = try credentials.access { request.headers[named: $0] }
            guard let path = target.versioned else { throw APIError.noSuchPath }
            guard let method = APIRequest.Method(rawValue: request.method.rawValue) else {
                throw APIError.methodNotAllowed
            }
            let production =
                request.headers[named: "X-LC-Prod"] ?? request.headers[named: "X-AVOSCloud-Application-Production"]
                ?? request.headers[named: "X-Uluru-Application-Production"]
            return await api.respond(
                APIRequest(
                    method: method, path: path, query: target.query, body: body, access: access,
                    productionHeader: production, origin: "http://\(request.head.authority ?? "localhost")",
                    now: api.clock.now))
        } catch {
            return APIResponse(status: error.status, body: error.body)
        }
    }

    /// `GET /health`, for load balancers: asks the database for something.
    private func health() async throws(APIError) -> APIResponse {
        _ = try await api.ask { () throws(RegistryError) in try await api.registry.nextFiring() }
        return APIResponse(body: ["status": "ok"])
    }

    /// Ends the connection with a TCP reset: what was not read by the other side is lost.
    private func reset(_ channel: any Channel) async throws {
        if let options = channel as? any SocketOptionProvider {
            try await options.unsafeSetSocketOption(
                level: .socket, name: .so_linger, value: Linger(isOn: 1, seconds: 0)
            ).get()
        }
        try await channel.close()
    }

    @concurrent private func write(_ error: APIError, to writer: consuming ResponseWriter) async throws {
        try await write(APIResponse(status: error.status, body: error.body), to: writer)
    }

    @concurrent private func write(_ response: APIResponse, to writer: consuming ResponseWriter) async throws {
        let body = ByteBuffer(bytes: response.body.canonicalBytes)
        var head = HTTPResponse(status: .init(code: response.status))
        head.headerFields[.contentType] = "application/json; charset=utf-8"
        head.headerFields[.contentLength] = String(body.readableBytes)
        head.headerFields[.date] = api.clock.now.httpDate
        head.headerFields[.location] = response.location
        try await writer.write(response: head, body: .init(byteBuffer: body))
    }
}

/// The C type `struct linger`, whose importing module is private to NIO.
private struct Linger {
    let isOn: CInt
    let seconds: CInt
}

/// Numbers the requests of a server.
private final class RequestCounter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension HTTPFields {
    /// The value of a header by its name.
    fileprivate subscript(named name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}
