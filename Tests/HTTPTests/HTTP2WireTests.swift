internal import Testing

@testable internal import HTTP

/// What drives a connection: its times, what is taken and arrives in pieces, and its ends, over a wire that the test
/// holds.
struct HTTP2WireTests {
    private let wire = Wire()
    private let connection: HTTP2Connection
    private let headers: HTTP2Headers
    private let start = ContinuousClock.now

    init() throws {
        let setup = try HTTP2Setup(
            HTTP2Configuration(
                endpoint: "https://127.0.0.1:1", connectTimeout: .seconds(30), requestTimeout: .seconds(20),
                keepAlive: .seconds(60), pingTimeout: .seconds(15)))
        headers = try HTTP2Headers([("apns-topic", "t")], ownName: "apns-id")
        connection = HTTP2Connection(setup, over: wire, at: start) { _ in true }
    }

    // MARK: What is said, and when

    private static let closed = "the server closed the connection"
    private static let settings = frame(.settings)
    private static let nothing = [UInt8](repeating: 0, count: 8)
    private static let ping = frame(.ping, nothing)
    private static let pong = frame(.ping, flags: 1, nothing)

    private static func answer(_ stream: UInt8) -> [UInt8] { frame(.headers, flags: 5, stream: stream, [0x88]) }

    private static func goAway(_ last: UInt8, code: UInt8 = 0, _ words: String = "") -> [UInt8] {
        frame(.goAway, [0, 0, 0, last, 0, 0, 0, code] + Array(words.utf8))
    }

    /// Lets the connection see to what has come up by then; the socket tells of what has arrived, if it is noticed.
    private func work(_ passed: Duration = .zero, isNoticed: Bool = true) {
        let hasNews = isNoticed && (!wire.arrived.isEmpty || wire.end != nil)
        let readable = Platform.Entry.readable
        let entry = Platform.Entry(descriptor: wire.socket, interest: readable, found: hasNews ? readable : 0)
        var room = [UInt8](repeating: 0, count: 1 << 16)
        connection.work([entry], at: start + passed, &room)
    }

    private func hear(_ pieces: [UInt8]..., at passed: Duration = .zero) {
        wire.arrived += pieces
        work(passed)
    }

    private func transmit(_ passed: Duration = .zero) { connection.transmit(at: start + passed) }

    /// Makes the connection; what is said for that is forgotten.
    private func establish(_ settings: [UInt8] = Self.settings) {
        work()
        hear(settings)
        transmit()
        #expect(connection.phase == .open)
        wire.forget()
    }

    private func request(_ number: Int) -> HTTP2Request {
        let request = HTTP2Request(number: number)
        request.body = [1, 2, 3]
        request.begin(path: Array("/p".utf8), own: Array("\(number)".utf8), headers: headers)
        return request
    }

    private func begin(_ number: Int, at passed: Duration = .zero) -> HTTP2Request {
        let request = request(number)
        #expect(connection.add(request, at: start + passed))
        return request
    }

    // MARK: Until the server's SETTINGS

    @Test
    func aConnectionThatIsNotMadeInTimeHasTimedOut() {
        wire.isMade = false
        wire.watched = [Platform.Entry(descriptor: 9, interest: Platform.Entry.writable)]
        #expect(connection.entries.map(\.descriptor) == [9])
        wire.due = start + .seconds(1)
        #expect(connection.due == start + .seconds(1))
        wire.due = start + .seconds(40)
        #expect(connection.due == start + .seconds(30))
        wire.due = nil
        #expect(connection.due == start + .seconds(30))
        work(.milliseconds(29_999))
        #expect(connection.phase == .opening && !connection.hasMore)
        work(.seconds(30))
        #expect(connection.phase == .closed && connection.failure?.code == .timedOut)
    }

    @Test
    func whyNoConnectionCanBeMadeIsTold() {
        wire.failure = HTTP2Failure(.tls, "no cipher", isFinal: true)
        work()
        #expect(connection.phase == .closed && connection.failure?.code == .tls)
        #expect(connection.failure?.detail == "no cipher" && connection.failure?.isFinal == true)
    }

