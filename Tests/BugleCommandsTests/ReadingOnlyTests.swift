import CurlHTTP
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

    @Test func aHeadThatIsNoRequestForAPageIsNone() {
        for head in ["POST / HTTP/1.1", "GET /", "GET / HTTP/2", "", "\r\n\r\n"] {
            #expect(StatusRequest(head: Array((head + "\r\n\r\n").utf8)) == nil, "\(head)")
        }
    }
}
