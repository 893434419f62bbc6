import Foundation
import Testing

/// A connection on which a test sends whatever bytes it wants. Its calls block: use it within ``onThread(_:)``.
final class RawConnection {
    fileprivate let socket: CInt
    private var received: [UInt8] = []

    /// What came back, as it stood on the wire.
    struct Reply: Equatable {
        let status: Int
        let head: String
        let body: String
    }

    init(_ port: Int, from address: String? = nil) throws {
        socket = try HTTPClient.connected(port, from: address)
        // A server that never answers fails a test rather than stopping it; what waits for its turn may wait long.
        var patience = timeval(tv_sec: 1200, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Sends a text; `false` when the other side takes no more.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes; `false` when the other side takes no more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The next reply; an informational one has no body.
    func reply() throws -> Reply {
        let end = Array("\r\n\r\n".utf8)
        while received.firstRange(of: end) == nil { try receive() }
        let headEnd = try #require(received.firstRange(of: end))
        let head = String(decoding: received[..<headEnd.lowerBound], as: UTF8.self)
        received.removeSubrange(..<headEnd.upperBound)
        let status = try #require(Int(head.dropFirst("HTTP/1.1 ".count).prefix(3)))
        var length = 0
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            length = Int(line.drop { $0 != " " }.dropFirst()) ?? 0
        }
        while received.count < length { try receive() }
        let body = String(decoding: received[..<length], as: UTF8.self)
        received.removeSubrange(..<length)
        return Reply(status: status, head: head, body: body)
    }

    /// Whether the other side ends the connection, and sends nothing before.
    func isEnded() -> Bool {
        var byte: UInt8 = 0
        let count = read(socket, &byte, 1)
        // The end is no error: errno is then what something else left there.
        return count == 0 || count < 0 && errno != EAGAIN
    }

    /// Whether nothing has come yet.
    var isSilent: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return received.isEmpty && poll(&entry, 1, 0) == 0
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(socket, &buffer, buffer.count)
        guard count > 0 else { throw count == 0 ? NoAnswer.closed : NoAnswer.reset }
        received += buffer[..<count]
    }
}

extension RawConnection {
    /// Says that nothing more will be sent.
    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Everything until the other side ends the connection.
    func rest() -> String {
        while (try? receive()) != nil {}
        return String(decoding: received, as: UTF8.self)
    }
}
