import Base
import CLibrary
import HTTP
import Synchronization
import Testing

@testable import BugleCommands

/// What `bugle dev` can send, and to whom it answers.
@Suite struct ReadingOnlyTests {
    private final class Counting: HTTPExchanging {
        let sent = Mutex<[HTTPRequest.Method]>([])

        func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            sent.withLock { $0.append(request.method) }
            throw TransportError(.cancelled, sent: .nothing, request: "", detail: "the end")
        }
    }

    @Test(arguments: HTTPRequest.Method.allCases)
    func onlyAReadingRequestIsSent(method: HTTPRequest.Method) async {
        let inner = Counting()
        let error = await #expect(throws: TransportError.self) {
            _ = try await ReadingOnly(inner: inner).exchange(HTTPRequest(method, "https://push.example.com/1.1/push"))
        }
        #expect(inner.sent.withLock { $0 } == (method == .get ? [.get] : []))
        if method != .get {
            #expect(error?.sent == .nothing && error?.detail.contains("this command only reads") == true)
        }
    }

    @Test(arguments: [
        ("Host: 127.0.0.1:4000", true), ("Host: localhost:4000", true), ("HOST:  LocalHost", true),
        ("Host: evil.example:4000", false), ("Host: 127.0.0.1.evil.example:4000", false), ("Accept: */*", false),
        ("Host: [::1]:4000", false), ("Host: 127.0.0.1:4000\r\nOrigin: http://127.0.0.1:4000", true),
        ("Host: 127.0.0.1:4000\r\nOrigin: http://127.0.0.1:5000", false),
        ("Host: 127.0.0.1:4000\r\nOrigin: null", false),
        ("Host: 127.0.0.1:4000\r\nSec-Fetch-Site: same-site", false),
        ("Host: 127.0.0.1:4000\r\nSec-Fetch-Site: none", true),
    ])
    func onlyThisMachinesOwnPagesAreAnswered(headers: String, isOurs: Bool) throws {
        let request = try #require(StatusRequest(head: Array("GET / HTTP/1.1\r\n\(headers)\r\n\r\n".utf8)))
        #expect(DevPages.isOurs(request) == isOurs)
    }

    @Test func aConnectionThatIsNotUsedHoldsUpNoOther() async throws {
        let listener = try StatusListener("127.0.0.1:0", patience: .seconds(600)) { _ in
            StatusAnswer(status: 200, type: "text/plain", body: "here\n")
        }
        defer { listener.end() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(listener.port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var idle: [Int32] = []
        defer { for socket in idle { close(socket) } }
        for _ in 0..<3 {
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            idle.append(socket)
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(result == 0)
        }
        let client = try HTTPClient()
        let answer = try await client.exchange(
            HTTPRequest(.get, "http://127.0.0.1:\(listener.port)/", timeout: .seconds(300)))
        #expect(answer.status == 200 && answer.body == Array("here\n".utf8))
    }

    @Test func aSimulatorGetsTheDefaultsOfADevicesValues() {
        let payload: JSONValue = [
            "aps": ["alert": ["body": "Hi {{name|you}}, {{a|b}}!", "title": "{{"]], "x": ["{{n|0}}", 5],
        ]
        #expect(
            payload.withoutPersonalValues == ["aps": ["alert": ["body": "Hi you, b!", "title": "{{"]], "x": ["0", 5]])
    }

    @Test func aHeadThatIsNoRequestForAPageIsNone() {
        for head in ["POST / HTTP/1.1", "GET /", "GET / HTTP/2", "", "\r\n\r\n"] {
            #expect(StatusRequest(head: Array((head + "\r\n\r\n").utf8)) == nil, "\(head)")
        }
    }
}
