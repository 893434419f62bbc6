import Foundation
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite(hasServer) struct PostgresClientTests {
    private func pool(_ settings: PostgresSettings = PostgresSettings(), width: Int = 1) async throws -> PostgresPool {
        PostgresPool(try await PostgresFixture.database(), settings: settings, width: width)
    }

    @Test func valuesComeBackAsTheyWent() async throws {
        let pool = try await pool()
        let texts = ["", "'", "\\", "{\"a\",b}", "a,b", "é😀", "NULL", String(repeating: "ü", count: 1 << 20)]
        try await pool.use { session in
            for text in texts {
                #expect(try session.row("SELECT $1::text", [.text(text)])?.text(0) == text)
            }
            let row = try session.row(
                "SELECT $1::bigint, $2::float8, $3::boolean, $4::text, ($5::text[])[4], cardinality($6::bigint[])",
                [.integer(.min), .real(0.1), .text("true"), .null, .texts(texts), .integers([1, -2])])
            #expect(row?.integer(0) == .min && row?.text(1) == "0.1" && row?.boolean(2) == true && row?.text(3) == nil)
            #expect(row?.text(4) == texts[3] && row?.integer(5) == 2)
            try session.execute("CREATE TABLE t (n bigint, s text)")
            try session.copy(
                (texts + ["\\N", "a\tb\nc\rd"]).enumerated().map { [.integer(Int64($0)), .text($1)] } + [
                    [.integer(99), .null]
                ],
                into: "t(n, s)")
            #expect(
                try session.rows("SELECT s FROM t ORDER BY n").map { $0.text(0) } == texts + ["\\N", "a\tb\nc\rd", nil])
            for wrong in [
                { try session.execute("SELECT $1", [.text("a\0b")]) },
                {
                    try session.copy([[.integer(1), .text("\0")]], into: "t(n, s)")
                    return 0
                },
            ] as [() throws -> Int] {
                let error = #expect(throws: PostgresError.self) { _ = try wrong() }
                #expect(error?.kind == .value)
            }
        }
        await pool.close()
    }

    @Test func aStatementThatAProxyLostIsPreparedNoMore() async throws {
        let pool = try await pool()
        try await pool.use { session in
            func ask() throws -> Int64? {
                try session.transaction(.lookUps) { session in
                    try session.row("SELECT $1::bigint", [.integer(7)], isKept: true)?.integer(0)
                }
            }
            func kept() throws -> Int64? { try session.row("SELECT count(*) FROM pg_prepared_statements")?.integer(0) }
            #expect(try ask() == 7 && ask() == 7 && kept() == 1)
            // As another connection of the proxy's would be.
            try session.execute("DEALLOCATE ALL")
            let error = #expect(throws: PostgresError.self) { try ask() }
            // It is run again.
            #expect(error?.kind == .conflict)
            #expect(try ask() == 7 && kept() == 0)
        }
        await pool.close()
    }

    @Test func whatClientsCountIsKeptByASessionThatHasRoom() async throws {
        let pool = try await pool()
        let database = PostgresDatabase(pool: pool)
        func count(_ shape: Int) async throws -> Int {
            try await database.read(.within(.seconds(60))) { db in
                try db.number(SQLText(sql: "SELECT \(shape) + CAST(? AS bigint)", arguments: [7]))
            }
        }
        func kept() async throws -> Int64? {
            try await pool.use { try $0.row("SELECT count(*) FROM pg_prepared_statements")?.integer(0) }
        }
        for _ in 0..<7 { #expect(try await count(1) == 8) }
        #expect(try await kept() == 1)
        for shape in 0..<300 { #expect(try await count(shape) == shape + 7) }
        #expect(try await kept() == 256)
        await pool.close()
    }

    @Test func whatIsSaidOnAChannelIsHeardAgainAfterTheConnectionBroke() async throws {
        let pool = try await pool(width: 2)
        var heard = pool.news(on: "there").makeAsyncIterator()
        #expect(await heard.next() == true)
        let ended = try await pool.use { session in
            try session.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN there'")
                .count
        }
        #expect(ended == 1)
        while await heard.next() != false {}
        #expect(await heard.next() == true)
        try await pool.use { session in _ = try session.execute("NOTIFY there") }
        #expect(await heard.next() == true)
        await pool.close()
    }

    @Test func failuresSayTheirKindAndNoValue() async throws {
        let pool = try await pool()
        let secret = "7e57c0de7e57c0de"
        try await pool.use { session in
            try session.execute("CREATE TABLE t (n bigint PRIMARY KEY, s text UNIQUE)")
            try session.execute("INSERT INTO t VALUES (1, $1)", [.text(secret)])
            func kind(_ sql: String, _ values: [SQLValue] = []) -> PostgresError? {
                let error = #expect(throws: PostgresError.self) { try session.execute(sql, values) }
                #expect(error?.description.contains(secret) == false)
                return error
            }
            #expect(kind("INSERT INTO t VALUES (2, $1)", [.text(secret)])?.kind == .duplicate)
            #expect(kind("SELECT $1::bigint", [.text(secret)])?.kind == .value)
            #expect(kind("SELECT FROM nowhere")?.sqlState == "42P01")
            let copied = #expect(throws: PostgresError.self) {
                try session.copy([[.integer(3), .text("x")], [.text(secret), .null]], into: "t(n, s)")
            }
            #expect(copied?.kind == .value && copied?.description.contains(secret) == false)
            // A session goes on after each of them, and nothing of what failed is there.
            #expect(try session.row("SELECT count(*) FROM t")?.integer(0) == 1)
            let swallowed = #expect(throws: PostgresError.self) {
                try session.transaction { session in
                    try session.execute("DELETE FROM t")
                    _ = try? session.execute("SELECT FROM nowhere")
                } as Void
            }
            #expect(swallowed?.kind == .statement)
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try session.transaction { session in
                    try session.execute("DELETE FROM t")
                    throw Stop()
                } as Void
            }
            #expect(try session.row("SELECT count(*) FROM t")?.integer(0) == 1)
        }
        await pool.close()
    }

    @Test func anErrorThatABodyHidesUndoesTheTransactionThatConnectedToo() async throws {
        let pool = try await pool()
        let hidden = await #expect(throws: PostgresError.self) {
            try await pool.use { session in
                try session.transaction { session in _ = try? session.execute("SELECT 1 / 0") }
            }
        }
        #expect(hidden?.kind == .statement)
        await pool.close()
    }

    @Test func aSessionConnectsAnewButNotWithinATransaction() async throws {
        let pool = try await pool(width: 2)
        let process = try await pool.use { session in
            _ = try session.row("SELECT 1")
            return session.process
        }
        func cut(_ process: Int) async throws {
            try await pool.use { session in
                // The other session may be lent first.
                try session.execute("SELECT pg_terminate_backend($1::int)", [.integer(Int64(process))])
            }
        }
        _ = try? await cut(process)
        let answers = try await pool.use { session in
            try session.transaction { session in try session.row("SELECT 7")?.integer(0) }
        }
        #expect(answers == 7)
        await #expect(throws: PostgresError.self) {
            try await pool.use { session in
                try session.transaction { session in
                    _ = try? session.execute("SELECT pg_terminate_backend(pg_backend_pid())")
                    _ = try session.execute("SELECT 1")
                }
            }
        }
        #expect(try await pool.use { session in try session.row("SELECT 8")?.integer(0) } == 8)
        await pool.close()
    }

    @Test(arguments: PostgresServer.Ending.allCases)
    func aSessionThatWasIdleWhenTheServerEndedConnectsAnew(ending: PostgresServer.Ending) async throws {
        let server = PostgresServer()
        let pool = PostgresPool(try PostgresAddress(try await server.databaseURL()), width: 1)
        func ask() async throws -> Int64? {
            try await pool.use { session in
                try session.transaction { session in try session.row("SELECT 7")?.integer(0) }
            }
        }
        #expect(try await ask() == 7)
        try await server.restart(ending)
        #expect(try await ask() == 7)
        // Outside of a transaction it is the caller who tries again.
        try await server.restart(ending)
        let error = await #expect(throws: PostgresError.self) { try await pool.use { _ = try $0.row("SELECT 8") } }
        #expect(error?.kind == .lost)
        #expect(try await ask() == 7)
        await pool.close()
    }

    @Test func aConnectionThatBreaksWhileRowsGoIsOneFailure() async throws {
        let pool = try await pool()
        let copied = await #expect(throws: PostgresError.self) {
            try await pool.use { session in
                try session.execute(
                    """
                    CREATE TABLE t (n bigint CHECK (n < 3 OR pg_terminate_backend(pg_backend_pid())))
                    """)
                try session.copy((0..<100_000).map { [.integer($0)] }, into: "t(n)")
            }
        }
        #expect(copied?.kind == .lost)
        #expect(try await pool.use { try $0.row("SELECT count(*) FROM t")?.integer(0) } == 0)
        await pool.close()
    }

    @Test func whatTakesTooLongIsEnded() async throws {
        let pool = try await pool(PostgresSettings(statementTimeout: 50))
        let error = await #expect(throws: PostgresError.self) {
            try await pool.use { session in
                try session.transaction { session in _ = try session.row("SELECT pg_sleep(60)") }
            }
        }
        #expect(error?.kind == .timeout && error?.sqlState == "57014")
        await pool.close()
    }

    /// A proxy that pools transactions gives each of them another session, which was told nothing.
    @Test func whatATransactionIsToldIsNotLostOnTheWay() async throws {
        let pool = try await pool()
        func setting(
            _ name: String, _ kind: PostgresTransaction, within limit: Duration? = nil
        ) async throws -> String? {
            try await pool.use { session in
                try session.execute("DISCARD ALL")
                return try session.transaction(kind, within: limit) { try $0.row("SHOW \(name)")?.text(0) }
            }
        }
        // The server was started without it: what is committed is durable nevertheless.
        for kind in [PostgresTransaction.writing, .lookUps] {
            #expect(try await setting("synchronous_commit", kind) == "on")
            #expect(try await setting("statement_timeout", kind) == "1min")
            #expect(try await setting("lock_timeout", kind) == "30s")
            #expect(try await setting("jit", kind) == "off")
        }
        #expect(try await setting("enable_seqscan", .lookUps) == "off")
        #expect(try await setting("enable_seqscan", .writing) == "on")
        #expect(try await setting("transaction_read_only", .snapshot) == "on")
        #expect(try await setting("statement_timeout", .snapshot) == "1min")
        #expect(try await setting("statement_timeout", .snapshot, within: .milliseconds(2500)) == "2500ms")
        await pool.close()
    }

    @Test func aSessionThatMayOnlyReadDoesThroughAProxyToo() async throws {
        let pool = try await pool(PostgresSettings(isReadOnly: true))
        for kind in [PostgresTransaction.writing, .lookUps, .snapshot] {
            for forgets in [true, false] {
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.use { session in
                        try session.transaction(kind) { session in
                            if forgets { try session.execute("RESET ALL") }
                            try session.execute("CREATE TABLE t (a bigint)")
                        }
                    }
                }
                #expect(error?.kind == .readOnly)
            }
        }
        for error in [
            await #expect(throws: PostgresError.self) { try await pool.use { try $0.execute("SELECT 1") } },
            await #expect(throws: PostgresError.self) { try await pool.use { try $0.copy([], into: "t(a)") } },
        ] { #expect(error?.kind == .readOnly) }
        await pool.close()
    }

    @Test func sessionsAreLentToOneBodyAtATime() async throws {
        let pool = try await pool(width: 2)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await pool.use { session in
                        _ = try session.row("SELECT 1")
                        return session.process
                    }
                }
            }
            let processes = try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            #expect(processes.count <= 2)
        }
        await pool.close()
        await #expect(throws: PostgresError.self) { try await pool.use { _ in } }
    }

    @Test(arguments: [
        "postgresql://u:hunter2@db.example.com/x?sslmode=prefer", "host=db.example.com sslmode=allow password=hunter2",
        "host=10.0.0.1,localhost sslmode=prefer", "hunter2", "postgres:///db?service=hunter2", "postgresql://[",
        "host=/tmp\0hunter2",
    ])
    func addressesThatCannotBeUsedAreRefusedWithoutBeingShown(text: String) {
        let error = #expect(throws: PostgresError.self) { _ = try PostgresAddress(text) }
        #expect(error?.kind == .address && error?.description.contains("hunter2") == false)
        #expect(error?.description.contains("example") == false)
    }

    /// libpq takes the rest of such a password for a host, a port or a database, and names these.
    @Test(arguments: [
        "postgres://u:se@hunter2@db.invalid/x", "postgresql://u:se/hunter2@db.invalid/x", "postgres://u:p@h/x@hunter2",
        "postgres://u@x:hunter2@h/d",
    ])
    func aPasswordWithAnAtIsRefusedWithoutItsEnd(text: String) {
        let error = #expect(throws: PostgresError.self) { _ = try PostgresAddress(text) }
        #expect(error?.kind == .address && error?.description.contains("hunter2") == false)
    }

    @Test(arguments: [
        "postgres://u:se%40ret@h/d", "postgres://u@h/d?application_name=a@b", "postgres://h/d", "host=h password=a@b@c",
    ])
    func otherSignsAreTakenAsTheyAre(text: String) throws {
        #expect(try PostgresAddress(text).servers == ["h:5432"])
    }

    @Test func aPasswordIsInNoError() async throws {
        let address = try PostgresAddress("postgresql://u:hunter2@/x?host=/nowhere-hunter2")
        #expect("\(address)" == "a PostgreSQL database")
        let pool = PostgresPool(address)
        let error = await #expect(throws: PostgresError.self) { try await pool.use { _ = try $0.execute("SELECT 1") } }
        #expect(error?.kind == .unreachable && error?.description.contains("hunter2") == false)
        await pool.close()
    }
}
