import Base
import Foundation

/// What a server answered.
struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: JSONValue
}

/// What a server answered, with any body.
struct TextAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let text: String
}

/// How a request can end without an answer.
enum NoAnswer: Error, Equatable {
    case refused
    case closed
    case reset
}

/// Runs what blocks on a thread of its own: Swift's and Dispatch's few are what the server under test runs on.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result { try work() }) }
    }
    return try result.get()
}

/// One HTTP/1.1 request on a connection of its own, over a plain socket: nothing is repeated behind a test's back.
enum HTTPClient {
    static func send(
        _ method: String, _ target: String, port: Int, headers: [(String, String)], body: [UInt8]
    ) async throws -> Answer {
        let answer = try await sendText(method, target, port: port, headers: headers, body: body)
        return Answer(
            status: answer.status, headers: answer.headers, body: try JSONValue(parsing: answer.text.utf8))
    }

    static func sendText(
        _ method: String, _ target: String, port: Int, headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> TextAnswer {
        try await onThread {
            let socket = try connected(port)
            defer { close(socket) }
            request(method, target, port: port, headers: headers, body: body, on: socket)
            return try parsed(try received(socket))
        }
    }

    static func request(
        _ method: String, _ target: String, port: Int, headers: [(String, String)], body: [UInt8], on socket: CInt
    ) {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        text += "Content-Length: \(body.count)\r\n\r\n"
        var bytes = Array(text.utf8) + body
        while !bytes.isEmpty {
            let count = write(socket, bytes, bytes.count)
            guard count > 0 else { break }
            bytes.removeFirst(count)
        }
    }

    /// A connection to a port of this machine, from one of its addresses.
    static func connected(_ port: Int, from source: String? = nil) throws -> CInt {
        signal(SIGPIPE, SIG_IGN)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        func apply(_ call: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt, _ host: String, _ port: Int) -> CInt {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr(host)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        if let source { _ = apply({ bind($0, $1, $2) }, source, 0) }
        guard apply({ connect($0, $1, $2) }, "127.0.0.1", port) == 0 else {
            close(descriptor)
            throw NoAnswer.refused
        }
        return descriptor
    }

    /// A socket that listens on a free port of this machine, and the port.
    static func listening(_ backlog: CInt = 64) throws -> (socket: CInt, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, backlog) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw NoAnswer.refused }
        return (listener, Int(in_port_t(bigEndian: address.sin_port)))
    }

    private static func received(_ socket: CInt) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(socket, &buffer, buffer.count)
            guard count >= 0 else { throw NoAnswer.reset }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        guard !bytes.isEmpty else { throw NoAnswer.closed }
        return bytes
    }

    private static func parsed(_ bytes: [UInt8]) throws -> TextAnswer {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        guard parts.count == 2, let status = Int(lines[0].split(separator: " ")[1]) else { throw NoAnswer.closed }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            headers[sides[0].lowercased()] = sides[1].trimmingCharacters(in: .whitespaces)
        }
        return TextAnswer(status: status, headers: headers, text: String(parts[1]))
    }
}
