import Base
import Foundation
import ProgramTesting
import Synchronization
import Testing

/// Three built servers on one database, behind a load balancer.
final class ServerCopies: Sendable {
    static let count = 3
    private let url: String
    private let options: [String]
    private let programs: Mutex<[Program]>
    private let proxy: BalancingProxy

    /// Starts them; `path` is that of another build, this one's by default.
    init(_ url: String, _ options: [String] = [], path: String? = nil) async throws {
        (self.url, self.options) = (url, ["--pushes-per-minute", "1000000"] + options)
        var programs: [Program] = []
        for _ in 0..<Self.count {
            programs.append(try await Program.start(path, registry: url, self.options))
        }
        proxy = try BalancingProxy(programs.map(\.port))
        self.programs = Mutex(programs)
    }

    subscript(index: Int) -> Program { programs.withLock { $0[index] } }

    /// Ends one by a signal, waits until it is gone and starts another in its place: of this build.
    func restart(_ index: Int, after signal: Int32 = SIGKILL) async throws {
        let old = self[index]
        old.send(signal)
        // Its port may soon be that of another test's server, which has the same keys.
        try await eventually { (try? old.isListening) != true }
        proxy.replace(index, nil)
        _ = try await old.ending
        let new = try await Program.start(registry: url, options)
        programs.withLock { $0[index] = new }
        proxy.replace(index, new.port)
    }

    func kill() {
        for index in 0..<Self.count { self[index].kill() }
        proxy.stop()
    }

    /// The answer to a call, which is made again until a server gives one.
    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
        while true {
            let answer = try? await HTTPClient.send(
                method, "/1.1" + path, port: proxy.port, headers: TestServer.headers(.master),
                body: body?.canonicalBytes ?? [])
            if let answer, answer.status < 500 { return answer }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Clients that register devices and push to them, each in rounds of its own, while something happens to the servers.
final class CopiesLoad: Sendable {
    private let copies: ServerCopies
    private let clients: Int
    private let rounds = Mutex<[Int: Int]>([:])
    private let times = Mutex<[Duration]>([])

    init(_ copies: ServerCopies, clients: Int = 9) {
        (self.copies, self.clients) = (copies, clients)
    }

    /// The number of rounds that are complete.
    var progress: Int { rounds.withLock { $0.values.reduce(0, +) } }

    /// Returns when so many more rounds are complete.
    func advance(by count: Int) async throws {
        let end = progress + count
        try await eventually { progress >= end }
    }

    /// Lets the clients go on as long as `body` does; returns what it was like, in words.
    func run(during body: @escaping @Sendable () async throws -> Void) async throws -> String {
        let end = StopSignal()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask { [self] in
                    var round = 0
                    while !end.isRaised {
                        try await play(client, round)
                        round += 1
                        rounds.withLock { [round] in $0[client] = round }
                    }
                }
            }
            group.addTask {
                defer { end.raise() }
                try await body()
            }
            try await group.waitForAll()
        }
        let (all, whole) = (times.withLock { $0.sorted() }, start.duration(to: .now))
        guard !all.isEmpty else { return "no calls" }
        func milliseconds(_ share: Double) -> Int { Int(all[Int(Double(all.count - 1) * share)] / .milliseconds(1)) }
        return """
            \(all.count) calls in \(whole), \(Int(Double(all.count) / (whole / .seconds(1)))) a second, \
            median \(milliseconds(0.5)) ms, p99 \(milliseconds(0.99)) ms, longest \(milliseconds(1)) ms
            """
    }

    private func play(_ client: Int, _ round: Int) async throws {
        let token = "w\(client)d\(round)"
        let device: JSONValue = [
            "deviceType": "ios", "deviceToken": .string(token), "value": .integer(Int64(round)),
        ]
        let registered = try await timed { try await self.copies.call("POST", "/installations", device) }
        #expect((200...201).contains(registered.status), "\(registered.body)")
        // A client that got no answer asks again under the same id.
        let push: JSONValue = [
            "where": ["deviceToken": .string(token)], "data": ["alert": "x"], "notification_id": .string(token),
            "req_id": .string(token),
        ]
        let pushed = try await timed { try await self.copies.call("POST", "/push", push) }
        #expect(pushed.status == 200, "\(pushed.body)")
    }

    private func timed(_ call: () async throws -> Answer) async throws -> Answer {
        let start = ContinuousClock.now
        let answer = try await call()
        times.withLock { $0.append(start.duration(to: .now)) }
        return answer
    }

    /// Checks that every answer was true: each device is there, with what was said last, and got each push once.
    func check() async throws {
        let kept = rounds.withLock { $0 }
        let count = try await copies.call("GET", "/installations?count=1&limit=0").body["count"]?.integer
        #expect(count == Int64(kept.values.reduce(0, +)))
        for (client, rounds) in kept {
            for round in 0..<rounds {
                let token = "w\(client)d\(round)"
                // What one copy accepted and did not send any other sends.
                try await eventually {
                    try await copies.call("GET", "/notifications/\(token)").body["status"] == "done"
                }
                let inbox = try await copies.call("GET", "/bugle/inboxes?notificationId=\(token)").body
                #expect(inbox == ["devices": 1, "messages": 1, "duplicates": 0], "\(token)")
            }
        }
    }
}
