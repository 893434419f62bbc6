internal import Base
internal import BaseTesting
internal import CNghttp2
internal import Testing

@testable internal import HTTP

/// Pushes that are begun anew where they were certainly not given, over connections that refuse, reset, leave, stall,
/// time out and die.
struct HTTP2HistoryTests {
    @Test(arguments: 0..<100 as Range<UInt64>)
    func nothingIsGivenTwiceAndWhatIsSaidIsWhatTheServerDid(_ seed: UInt64) throws {
        var history = History(seed: seed)
        for _ in 0..<4000 where !history.isOver { try history.step() }
        #expect(history.isOver)
        try history.check()
    }
}

/// One seed's pushes and connections.
private struct History {
    private static let count = 80

    private var chance: SeededGenerator
    private let pushes = Pushes()
    private var ways: [Way] = []
    private var waiting = Array(0..<Self.count)
    private var endings: [Int: HTTP2Ending] = [:]
    private var free: [HTTP2Request] = []
    private var places = 0

    init(seed: UInt64) { chance = SeededGenerator(seed: seed) }

    var isOver: Bool { endings.count == Self.count }

    mutating func step() throws {
        let open = ways.filter { !$0.isOver }
        guard open.count == 2 else { return ways.append(try Way(pushes, seed: chance.next())) }
        for way in open {
            try begin(on: way)
            if way.happens(in: 40) { pushes.unwanted.insert(Int.random(in: 0..<Self.count, using: &way.chance)) }
            if way.happens(in: 30) { way.pass(.seconds(way.happens(in: 3) ? 1000 : 1)) }
            way.move()
            collect(way)
        }
    }

    private static func body(of push: Int) -> [UInt8] {
        Array(repeating: UInt8(push), count: [1, 3, 500, 4000, 20_000][push % 5])
    }

    private mutating func begin(on way: Way) throws {
        while way.connection.room > 0, way.happens(in: 2), let push = waiting.popLast() {
            if free.isEmpty {
                free.append(HTTP2Request(number: places))
                places += 1
            }
            let request = free.removeLast()
            request.body = Self.body(of: push)
            pushes.of[request.number] = push
            let ending = way.chance.one(of: ["a", "b", "c"])
            let token = ("authorization", String(repeating: "x", count: 300) + ending)
            request.begin(
                path: Array("/\(push)".utf8), own: Array("\(push)".utf8),
                headers: try HTTP2Headers([token, ("apns-topic", "t")], ownName: "apns-id"))
            if way.connection.add(request, at: way.time) {
                way.pushes[request.stream] = push
            } else {
                free.append(request)
                waiting.append(push)
            }
        }
    }

    /// What was certainly not given waits again; the rest has ended.
    private mutating func collect(_ way: Way) {
        for request in way.connection.ended {
            free.append(request)
            guard let push = way.pushes[request.stream], let ending = request.ending,
                pushes.of[request.number] == push
            else {
                Issue.record("the ending of stream \(request.stream) is another's")
                continue
            }
            switch ending {
            case .notGiven("it was held back"): endings[push] = ending
            case .notGiven: waiting.append(push)
            case .streamRefused:
                waiting.append(push)
                let isLeft = way.server.last.map { $0 < request.stream } ?? false
                #expect(isLeft || way.server.refused.contains(request.stream))
            case .answered(let status):
                endings[push] = ending
                #expect(way.server.answered[request.stream] == status)
            case .unanswered: endings[push] = ending
            }
        }
        way.connection.ended = []
    }

    func check() throws {
        var given: [Int: Int] = [:]
        for way in ways {
            #expect(way.server.complaints == [])
            for (stream, received) in way.server.received {
                if way.server.refused.contains(stream) || stream > way.server.last ?? .max { continue }
                let push = try #require(way.pushes[stream])
                #expect(Self.body(of: push).starts(with: received.body))
                #expect(received.fields.last == "apns-id: \(push)")
                if !received.body.isEmpty { given[push, default: 0] += 1 }
            }
        }
        for (push, count) in given {
            #expect(count == 1, "push \(push)")
            if case .notGiven = endings[push] { Issue.record("push \(push) was given") }
        }
    }
}

