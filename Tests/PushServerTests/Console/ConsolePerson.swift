import Base
import Foundation
import Synchronization
import Testing

/// A person who is logged in to the console with the master key.
struct ConsolePerson {
    private let port: Int
    private let cookie: String
    private let token: String

    init(at port: Int) async throws {
        self.port = port
        cookie = try await TestServer.consoleCookie(at: port)
        let page = try await HTTPClient.sendText("GET", "/console", port: port, headers: [("Cookie", cookie)])
        token = String(try #require(page.text.firstMatch(of: /name="token" value="([^"]+)"/)).output.1)
    }

    /// The page of a push.
    func page(_ push: String) async throws -> String {
        try await HTTPClient.sendText("GET", "/console/pushes/\(push)", port: port, headers: [("Cookie", cookie)]).text
    }

    /// Submits the form that stops a push or decides about one that was stopped, and gives the page that follows.
    func decide(_ decision: String, _ push: String, why: String = "") async throws -> String {
        let fields = ["token": token, "push": push, "decision": decision, "why": why]
        let answer = try await HTTPClient.sendText(
            "POST", "/console/stop", port: port,
            headers: [("Cookie", cookie), ("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(TestServer.encoded(fields).utf8))
        #expect(answer.status == 303)
        return try await page(push)
    }
}

/// An open page as the server sees it: reads server-sent events over a socket of its own.
final class ConsoleEventReader: Sendable {
    let status: Int
    private let socket: CInt
    private let buffer = Mutex<[UInt8]>([])
    private let isClosed = Atomic(false)

    static func open(port: Int, target: String, cookie: String) async throws -> ConsoleEventReader {
        try await onThread {
            let socket = try HTTPClient.connected(port)
            // A test that waits in vain fails instead of hanging.
            var patience = timeval(tv_sec: 300, tv_usec: 0)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            HTTPClient.request("GET", target, port: port, headers: [("Cookie", cookie)], body: [], on: socket)
            return try ConsoleEventReader(socket)
        }
    }

    private init(_ socket: CInt) throws {
        self.socket = socket
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard read(socket, &byte, 1) == 1 else { throw NoAnswer.closed }
            head.append(byte)
        }
        let text = String(decoding: head, as: UTF8.self)
        status = try #require(Int(text.split(separator: " ")[1]))
        if status == 200 { #expect(text.lowercased().contains("content-type: text/event-stream")) }
    }

    /// The parts of the next event; `nil` when there are no more.
    func next() async throws -> [String: String]? {
        try await onThread { [self] in
            while true {
                if let event = takeEvent() {
                    if let data = event.split(separator: "\n").first(where: { $0.hasPrefix("data: ") }) {
                        let parts = try JSONValue(parsing: String(data.dropFirst(6)))
                        return parts.texts
                    }
                    continue
                }
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = read(socket, &bytes, bytes.count)
                guard count >= 0 else { throw NoAnswer.reset }
                guard count > 0 else { return nil }
                buffer.withLock { $0 += bytes[..<count] }
            }
        }
    }

    /// Waits for an event whose part fits.
    func wait(for id: String, _ fits: (String) -> Bool) async throws {
        while let parts = try await next() {
            if let part = parts[id], fits(part) { return }
        }
        Issue.record("the events ended before \(id) came")
    }

    /// An event without the sizes of the chunks that it came in.
    private func takeEvent() -> String? {
        buffer.withLock { buffer in
            guard let size = buffer.firstRange(of: Array("\r\n".utf8)),
                let length = Int(String(decoding: buffer[..<size.lowerBound], as: UTF8.self), radix: 16), length > 0,
                buffer.count >= size.upperBound + length + 2
            else { return nil }
            let event = String(decoding: buffer[size.upperBound..<size.upperBound + length], as: UTF8.self)
            buffer.removeFirst(size.upperBound + length + 2)
            return event
        }
    }

    func end() {
        if !isClosed.exchange(true, ordering: .relaxed) { close(socket) }
    }

    deinit { end() }
}

extension TestServer {
    /// Logs in to the console and gives the cookie.
    func consoleCookie() async throws -> String { try await Self.consoleCookie(at: port) }

    static func consoleCookie(at port: Int) async throws -> String {
        let answer = try await HTTPClient.sendText(
            "POST", "/console/login", port: port,
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("key=\(masterKey)".utf8))
        #expect(answer.status == 303)
        return String(try #require(answer.headers["set-cookie"]).prefix { $0 != ";" })
    }

    func consoleEvents(_ page: String = "overview", cookie: String) async throws -> ConsoleEventReader {
        try await ConsoleEventReader.open(port: port, target: "/console/events?page=\(page)", cookie: cookie)
    }
}

extension JSONValue {
    /// The texts under their names.
    var texts: [String: String] {
        Dictionary(
            uniqueKeysWithValues: (object ?? [:]).compactMap { member in member.value.string.map { (member.key, $0) } })
    }
}
