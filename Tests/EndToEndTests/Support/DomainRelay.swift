import CLibrary
import Foundation
import Synchronization

/// A domain as apps call it: a port that leads to LeanCloud, and after the move to the new server.
final class DomainRelay: Sendable {
    let port: Int
    private let listener: Int32
    /// Where it leads; `health` is answered there only once it has moved, as LeanCloud has no such page.
    private let target: Mutex<(port: Int, hasHealth: Bool)>

    /// What goes wrong on the way; nil: nothing.
    private let weather: RelayWeather?

    init(to port: Int, weather: RelayWeather? = nil) throws {
        self.weather = weather
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        self.port = try Self.loopback(0) { address, length in
            guard bind(listener, address, length.pointee) == 0, listen(listener, 64) == 0,
                getsockname(listener, address, length) == 0
            else { throw POSIXError(.EADDRINUSE) }
        }
        target = Mutex((port, false))
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    /// Leads it to another server.
    func move(to port: Int) { target.withLock { $0 = (port, true) } }

    /// Ends it.
    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// One request a connection: the answer is carried over as it is.
    private func serve(_ client: Int32) {
        defer { CLibrary.close(client) }
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard read(client, &byte, 1) == 1 else { return }
            head.append(byte)
        }
        let (port, hasHealth) = target.withLock { $0 }
        var lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        if lines[0].hasPrefix("GET /health "), !hasHealth {
            Self.write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to: client)
            return
        }
        let length =
            lines.lazy.compactMap { line in
                line.lowercased().hasPrefix("content-length:") ? Int(line.dropFirst(15).filter(\.isNumber)) : nil
            }.first ?? 0
        var body = [UInt8](repeating: 0, count: length)
        var filled = 0
        while filled < length {
            let count = body[filled...].withUnsafeMutableBytes { read(client, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            filled += count
        }
        let mishap = lines[0].hasPrefix("GET /health ") ? nil : weather?.next()
        switch mishap {
        case .reset: return
        case .busy:
            Self.write(
                "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy", to: client)
            return
        case .lostAnswer, nil: break
        }
        lines.insert("Connection: close", at: 1)
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { CLibrary.close(server) }
        let reached = try? Self.loopback(port) { address, length in
            guard connect(server, address, length.pointee) == 0 else { throw POSIXError(.ECONNREFUSED) }
        }
        guard reached != nil else { return }
        Self.write(lines.joined(separator: "\r\n"), to: server)
        Self.write(body[...], to: server)
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = read(server, &buffer, buffer.count), count > 0 {
            if mishap == nil { Self.write(buffer[..<count], to: client) }
        }
    }

    private static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8)[...], to: descriptor) }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Calls `body` with an address of this machine, and gives the port that it holds then.
    private static func loopback(
        _ port: Int, _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) throws -> Void
    ) throws -> Int {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// What goes wrong between clients and a server: so many of a hundred requests do.
final class RelayWeather: Sendable {
    enum Mishap: CaseIterable {
        /// The connection ends before the server sees the request.
        case reset
        /// The service is too busy.
        case busy
        /// The server does what it was asked to, and nobody learns of it.
        case lostAnswer
    }

    private let percent: Int
    private let state: Mutex<(random: SeededNumbers, requests: Int)>
    /// Told the number of each request before anything else happens.
    private let onRequest: @Sendable (Int) -> Void

    init(percent: Int, seed: UInt64, onRequest: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.percent = percent
        self.onRequest = onRequest
        state = Mutex((SeededNumbers(seed), 0))
    }

    /// The mishap of the next request; nil: it goes well.
    func next() -> Mishap? {
        let (number, mishap) = state.withLock { state in
            state.requests += 1
            let isBad = Int.random(in: 0..<100, using: &state.random) < percent
            return (state.requests, isBad ? Mishap.allCases.randomElement(using: &state.random) : nil)
        }
        onRequest(number)
        return mishap
    }
}

/// Random numbers that a seed repeats.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