/// Which push each request is, and those whose body is not to leave any more.
private final class Pushes {
    var of: [Int: Int] = [:]
    var unwanted: Set<Int> = []
}

/// A connection with its server, and the bytes between them.
private final class Way {
    let connection: HTTP2Connection
    let server: ReferenceServer
    /// The pushes by their streams.
    var pushes: [Int32: Int] = [:]
    var chance: SeededGenerator
    private(set) var time = ContinuousClock.now
    private(set) var isOver = false
    private let session: HTTP2Session
    private var up: [UInt8] = []
    private var down: [UInt8] = []

    init(_ pushes: Pushes, seed: UInt64) throws {
        // Only requests are ever too late.
        let setup = try HTTP2Setup(
            HTTP2Configuration(
                endpoint: "https://127.0.0.1:1", connectTimeout: .seconds(1_000_000), requestTimeout: .seconds(600),
                keepAlive: .seconds(1_000_000)))
        connection = try HTTP2Connection(setup, at: time) { !pushes.unwanted.contains(pushes.of[$0.number] ?? -1) }
        try connection.greet(at: time)
        session = try #require(connection.session)
        var chance = SeededGenerator(seed: seed)
        let settings: [(UInt32, UInt32)] = [
            (1, chance.one(of: [0, 400, 4096])), (3, .random(in: 1...10, using: &chance)),
            (4, chance.one(of: [0, 3, 1000, 65535])),
        ]
        self.chance = chance
        server = ReferenceServer(settings) { stream, isWhole in
            switch Int.random(in: 0..<12, using: &chance) {
            case 0: .reset(NGHTTP2_REFUSED_STREAM)
            case 1: .reset(NGHTTP2_CANCEL)
            case 2: .answer(status: 410, body: [])
            case 3: .wait
            default: isWhole ? .answer(status: stream % 4 == 1 ? 200 : 400, body: []) : .wait
            }
        }
    }

    func happens(in times: Int) -> Bool { Int.random(in: 0..<times, using: &chance) == 0 }

    func pass(_ duration: Duration) {
        time += duration
        var room: [UInt8] = [0]
        connection.work([], at: time, &room)
    }

    /// Moves some of the bytes, or ends.
    func move() {
        var output: [UInt8] = []
        session.write(to: &output, size: happens(in: 2) ? 300 : 15360)
        // The connection was found dead when these bytes were offered: none of them has left.
        let isDead = !output.isEmpty && happens(in: 150)
        if isDead { for request in connection.framed { request.isGiven = false } } else { up += output }
        connection.framed = []
        if happens(in: 15) { server.change([(4, chance.one(of: [0, 1, 100, 65535]))]) }
        if happens(in: 40) { server.change([(3, 10), (4, 65535)]) }
        server.receive(taken(from: &up, isDead ? .max : .random(in: 0...5000, using: &chance)))
        if server.last == nil, happens(in: 80) {
            // A dictionary has another order in each process.
            let acted = server.received.keys.sorted()
            server.leave(after: happens(in: 2) ? .max : acted.randomElement(using: &chance) ?? 0)
        }
        down += server.write()
        let answers = taken(from: &down, .random(in: 0...500, using: &chance))
        _ = answers.withUnsafeBytes { session.receive($0) }
        if isDead || connection.phase == .retired && connection.inFlight == 0 || happens(in: 400) {
            server.receive(up)
            connection.close("lost")
        }
        isOver = connection.phase == .closed
    }

    private func taken(from bytes: inout [UInt8], _ count: Int) -> [UInt8] {
        defer { bytes.removeFirst(min(count, bytes.count)) }
        return Array(bytes.prefix(count))
    }
}

extension SeededGenerator {
    fileprivate mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self)]
    }
}
