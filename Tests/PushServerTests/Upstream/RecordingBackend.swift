import Foundation

/// A backend over a plain socket that says one thing to everybody and keeps what it was asked.
final class RecordingBackend: Sendable {
    let port: Int
    private let listener: CInt

    /// Listens on a free port.
    init() throws {
        (listener, port) = try HTTPClient.listening()
    }

    deinit { close(listener) }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Takes no more connections: one that is waited for does not come.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Takes one connection and one request, and gives the answer; nil gives none while the client waits.
    ///
    /// `received` is called when the request is there.
    ///
    /// - Returns: the request as it came.
    func serve(_ answer: String?, received: @escaping @Sendable () -> Void = {}) async throws -> String {
        let listener = listener
        return try await onThread {
            let connection = accept(listener, nil, nil)
            defer { close(connection) }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while !Self.isWhole(bytes) {
                let count = read(connection, &buffer, buffer.count)
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
            received()
            if let answer {
                // Said, so that no later request is sent on a connection that is about to be closed.
                let line = answer.prefix { $0 != "\r\n" }
                let reply = Array("\(line)\r\nConnection: close\(answer.dropFirst(line.count))".utf8)
                _ = write(connection, reply, reply.count)
            } else {
                _ = read(connection, &buffer, 1)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
        guard parts.count > 1 else { return false }
        let length = parts[0].lowercased().components(separatedBy: "content-length: ").dropFirst().first
        return parts[1].utf8.count >= length.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }
}
