import Base
import DeviceRegistry
import Foundation
import HistoryTesting
import ProgramTesting
import Push
import RegistryTesting
import Synchronization

/// Three senders with connections of their own on one real server, which is disturbed, and the history of what they asked.
final class HistoryTrial: Sendable {
    /// What lies between the senders and the server, and what their clocks show.
    enum Kind: Sendable, CaseIterable {
        /// Terms are judged by the server's clock, as always in the product.
        case direct
        /// Terms are judged by the senders' clocks, which are minutes apart: the fence alone must do.
        case skewed
        /// By way of PgBouncer, with `pool_mode=transaction`.
        case pooled
    }

    let kind: Kind
    let seed: UInt64
    let server: PostgresServer
    let recorder = HistoryRecorder()
    /// A way to the server of its own.
    let admin: PostgresPool
    private let address: PostgresAddress
    private let bouncer: PgBouncer?
    private let over = Flag()
    /// The newest lease that anybody was told of.
    private let newest = Mutex<Lease?>(nil)

    static let workspace = "w"
    static let delivery = "abcdefghijklmnop"
    static let devices = 600
    static let batchSize = 4
    /// The term of a lock: it ends while its holder or the server is stopped.
    static let term = Duration.milliseconds(400)
    private static let skews: [Double] = [-180, 0, 240]

    init(_ kind: Kind, seed: UInt64) async throws {
        (self.kind, self.seed) = (kind, seed)
        server = PostgresServer()
        let (folder, url) = (try await server.folder(), try await server.databaseURL(like: PostgresServer.template))
        admin = PostgresPool(try PostgresAddress(url + "&application_name=admin"), width: 2)
        bouncer = kind == .pooled ? try await PgBouncer.start(before: folder) : nil
        address = try PostgresAddress(bouncer?.url(of: url, before: folder) ?? url)
        try await admin.add(tokens: (0..<Self.devices).map { "ab\(1000 + $0)" })
    }

    /// Sends while `disturb` is at work, and then to the rest; returns what the database says in the end.
    func run(_ disturb: @escaping @Sendable (HistoryTrial) async throws -> Void) async throws -> HistoryEnd {
        let first = try await HistorySender(self, 0, skew: kind == .skewed ? 0 : nil)
        try await first.begin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, skew) in Self.skews.enumerated() {
                let sender = try await HistorySender(self, index + 1, skew: kind == .skewed ? skew : nil)
                group.addTask { try await sender.send() }
            }
            group.addTask { [over] in
                defer { over.raise() }
                try await disturb(self)
            }
            try await group.waitForAll()
        }
        let outcome = try await first.end()
        await admin.close()
        try bouncer?.stop()
        return outcome
    }

    var isOver: Bool { over.isRaised }

    /// The lease under which anybody may help.
    var lease: Lease? { newest.withLock { $0 } }

    func note(_ lease: Lease) {
        newest.withLock { known in
            if known?.fence ?? 0 <= lease.fence { known = lease }
        }
    }

    /// A connection of a sender's own.
    func open(_ clock: (@Sendable () -> Instant)?) async throws -> Journal {
        try await PostgresRegistry.open(address, width: 1, clock: clock)
    }

    /// Returns when what is asked of the server now can have no effect any more: every transaction that began before is
    /// over, with or without its client.
    func certainty() async throws {
        var mark: Int64?
        try await eventually {
            guard let since = mark else {
                mark = try? await self.number("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
                return false
            }
            let left = try? await self.number(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND (extract(epoch FROM xact_start) * 1000000)::bigint <= $1
                """, since)
            return left == 0
        }
    }

    private func number(_ sql: String, _ value: Int64? = nil) async throws -> Int64? {
        try await admin.use { session in try session.row(sql, value.map { [.integer($0)] } ?? [])?.integer(0) }
    }
}

// MARK: - Disturbances

extension HistoryTrial {
    /// What befalls the server.
    private enum Fault: CaseIterable {
        /// A session is ended.
        case cut
        /// The process of a session is stopped for longer than a lock's term.
        case stop
    }

    /// Disturbs the server so many times; in the middle of each third it ends as if by a loss of power.
    @Sendable static func disturb(_ trial: HistoryTrial, times: Int) async throws {
        var random = SeededGenerator(seed: trial.seed)
        for time in 0..<times {
            let count = trial.recorder.count
            try await eventually { trial.recorder.count >= count + 30 }
            if time % 9 == 4 {
                try await trial.server.restart(.immediate)
                continue
            }
            guard let process = try? await trial.process(of: Int.random(in: 0..<100, using: &random)) else { continue }
            switch Fault.allCases.randomElement(using: &random) ?? .cut {
            case .cut:
                _ = try? await trial.admin.use { session in
                    try session.execute("SELECT pg_terminate_backend($1::int)", [.integer(Int64(process))])
                }
            case .stop:
                kill(process, SIGSTOP)
                defer { kill(process, SIGCONT) }
                try await Task.sleep(for: term * 2)
            }
        }
    }

    /// The process of one of the senders' sessions; those that are in a transaction come first.
    private func process(of number: Int) async throws -> Int32? {
        try await admin.use { session in
            let rows = try session.rows(
                """
                SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'admin'
                ORDER BY xact_start IS NULL, pid
                """)
            return rows.isEmpty ? nil : rows[number % rows.count].integer(0).map(Int32.init)
        }
    }
}
