internal import Base
internal import BaseTesting
internal import Testing

@testable internal import HTTP

/// The frames of a connection, without one: what they say, and what is made of the server's.
struct HTTP2SessionTests {
    let connection: HTTP2Connection
    let session: HTTP2Session
    /// The number of a request that is wanted while the gate is open.
    private static let unwanted = 99
    private let wanted = Gate()

    private final class Gate {
        var isOpen = true
    }

    init() throws {
        let setup = try HTTP2Setup(
            HTTP2Configuration(
                endpoint: "https://127.0.0.1:1", connectTimeout: .seconds(600), requestTimeout: .seconds(600)))
        let wanted = wanted
        connection = try HTTP2Connection(setup, at: .now) { $0.number != Self.unwanted || wanted.isOpen }
        try connection.greet(at: .now)
        session = try #require(connection.session)
    }

    @discardableResult
    func receive(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { session.receive($0) } }

    func write(size: Int = 15360) -> [UInt8] {
        var output: [UInt8] = []
        session.write(to: &output, size: size)
        return output
    }

    func start(
        _ number: Int, body: [UInt8] = [1, 2, 3], _ headers: HTTP2Headers, path: String = "/p"
    ) -> HTTP2Request {
        let request = HTTP2Request(number: number)
        request.body = body
        request.begin(path: Array(path.utf8), own: Array("\(number)".utf8), headers: headers)
        #expect(connection.add(request, at: .now))
        return request
    }

    static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    // MARK: What nghttp2 makes of it

    @Test(arguments: 0..<60 as Range<UInt64>)
    func nghttp2ReadsWhatWasSentAndItsAnswersAreRead(_ seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        let settings: [(UInt32, UInt32)] = [
            (1, [0, 60, 300, 4096, 65536].randomElement(using: &chance)!),
            (3, .random(in: 1...100, using: &chance)),
            (4, [100, 1000, 65535, 1 << 20].randomElement(using: &chance)!),
        ].filter { _ in Bool.random(using: &chance) }
        let large = (0..<100).map { _ in Int.random(in: 0...9, using: &chance) == 0 }
        let server = ReferenceServer(settings) { stream, isWhole in
            let size = large[Int(stream) % 100] ? 90_000 : 20
            let body = Array(repeating: UInt8(stream & 255), count: size)
            return isWhole ? .answer(status: stream % 4 == 1 ? 200 : 400, body: body) : .wait
        }
        var sets: [(fields: [(String, String)], headers: HTTP2Headers)] = []
        for set in 0..<Int.random(in: 1...6, using: &chance) {
            let fields = (0..<Int.random(in: 0...8, using: &chance)).map { number in
                let size = [1, 30, 300, 2000].randomElement(using: &chance)!
                return ("x-\(number)", String(repeating: "v", count: size) + "\(set % 3)")
            }
            sets.append((fields, try HTTP2Headers(fields, ownName: set % 2 == 0 ? "apns-id" : "content-length")))
        }
        var sent: [Int32: (path: String, set: Int, request: HTTP2Request)] = [:]
        var (up, down): ([UInt8], [UInt8]) = ([], [])
        for round in 0..<100_000 {
            while connection.room > 0, sent.count < 300, Bool.random(using: &chance) {
                let set = sets.indices.randomElement(using: &chance)!
                let size = large.randomElement(using: &chance)! ? 40_000 : Int.random(in: 0...300, using: &chance)
                let path = "/\(sent.count)" + String(repeating: "a", count: .random(in: 0...200, using: &chance))
                let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                // nghttp2 asks that a length is true.
                let request = HTTP2Request(number: body.count)
                request.body = body
                request.begin(path: Array(path.utf8), own: Array("\(body.count)".utf8), headers: sets[set].headers)
                #expect(connection.add(request, at: .now))
                sent[request.stream] = (path, set, request)
            }
            up += write()
            let part = up.prefix(Int.random(in: 0...20_000, using: &chance))
            up.removeFirst(part.count)
            server.receive(Array(part))
            if Int.random(in: 0..<20, using: &chance) == 0 {
                server.change([
                    (1, .random(in: 0...5000, using: &chance)), (4, .random(in: 100...70_000, using: &chance)),
                ])
            }
            down += server.write()
            let answer = down.prefix(Int.random(in: 0...20_000, using: &chance))
            down.removeFirst(answer.count)
            #expect(receive(Array(answer)))
            if sent.count == 300, connection.ended.count == 300 { break }
            if round == 99_999 { Issue.record("\(connection.ended.count) of \(sent.count) have ended") }
        }
        #expect(server.complaints == [])
        #expect(connection.fault.isEmpty && !session.hasEnded)
        for (stream, (path, set, request)) in sent {
            let received = try #require(server.received[stream])
            let own = "\(set % 2 == 0 ? "apns-id" : "content-length"): \(request.body.count)"
            let pseudo = [":method: POST", ":scheme: https", ":authority: 127.0.0.1:1", ":path: \(path)"]
            #expect(received.fields == pseudo + sets[set].fields.map { "\($0.0): \($0.1)" } + [own])
            #expect(received.body == request.body)
            #expect(request.ending == .answered(status: stream % 4 == 1 ? 200 : 400))
            let size = min(HTTP2Request.maximumAnswer, large[Int(stream) % 100] ? 90_000 : 20)
            #expect(request.answer == Array(repeating: UInt8(stream & 255), count: size))
        }
    }

