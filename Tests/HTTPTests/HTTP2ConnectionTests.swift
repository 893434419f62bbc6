internal import Testing

@testable internal import HTTP

/// What one connection says, of which the server's bytes are given here.
struct HTTP2ConnectionTests {
    private let setup: HTTP2Setup

    init() throws {
        setup = try HTTP2Setup(
            HTTP2Configuration(
                endpoint: "https://127.0.0.1:1", connectTimeout: .seconds(60), requestTimeout: .seconds(60)))
    }

    @Test
    func aBodyOfWhichAPartWasGivenCannotBeTakenBackWithItsNextPart() throws {
        let connection = try HTTP2Connection(setup, at: .now) { _ in true }
        try connection.greet(at: .now)
        let session = try #require(connection.session)
        func receive(_ bytes: [UInt8]) { #expect(unsafe bytes.withUnsafeBytes { unsafe session.receive($0) }) }
        func frame() {
            var output: [UInt8] = []
            session.write(to: &output, size: 15360)
        }
        // SETTINGS: windows of two bytes.
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 2])
        let request = HTTP2Request(number: 0)
        request.body = [1, 2, 3, 4]
        request.begin(
            path: Array("/".utf8), own: Array("1".utf8), headers: try HTTP2Headers([("a", "b")], ownName: "apns-id"))
        let stream = try #require(session.submit(request))
        frame()
        #expect(connection.framed.map(\.number) == [0] && request.bodyOffset == 2)
        // The connection took them.
        connection.framed = []
        // WINDOW_UPDATE: two bytes more.
        receive([0, 0, 4, 8, 0, 0, 0, 0, UInt8(stream), 0, 0, 0, 2])
        frame()
        #expect(request.bodyOffset == 4)
        #expect(connection.framed.isEmpty)
    }

    @Test
    func oneThatHasEndedIsNotCalledTooSlowToBeMade() throws {
        let connection = try HTTP2Connection(setup, at: .now - .seconds(3600)) { _ in true }
        connection.close("the server said so")
        var room: [UInt8] = [0]
        connection.work([], at: .now, &room)
        #expect(connection.failure?.detail == "the server said so")
    }
}