    @Test
    func aServerThatSendsNoSettingsInTimeIsLeft() {
        work()
        transmit()
        #expect(wire.sent.starts(with: Array("PRI * HTTP/2.0".utf8)))
        #expect(connection.entries.map(\.descriptor) == [wire.socket])
        #expect(connection.due == start + .seconds(30) && connection.room == 0)
        work(.milliseconds(29_999))
        #expect(connection.phase == .opening)
        work(.seconds(30))
        #expect(connection.phase == .closed && connection.failure?.code == .timedOut)
        #expect(connection.failure?.detail == "no SETTINGS frame arrived")
    }

    @Test
    func aConnectionThatEndsBeforeSettingsIsLost() {
        work()
        wire.end = Self.closed
        work()
        #expect(connection.phase == .closed && connection.failure?.code == .connectionLost)
        #expect(connection.failure?.detail == Self.closed)
    }

    @Test
    func aServerThatSaysSomethingElseFirstSpeaksNoHTTP2() {
        work()
        wire.end = Self.closed
        hear(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        #expect(connection.phase == .closed && connection.failure?.code == .noHTTP2)
        let fault = "the server does not begin with SETTINGS, as HTTP/2 does"
        #expect(connection.failure?.detail == "the server sent invalid data: \(fault)")
    }

    // MARK: Room, and its end

    @Test
    func roomIsWhatTheServerAllowsAndIsNotInFlight() {
        #expect(connection.room == 0)
        establish(frame(.settings, [0, 3, 0, 0, 0, 2]))
        #expect(connection.room == 2)
        _ = (begin(0), begin(1))
        #expect(connection.room == 0 && connection.inFlight == 2 && connection.begun == 2)
        // It allows one from now on.
        hear(frame(.settings, [0, 3, 0, 0, 0, 1]))
        #expect(connection.room == 0)
        transmit()
        hear(Self.answer(1))
        #expect(connection.room == 0 && connection.inFlight == 1)
        transmit()
        hear(Self.answer(3))
        #expect(connection.room == 1)
        connection.retire()
        #expect(connection.room == 0)
    }

    @Test
    func aServerThatBreaksTheProtocolIsToldSoAndLeft() {
        establish()
        let first = begin(0)
        transmit()
        // PING of 7 bytes. What comes after it is not read.
        wire.end = Self.closed
        hear(frame(.ping, Array(Self.nothing.dropLast())))
        #expect(connection.phase == .open)
        let second = request(1)
        #expect(!connection.add(second, at: start))
        #expect(connection.phase == .retired && connection.room == 0 && connection.begun == 1)
        transmit()
        #expect(wire.sent.suffix(17).prefix(4) == [0, 0, 8, 7])
        #expect(connection.phase == .closed && connection.entries.isEmpty)
        #expect(first.ending == .unanswered("PING of 7 bytes") && second.ending == nil)
    }

    @Test
    func aConnectionThatTheServerLeavesEndsWithItsLastAnswer() {
        establish()
        let last = begin(0)
        transmit()
        hear(Self.goAway(1), Self.settings)
        #expect(connection.phase == .retired && connection.lasted == 1 && connection.room == 0)
        #expect(!connection.add(request(1), at: start))
        transmit()
        // What comes after the answer is not read.
        let reads = wire.reads
        wire.end = Self.closed
        hear(Self.answer(1))
        #expect(last.ending == .answered(status: 200) && wire.reads == reads + 1)
        #expect(connection.phase == .retired)
        transmit()
        #expect(connection.phase == .closed && connection.failure == nil)
    }

    @Test(arguments: [("", "the connection ended"), ("maintenance", "GOAWAY maintenance")])
    func aServerThatLeavesBeforeTheFirstRequestHasFailed(_ words: String, _ detail: String) {
        establish()
        hear(Self.goAway(0, words))
        #expect(connection.phase == .retired && connection.lasted == 0)
        transmit()
        #expect(connection.phase == .closed && connection.failure?.code == .connectionLost)
        #expect(connection.failure?.detail == detail)
    }

    @Test
    func whatTheServerSaidIsWhyAConnectionFailedThatIsClosed() {
        establish()
        hear(Self.goAway(0, "maintenance"))
        connection.close("it was retired")
        #expect(connection.failure?.detail == "GOAWAY maintenance")
    }

    @Test
    func theEndOfAConnectionLeavesInDoubtWhatItWasGiven() {
        establish()
        let request = begin(0)
        transmit()
        wire.end = Self.closed
        work()
        #expect(request.ending == .unanswered(Self.closed))
        #expect(connection.phase == .closed && connection.failure == nil)
    }

    @Test
    func theEndOfAConnectionIsToldWithWhatTheServerSaidBefore() {
        establish()
        let request = begin(0)
        transmit()
        wire.end = Self.closed
        hear(Self.goAway(1, code: 2, "too many"))
        #expect(request.ending == .unanswered("\(Self.closed): GOAWAY too many"))
        #expect(connection.lasted == nil)
    }

    // MARK: Sending

    @Test
    func whatIsTakenInPartsIsOfferedUntilItIsTaken() throws {
        establish()
        wire.answers = [.moved(10), .moved(20), .blocked]
        _ = begin(0)
        transmit()
        let whole = try #require(wire.offered.first)
        let rest = Array(whole.dropFirst(30))
        #expect(wire.offered == [whole, Array(whole.dropFirst(10)), rest])
        #expect(connection.entries.map(\.interest) == [Platform.Entry.readable | Platform.Entry.writable])
        transmit(.seconds(1))
        #expect(wire.offered.dropFirst(3) == [rest] && wire.sent == whole)
        #expect(connection.entries.map(\.interest) == [Platform.Entry.readable])
        // What follows is offered alone: the headers of the next stream.
        _ = begin(1)
        transmit(.seconds(1))
        let next = try #require(wire.offered.dropFirst(4).first)
        #expect(next[5..<9] == [0, 0, 0, 3] && wire.sent == whole + next)
    }

    @Test
    func noMoreIsOfferedAtOnceThanARecordOfTLSHolds() {
        establish()
        // So many acknowledgements are asked for.
        hear(Array(repeatElement(Self.ping, count: 990).joined()))
        transmit()
        #expect(wire.offered.map(\.count) == [16384, 990 * 17 - 16384])
    }

    @Test
    func aConnectionThatTakesNothingForTooLongIsLost() {
        establish()
        let request = begin(0, at: .seconds(5))
        wire.answers = [.blocked, .blocked]
        transmit(.seconds(5))
        transmit(.milliseconds(24_999))
        #expect(connection.phase == .open && wire.offered.count == 2)
        // What was framed that long ago must not leave any more.
        transmit(.seconds(25))
        #expect(connection.phase == .closed)
        #expect(request.ending == .unanswered("the connection accepted no data for too long"))
        transmit(.seconds(26))
        #expect(wire.offered.count == 2 && wire.sent.isEmpty)
    }

    @Test
    func whatAConnectionDoesNotTakeAtItsEndWasNotGiven() {
        establish()
        let (first, second) = (begin(0), begin(1))
        transmit()
        let third = begin(2)
        wire.answers = [.ended("broken pipe")]
        transmit()
        // Nothing more is offered, but what had arrived before is read.
        transmit()
        #expect(wire.offered.count == 2 && connection.phase == .open)
        hear(Self.answer(1))
        #expect(connection.phase == .closed && first.ending == .answered(status: 200))
        #expect(second.ending == .unanswered("the connection ended"))
        #expect(third.ending == .notGiven("the connection ended"))
    }

    @Test
    func whatWasOfferedBeforeMayHaveBeenTaken() {
        establish()
        let request = begin(0)
        wire.answers = [.blocked, .ended("broken pipe")]
        transmit()
        transmit()
        // Nothing arrives that would tell of the end.
        work()
        #expect(connection.phase == .closed && request.ending == .unanswered("the connection ended"))
    }

    // MARK: Reading

    @Test
    func readingStopsForOthersAndGoesOnWithoutAnEvent() {
        establish()
        let request = begin(0)
        transmit()
        let reads = wire.reads
        wire.arrived = Array(repeating: Self.pong, count: 64) + [Self.answer(1)]
        work()
        #expect(wire.reads == reads + 64 && connection.hasMore && request.ending == nil)
        work(isNoticed: false)
        #expect(wire.reads == reads + 66 && !connection.hasMore)
        #expect(connection.phase == .open && request.ending == .answered(status: 200))
    }

    @Test
    func allThatArrivedIsReadBeforeAConnectionIsGivenUp() {
        establish()
        let (first, second) = (begin(0), begin(1))
        transmit()
        _ = begin(2)
        wire.answers = [.ended("broken pipe")]
        transmit()
        wire.arrived = Array(repeating: Self.pong, count: 64) + [Self.answer(1)]
        work()
        #expect(connection.phase == .open)
        work()
        #expect(connection.phase == .closed && first.ending == .answered(status: 200))
        #expect(second.ending == .unanswered("the connection ended"))
    }

    // MARK: Times

    @Test
    func aSilentServerIsAskedOnceAndThenLost() {
        establish()
        hear(Self.pong, at: .seconds(10))
        #expect(connection.due == start + .seconds(70))
        work(.milliseconds(69_999))
        transmit(.milliseconds(69_999))
        #expect(wire.offered.isEmpty)
        work(.seconds(70))
        transmit(.seconds(70))
        #expect(wire.sent == Self.ping && connection.due == start + .seconds(85))
        let request = begin(0, at: .seconds(80))
        transmit(.seconds(80))
        work(.milliseconds(84_999))
        transmit(.milliseconds(84_999))
        #expect(connection.phase == .open && wire.offered.count == 2)
        work(.seconds(85))
        #expect(connection.phase == .closed)
        #expect(request.ending == .unanswered("the server does not answer a PING"))
    }

    @Test
    func whateverArrivesAnswersAPing() {
        establish()
        work(.seconds(60))
        transmit(.seconds(60))
        #expect(wire.sent == Self.ping)
        hear(Self.settings, at: .seconds(61))
        #expect(connection.due == start + .seconds(121))
        transmit(.seconds(61))
        wire.forget()
        work(.seconds(120))
        transmit(.seconds(120))
        #expect(wire.offered.isEmpty)
        work(.seconds(121))
        transmit(.seconds(121))
        #expect(wire.sent == Self.ping && connection.phase == .open)
    }

    /// Where the server was silent all the time, nothing more is begun on the connection.
    @Test(arguments: [false, true])
    func aRequestThatIsNotAnsweredInTimeIsTakenBack(isSilent: Bool) {
        establish()
        let (late, next) = (begin(0), begin(1, at: .seconds(5)))
        transmit()
        #expect(connection.due == start + .milliseconds(100))
        work(.milliseconds(100))
        #expect(connection.due == start + .milliseconds(200))
        if !isSilent { hear(Self.pong, at: .seconds(1)) }
        work(.milliseconds(19_900))
        #expect(late.ending == nil)
        work(.seconds(20))
        #expect(late.ending == .unanswered("timed out") && next.ending == nil)
        let phase: HTTP2Connection.Phase = isSilent ? .retired : .open
        #expect(connection.phase == phase && connection.inFlight == 1)
        // RST_STREAM: it is cancelled.
        wire.forget()
        transmit(.seconds(20))
        #expect(wire.sent == frame(.reset, stream: 1, [0, 0, 0, 8]))
        hear(Self.answer(3), at: .seconds(21))
        #expect(next.ending == .answered(status: 200) && connection.ended.map(\.number) == [0, 1])
    }

    // MARK: Requests

    @Test
    func aRequestBegunAnewKnowsNothingOfItsLastExchange() {
        establish()
        let request = begin(7)
        transmit()
        // 200 with its own header, and a body.
        let head: [UInt8] = [0x88, 0x00, 7] + Array("apns-id".utf8) + [1, 0x37]
        hear(frame(.headers, flags: 4, stream: 1, head), frame(.data, flags: 1, stream: 1, [8, 9]))
        #expect(request.ending == .answered(status: 200) && request.echo == .same && request.answer == [8, 9])
        request.begin(path: Array("/q".utf8), own: Array("8".utf8), headers: headers)
        #expect(request.ending == nil && request.echo == .absent && request.answer.isEmpty)
        #expect(request.path == Array("/q".utf8) && request.own == Array("8".utf8))
        #expect(connection.add(request, at: start))
        connection.close("it is over")
        #expect(request.ending == .notGiven("it is over"))
    }
}
