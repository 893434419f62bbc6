import Base
import HTTP
import Push
import RemoteTesting
import Testing

@testable import LeanCloud

@Suite struct RequestSignatureTests {
    private let service = FakeService()

    @Test func theDocumentedVectorIsReproduced() {
        let signature = RequestSignature(
            masterKey: Secret("DyJegPlemooo4X1tg94gQkw1"), at: Instant(milliseconds: 1_453_014_943_466))
        #expect(signature.headerValue == "e074720658078c898aa0d4b1b82bdf4b,1453014943466,master")
    }

    @Test func everyRequestIsSignedAndNoneBearsTheKey() async throws {
        _ = try await service.reader.ledger()
        await service.send()
        #expect(service.seen.count == 3)
        for seen in service.seen {
            let headers = Dictionary(seen.headers) { $1 }
            #expect(headers["X-LC-Id"] == "giants-demo")
            let expected = RequestSignature(masterKey: connection.masterKey, at: service.now).headerValue
            #expect(headers["X-LC-Sign"] == expected)
            #expect(!seen.headers.contains { $0.1.contains("DyJegPlemooo4X1tg94gQkw1") })
        }
    }

    @Test func readsMayBeRepeatedAndWritesGoOutOnce() async throws {
        _ = try await service.reader.ledger()
        try await service.writer.insert(.example(), under: service.lease())
        try await service.writer.update(.example(state: .sent), under: service.lease())
        await service.send()
        for seen in service.seen {
            #expect(seen.repetition == (seen.method == .get ? .repeatable : .once))
        }
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Fri, 20 Nov 2026 12:00:00 GMT", "2026-11-20T12:00:00Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
        ("Sun, 31 Feb 1994 08:49:37 GMT", nil), ("", nil), ("a b c d e GMT", nil),
    ])
    func theDateHeaderIsTheServersClock(_ text: String, _ instant: String?) {
        #expect(Instant(httpDate: text)?.text == instant)
        #expect(Instant(httpDate: text)?.httpDate == instant.map { _ in text })
    }

    @Test func aQueryIsPercentEncodedAsUTF8() {
        let call = APICall(.get, "/installations", query: [("where", #"{"channels":"巨人+&="}"#), ("limit", "0")])
        #expect(
            call.target
                == "/1.1/installations?where=%7B%22channels%22%3A%22%E5%B7%A8%E4%BA%BA%2B%26%3D%22%7D&limit=0")
    }

    @Test func aLongTextIsCutByScalarsHoweverItIsMade() {
        let hostile = "e" + String(repeating: "\u{301}", count: 10_000)
        #expect(hostile.shortened().unicodeScalars.count == 300)
        #expect("short".shortened() == "short")
        #expect(String(repeating: "a", count: 300).shortened() == String(repeating: "a", count: 300))
    }
}

@Suite struct LeanCloudRemoteDescriptionTests {
    private func description(_ url: String, _ appId: String = "a") -> RemoteDescription {
        LeanCloudRemote.description(
            name: "production", connection: LeanCloudConnection(url: url, appId: appId, masterKey: Secret("k")))
    }

    @Test func theTitleNamesTheHost() {
        #expect(description("https://push.example.com").title == "LeanCloud · push.example.com")
        #expect(description("http://127.0.0.1:8710/").title == "LeanCloud · 127.0.0.1:8710")
    }

    @Test func theFingerprintIsTheServicesAndTheAppsAlone() {
        let fingerprint = description("https://push.example.com").fingerprint
        #expect(description("HTTPS://Push.Example.com:443/").fingerprint == fingerprint)
        #expect(description("https://push.example.com", "b").fingerprint != fingerprint)
        #expect(description("https://push.example.com:8443").fingerprint != fingerprint)
        #expect(description("https://push.example.com/stage").fingerprint != fingerprint)
    }

    @Test func aConnectionDoesNotPrintItsKey() {
        #expect(!"\(connection)".contains("DyJegPlemooo4X1tg94gQkw1"))
        var text = ""
        dump(connection, to: &text)
        #expect(!text.contains("DyJegPlemooo4X1tg94gQkw1"))
    }
}
