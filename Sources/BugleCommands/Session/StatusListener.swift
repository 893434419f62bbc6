internal import CLibrary
@preconcurrency internal import Dispatch

/// A request for one of the program's own pages.
struct StatusRequest: Sendable {
    let path: String
    /// The header lines by their names in lower case; the last one of a name counts.
    let headers: [String: String]

    /// Reads the head of a request; nil when it is none for a page.
    init?(head: [UInt8]) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first?.split(separator: " "), first.count == 3, first[2].hasPrefix("HTTP/1."),
            first[0] == "GET" || first[0] == "HEAD"
        else { return nil }
        path = String(first[1].prefix { $0 != "?" })
        let fields = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...]).trimmingSpaces)
        }
        headers = Dictionary(fields) { $1 }
    }
}

/// An answer of the program's own pages.
struct StatusAnswer: Sendable {
    var status: Int
    var type: String
    var body: String
}

/// Answers GET requests for a few pages, a few at a time, each on a connection of its own: browsers open some that they do
/// not use, which must not hold up the others.
///
/// No more than a health check, a scraper or one reader needs: the program that brings pushes to Apple has no HTTP server
/// in it.
final class StatusListener: Sendable {
    let port: Int
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// The most connections at once; others wait to be accepted.
    private static let places = 8

    /// Listens on an address such as `127.0.0.1:9090` or `[::1]:9090`; port 0 takes a free one. Who needs longer than the
    /// `patience` to ask, or to take the answer, gets none.
    ///
    /// - Throws: ``Failure`` with `usage` for what is no address, and `failed` when it cannot be listened on.
    init(
        _ address: String, patience: Duration = .seconds(2), answer: @escaping @Sendable (StatusRequest) -> StatusAnswer
    ) throws {
        let (host, service) = try Self.parts(of: address)
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, service, &hints, &found) == 0, let place = found else {
            throw Failure(.usage, "--listen \(address): there is no such address")
        }
        defer { freeaddrinfo(place) }
        let socket = CLibrary.socket(place.pointee.ai_family, place.pointee.ai_socktype, 0)
        guard socket >= 0 else { throw Self.failure(address) }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(socket, place.pointee.ai_addr, place.pointee.ai_addrlen) == 0, listen(socket, 16) == 0 else {
            let failure = Self.failure(address)
            close(socket)
            throw failure
        }
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
        descriptor = socket
        port = Self.port(of: socket)
        source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: DispatchQueue(label: "bugle.status"))
        let workers = DispatchQueue(label: "bugle.status.answers", attributes: .concurrent)
        let free = DispatchSemaphore(value: Self.places)
        source.setEventHandler {
            free.wait()
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else {
                free.signal()
                return
            }
            workers.async {
                Self.serve(connection, until: ContinuousClock.now + patience, answer)
                close(connection)
                free.signal()
            }
        }
        source.setCancelHandler { close(socket) }
        source.resume()
    }

    /// Listens no more.
    func end() { source.cancel() }

    private static func parts(of address: String) throws -> (host: String, service: String) {
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]) else {
            throw Failure(.usage, "--listen takes HOST:PORT, such as 127.0.0.1:9090")
        }
        var host = address[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { throw Failure(.usage, "--listen takes HOST:PORT; 0.0.0.0 listens to everybody") }
        return (String(host), String(port))
    }

    private static func failure(_ address: String) -> Failure {
        Failure(.failed, "cannot listen on \(address): \(String(cString: strerror(errno)))")
    }

    private static func port(of socket: Int32) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        guard result == 0 else { return 0 }
        // The port stands at the same place for both families, in network order.
        return withUnsafeBytes(of: &address) { Int($0[2]) << 8 | Int($0[3]) }
    }

    /// Waits until a connection can be read from or written to; false at the end of its time.
    private static func isReady(_ connection: Int32, for events: Int16, until end: ContinuousClock.Instant) -> Bool {
        let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
        var entry = pollfd(fd: connection, events: events, revents: 0)
        return left > 0 && poll(&entry, 1, Int32(left.rounded(.up))) > 0
    }

    /// Reads the head of a request and answers.
    private static func serve(
        _ connection: Int32, until end: ContinuousClock.Instant, _ answer: (StatusRequest) -> StatusAnswer
    ) {
        var head: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1024)
        while head.count < 8192, !head.containsEndOfHead {
            guard isReady(connection, for: Int16(POLLIN), until: end) else { return }
            let count = recv(connection, &piece, piece.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return }
            head += piece[..<count]
        }
        let reply =
            StatusRequest(head: head).map(answer)
            ?? StatusAnswer(status: 400, type: "text/plain", body: "a GET request is needed\n")
        let isHead = head.starts(with: "HEAD ".utf8)
        let text =
            "HTTP/1.1 \(reply.status) \(reply.status == 200 ? "OK" : "Error")\r\nContent-Type: \(reply.type)\r\n"
            + "Content-Length: \(reply.body.utf8.count)\r\nConnection: close\r\nCache-Control: no-store\r\n"
            + "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
            + "Cross-Origin-Resource-Policy: same-origin\r\n\r\n" + (isHead ? "" : reply.body)
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            guard isReady(connection, for: Int16(POLLOUT), until: end) else { return }
            let count = bytes.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

extension [UInt8] {
    /// True when the empty line that ends a request's head has been read.
    fileprivate var containsEndOfHead: Bool {
        suffix(1028).firstRange(of: Array("\r\n\r\n".utf8)) != nil
    }
}