    @Test
    func headersThatWereSentOnceTakeAByteEach() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers(
            [("authorization", String(repeating: "x", count: 300)), ("apns-topic", "com.example.app")],
            ownName: "apns-id")
        var sizes: [Int] = []
        for number in 0..<3 {
            _ = start(number, headers)
            sizes.append(write().count)
        }
        // 2 frames, 3 bytes of body, 3 + 2 references, a path and an id.
        #expect(sizes[0] > 400)
        #expect(sizes[1] == 2 * 9 + 3 + 5 + 4 + 4 && sizes[2] == sizes[1])
    }

    // MARK: Servers that break the protocol

    /// What ends the connection, and with which code: bytes after SETTINGS and one request on stream 1.
    static let faults: [(String, UInt8, [UInt8])] = [
        ("a frame of 16385 bytes", 6, [0, 0x40, 1, 0, 0, 0, 0, 0, 1]),
        ("a frame of stream 0, which was not opened", 1, [0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("a frame of stream 2, which was not opened", 1, [0, 0, 0, 1, 4, 0, 0, 0, 2]),
        ("a frame of stream 3, which was not opened", 1, [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 8]),
        ("a frame of stream 1 that concerns none", 1, [0, 0, 0, 4, 0, 0, 0, 0, 1]),
        ("RST_STREAM of 3 bytes", 6, [0, 0, 3, 3, 0, 0, 0, 0, 1, 0, 0, 0]),
        ("SETTINGS of 5 bytes", 6, [0, 0, 5, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("SETTINGS of 6 bytes", 6, [0, 0, 6, 4, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1]),
        ("a window of 2147483648 bytes", 3, [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x80, 0, 0, 0]),
        ("a server that would be pushed to", 1, [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1]),
        ("frames of 16383 bytes", 1, [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0x3f, 0xff]),
        ("frames of 16777216 bytes", 1, [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 0]),
        ("PUSH_PROMISE, which is off", 1, [0, 0, 4, 5, 4, 0, 0, 0, 1, 0, 0, 0, 2]),
        ("PING of 7 bytes", 6, [0, 0, 7, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("GOAWAY of 7 bytes", 6, [0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("WINDOW_UPDATE of 3 bytes", 6, [0, 0, 3, 8, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("WINDOW_UPDATE of 0 bytes", 1, [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("WINDOW_UPDATE of 2147483647 bytes", 3, [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]),
        ("WINDOW_UPDATE of stream 3, which was not opened", 1, [0, 0, 4, 8, 0, 0, 0, 0, 3, 0, 0, 0, 1]),
        ("CONTINUATION of nothing", 1, [0, 0, 0, 9, 4, 0, 0, 0, 1]),
        ("a header block is interrupted", 1, [0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0]),
        ("headers that cannot be decompressed", 9, [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x80]),
        ("headers that cannot be decompressed", 9, [0, 0, 2, 1, 4, 0, 0, 0, 1, 0x88, 0x40]),
        ("more padding than there is room for", 1, [0, 0, 1, 0, 8, 0, 0, 0, 1, 1]),
        ("more padding than there is room for", 1, [0, 0, 0, 1, 12, 0, 0, 0, 1]),
        ("HEADERS of 4 bytes", 6, [0, 0, 4, 1, 0x24, 0, 0, 0, 1, 0, 0, 0, 0]),
    ]

    @Test(arguments: faults)
    func aServerThatBreaksTheProtocolLeavesTheRequestInDoubt(
        _ fault: String, _ code: UInt8, _ bytes: [UInt8]
    ) throws {
        receive(Self.settings)
        let request = start(0, try HTTP2Headers([], ownName: "apns-id"))
        _ = write()
        #expect(receive(bytes))
        #expect(connection.fault == fault && !session.hasEnded)
        // GOAWAY, which acts on no stream of the server's, and nothing more.
        #expect(write() == [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, code])
        #expect(session.hasEnded && request.ending == nil)
        connection.close("it is over")
        #expect(request.ending == .unanswered("it is over"))
    }

    @Test(arguments: faults)
    func whatArrivesByteByByteIsUnderstoodAlike(_ fault: String, _ code: UInt8, _ bytes: [UInt8]) throws {
        for byte in Self.settings { receive([byte]) }
        _ = start(0, try HTTP2Headers([], ownName: "apns-id"))
        _ = write()
        for byte in bytes { receive([byte]) }
        #expect(connection.fault == fault && write().last == code)
    }

    @Test(arguments: [Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0, 0, 0, 4, 1, 0, 0, 0, 0]])
    func aServerThatDoesNotBeginWithSettingsSpeaksSomethingElse(_ bytes: [UInt8]) {
        #expect(!receive(bytes))
        #expect(connection.fault == "the server does not begin with SETTINGS, as HTTP/2 does")
    }

    /// What ends one request: flags and block of its headers, after which its stream is reset.
    static let malformed: [(UInt8, [UInt8])] = [
        // No status, a second one, one of two and one of four digits, one that is no number.
        (5, []), (5, [0x88, 0x88]), (5, [0x08, 2, 0x32, 0x30]), (5, [0x08, 4, 0x32, 0x30, 0x30, 0x30]),
        (5, [0x08, 3, 0x32, 0x3a, 0x30]),
        // A status after another field, an unknown pseudo-field, a field of HTTP/1.1.
        (5, [0x00, 1, 0x61, 1, 0x62, 0x88]), (5, [0x88, 0x00, 2, 0x3a, 0x61, 1, 0x62]),
        (5, [0x88, 0x00, 7] + Array("upgrade".utf8) + [1, 0x62]), (5, [0x88, 0x00, 2, 0x74, 0x65, 1, 0x62]),
        // Names in capitals, without a letter, and a value of two lines.
        (5, [0x88, 0x00, 1, 0x41, 1, 0x62]), (5, [0x88, 0x00, 1, 0x20, 1, 0x62]), (5, [0x88, 0x00, 0, 1, 0x62]),
        (5, [0x88, 0x00, 1, 0x61, 2, 0x0d, 0x0a]),
        // An interim answer that is the last, 101, 099.
        (5, [0x08, 3, 0x31, 0x30, 0x33]), (4, [0x08, 3, 0x31, 0x30, 0x31]), (5, [0x08, 3, 0x30, 0x39, 0x39]),
    ]

    @Test(arguments: malformed)
    func anAnswerThatIsNoneLeavesItsRequestAloneInDoubt(_ flags: UInt8, _ block: [UInt8]) throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let (first, second) = (start(0, headers), start(1, headers))
        _ = write()
        receive([0, 0, UInt8(block.count), 1, flags, 0, 0, 0, 1] + block)
        #expect(first.ending == .unanswered("the stream was reset: PROTOCOL_ERROR"))
        #expect(write() == [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 1])
        receive([0, 0, 1, 1, 5, 0, 0, 0, 3, 0x88])
        #expect(second.ending == .answered(status: 200) && connection.fault.isEmpty)
    }

    @Test
    func whatAnAnswerEchoesStandsInItsOwnHeaders() throws {
        receive(Self.settings)
        let request = start(0, body: [1], try HTTP2Headers([], ownName: "a"))
        _ = write()
        // 100 without any value, 103 with another, 200 without any, trailers with another.
        receive([0, 0, 5, 1, 4, 0, 0, 0, 1, 0x08, 3, 0x31, 0x30, 0x30])
        receive([0, 0, 10, 1, 4, 0, 0, 0, 1, 0x08, 3, 0x31, 0x30, 0x33, 0x00, 1, 0x61, 1, 0x62])
        receive([0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88])
        #expect(request.echo == .absent)
        receive([0, 0, 5, 1, 5, 0, 0, 0, 1, 0x00, 1, 0x61, 1, 0x62])
        #expect(request.ending == .answered(status: 200) && request.echo == .absent)
        // There is nothing to complain of.
        #expect(write().isEmpty)
    }

    /// What may not follow an answer: trailers that do not end it, and another head.
    @Test(arguments: [(4, [0x00, 1, 0x61, 1, 0x62]), (5, [0x88])] as [(UInt8, [UInt8])])
    func whatFollowsAnAnswerAndIsNoTrailersResetsItsStreamOnly(_ flags: UInt8, _ block: [UInt8]) throws {
        receive(Self.settings)
        let request = start(0, try HTTP2Headers([], ownName: "apns-id"))
        _ = write()
        receive([0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88])
        receive([0, 0, UInt8(block.count), 1, flags, 0, 0, 0, 1] + block)
        #expect(request.ending == .answered(status: 200) && connection.fault.isEmpty)
        #expect(write() == [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 1])
    }

    @Test
    func headersWithoutEndAreNotKept() throws {
        receive(Self.settings)
        _ = start(0, try HTTP2Headers([], ownName: "apns-id"))
        _ = write()
        receive([0, 0, 0, 1, 0, 0, 0, 0, 1])
        for _ in 0..<20 { receive([0, 0, 0, 9, 0, 0, 0, 0, 1]) }
        #expect(connection.fault == "the headers of an answer do not end")
    }

    @Test
    func aServerThatAsksAndDoesNotReadIsLeft() {
        receive(Self.settings)
        for _ in 0..<5000 { receive([0, 0, 8, 6, 0, 0, 0, 0, 0] + Array(repeating: 1, count: 8)) }
        #expect(connection.fault == "the server does not read what it asks for")
        #expect(write().count < 100_000)
    }

    // MARK: What was not sent

    @Test
    func afterGoAwayWhatWasNotFramedWasCertainlyNotSent() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let framed = (0..<3).map { start($0, headers) }
        _ = write()
        let unframed = (3..<5).map { start($0, headers) }
        // It acts on the first two, and says so.
        receive([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0])
        #expect(framed.map(\.ending) == [nil, nil, .streamRefused])
        #expect(unframed.allSatisfy { $0.ending == .streamRefused })
        #expect(write().isEmpty && connection.phase == .retired && !session.hasEnded)
        for stream in [1, 3] as [UInt8] { receive([0, 0, 1, 1, 5, 0, 0, 0, stream, 0x88]) }
        #expect(framed.prefix(2).allSatisfy { $0.ending == .answered(status: 200) } && session.hasEnded)
    }

    @Test
    func aGracefulGoAwayLetsNothingMoreOut() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let framed = start(0, headers)
        _ = write()
        let unframed = start(1, headers)
        receive([0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])
        #expect(framed.ending == nil && write().isEmpty)
        #expect(unframed.ending == .notGiven("the stream was reset: REFUSED_STREAM"))
    }

    @Test
    func moreThanTheServerAllowsAtOnceWaits() throws {
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2])
        let headers = try HTTP2Headers([], ownName: "apns-id")
        _ = (0..<4).map { start($0, headers) }
        // It allows fewer before they are framed.
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1])
        _ = write()
        #expect(connection.framed.map(\.number) == [0])
        receive([0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88])
        _ = write()
        #expect(connection.framed.map(\.number) == [0, 1])
        // Two again, of which it resets one.
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2])
        _ = write()
        #expect(connection.framed.map(\.number) == [0, 1, 2])
        receive([0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 8])
        _ = write()
        #expect(connection.framed.map(\.number) == [0, 1, 2, 3])
    }

    @Test
    func aRequestWithoutBodyIsGivenWithItsHeaders() throws {
        receive(Self.settings)
        let request = start(0, body: [], try HTTP2Headers([], ownName: "apns-id"))
        #expect(write().suffix(9).first != nil && connection.framed.map(\.number) == [0])
        connection.close("it is over")
        #expect(request.ending == .unanswered("it is over"))
    }

    @Test
    func aRequestThatIsGivenUpBeforeItIsFramedIsNeverSent() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let (first, second) = (start(0, headers), start(1, headers))
        _ = (first, second)
        session.abandon(first)
        let output = write()
        #expect(connection.framed.map(\.number) == [1])
        #expect(!output.contains(3) || output.suffix(12).prefix(3) == [0, 0, 3])
    }

    @Test
    func noMoreIsFramedThanARecordHolds() throws {
        // Windows of nothing, and a connection's for all.
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0] + [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0])
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let requests = (0..<100).map { start($0, body: Array(repeating: 7, count: $0 * 400), headers) }
        while case let output = write(), !output.isEmpty { #expect(output.count <= 15360) }
        // That without a body is given with its headers.
        #expect(connection.framed.map(\.number) == [0])
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0xff, 0xff])
        while case let output = write(), !output.isEmpty { #expect(output.count <= 15360) }
        #expect(requests.allSatisfy { $0.bodyOffset == $0.body.count })
    }

    @Test
    func windowsThatGrowTooLargeEndTheConnection() throws {
        receive(Self.settings)
        _ = start(0, body: Array(repeating: 1, count: 70_000), try HTTP2Headers([], ownName: "apns-id"))
        while !write().isEmpty {}
        receive([0, 0, 4, 8, 0, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff])
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff])
        #expect(connection.fault == "a window of too many bytes")
    }

    @Test
    func aStreamWhoseBodyIsHeldBackIsResetBeforeAnotherTakesItsPlace() throws {
        // One stream at a time, with a window of nothing.
        receive([0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0])
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let first = start(Self.unwanted, headers)
        _ = write()
        wanted.isOpen = false
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 9])
        _ = start(1, headers)
        let output = write()
        #expect(first.ending == .notGiven("it was held back"))
        let reset = try #require(output.firstRange(of: [3, 0, 0, 0, 0, 1]))
        let opened = try #require(output.firstRange(of: [1, 4, 0, 0, 0, 3]))
        #expect(reset.lowerBound < opened.lowerBound)
    }

    @Test
    func anAnswerBeforeTheBodyIsGivenWaitsForIt() throws {
        // Windows of two bytes.
        receive([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 2])
        let request = start(0, body: [1, 2, 3, 4], try HTTP2Headers([], ownName: "apns-id"))
        _ = write()
        receive([0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88])
        #expect(request.ending == nil)
        receive([0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 0, 2])
        #expect(write() == [0, 0, 2, 0, 1, 0, 0, 0, 1, 3, 4])
        #expect(request.ending == .answered(status: 200))
    }
}
