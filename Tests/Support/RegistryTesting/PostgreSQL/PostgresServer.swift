package import DeviceRegistry
internal import Foundation
internal import Subprocess
internal import SystemPackage

/// A real server for a run of the tests: in a temporary folder, as an unprivileged user, on a socket of its own.
///
/// It ends with the process of the tests, however that ends: a watchman sees to it.
package actor PostgresServer {
    /// The run's server.
    package static let shared = PostgresServer()

    private var starting: Task<String, any Error>?

    /// A server of a test's own, which it may restart.
    package init() {}

    /// The folder of a server's programs in Debian's packages; nil when none is installed.
    package static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        return versions.max().map { "\(root)/\($0)/bin" }
    }()

    /// A database with an empty registry of three parts, which others are made after.
    package static let template = "registry"

    /// The folder of the socket; the server is started when it is first asked for.
    package func folder() async throws -> String {
        if let starting { return try await starting.value }
        let task = Task { try await Self.start() }
        starting = task
        return try await task.value
    }

    /// A new database; one without tables is like `template1`.
    package static func database(like template: String = "template1") async throws -> PostgresAddress {
        try PostgresAddress(try await databaseURL(like: template))
    }

    /// A new database, as a connection string.
    package static func databaseURL(like template: String = "template1") async throws -> String {
        try await shared.databaseURL(like: template)
    }

    /// A new database on this server, as a connection string.
    package func databaseURL(like template: String = "template1") async throws -> String {
        let folder = try await folder()
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let pool = PostgresPool(
            try PostgresAddress("host=\(folder) user=bugle dbname=postgres connect_timeout=600"), width: 1)
        try await pool.use { session in _ = try session.execute("CREATE DATABASE \(name) TEMPLATE \(template)") }
        await pool.close()
        // A session may take a busy machine longer than the ten seconds that programs have for it.
        let url = "postgresql://bugle@/\(name)?host=\(folder)&connect_timeout=600"
        guard template == Self.template else { return url }
        // It is another registry than its template.
        let own = PostgresPool(try PostgresAddress(url), width: 1)
        try await own.use { session in
            _ = try session.execute("UPDATE bugleRegistry SET id = replace(gen_random_uuid()::text, '-', '')")
        }
        await own.close()
        return url
    }

    /// The end of the sessions before a restart.
    package enum Ending: String, Sendable, CaseIterable {
        /// They are told, and their transactions are rolled back.
        case fast
        /// As if the machine had lost its power: what was committed is found in the log.
        case immediate
    }

    /// Ends the server and starts it again.
    package func restart(_ ending: Ending) async throws {
        let script = """
            set -e
            AS=
            if [ "$(id -u)" = 0 ]; then
              OWNER=$(stat -c %u "$FOLDER"); AS="setpriv --reuid=$OWNER --regid=$(id -g "$OWNER") --clear-groups"
            fi
            cd "$FOLDER"
            $AS "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -w -t 600 -l "$FOLDER/log" -m \(ending.rawValue) restart >/dev/null
            """
        try await Self.run(script, in: try await folder())
    }

    private static func run(_ script: String, in folder: String) async throws {
        guard let programs else { throw ServerFailure(description: "Debian's package 'postgresql' is not installed") }
        let result = try await Subprocess.run(
            .path("/bin/sh"), arguments: ["-c", script],
            environment: .inherit.updating([
                "FOLDER": folder, "PROGRAMS": programs, "TESTS": "\(ProcessInfo.processInfo.processIdentifier)",
            ]), output: .discarded, error: .string(limit: 65_536))
        guard case .exited(0) = result.terminationStatus else {
            throw ServerFailure(description: "the server did not start: \(result.standardError)")
        }
    }

    private static func start() async throws -> String {
        let folder = "/tmp/bugle-postgres-\(UUID().uuidString.prefix(8))"
        // Sockets have short names; initdb refuses root.
        let script = """
            set -e
            umask 077
            mkdir "$FOLDER"
            AS=
            if [ "$(id -u)" = 0 ]; then
              USER_NAME=postgres; id postgres >/dev/null 2>&1 || USER_NAME=nobody
              chown "$USER_NAME" "$FOLDER"
              AS="setpriv --reuid=$USER_NAME --regid=$(id -g "$USER_NAME") --clear-groups"
            fi
            cd "$FOLDER"
            $AS "$PROGRAMS/initdb" -D "$FOLDER/data" -U bugle -A trust -E UTF8 --locale=C --no-sync >/dev/null
            $AS "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -w -t 600 -l "$FOLDER/log" -o "-F -h '' -k $FOLDER -c max_connections=300 \
            -c shared_buffers=64MB -c autovacuum=off -c full_page_writes=off -c synchronous_commit=off" start >/dev/null
            (trap '' HUP INT TERM
             while kill -0 "$TESTS" 2>/dev/null; do sleep 1; done
             SERVER=$(head -n 1 "$FOLDER/data/postmaster.pid")
             kill -INT "$SERVER"; while kill -0 "$SERVER" 2>/dev/null; do sleep 1; done
             rm -rf "$FOLDER") </dev/null >/dev/null 2>&1 &
            """
        try await run(script, in: folder)
        let address = try PostgresAddress("host=\(folder) user=bugle dbname=postgres connect_timeout=600")
        let pool = PostgresPool(address, width: 1)
        try await pool.use { session in _ = try session.execute("CREATE DATABASE \(template)") }
        try await PostgresRegistry.create(
            PostgresAddress("host=\(folder) user=bugle dbname=\(template) connect_timeout=600"), partitions: 3)
        // No database is made after a template that somebody uses. A session ends a moment after its client has left,
        // and PostgreSQL itself waits five seconds for that.
        try await pool.use { session in
            let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(template)'"
            while try session.row(open)?.integer(0) != 0 { sched_yield() }
        }
        await pool.close()
        return folder
    }
}

/// The server's own words when it did not start.
package struct ServerFailure: Error, CustomStringConvertible {
    /// The server's output.
    package let description: String

    /// Says it.
    package init(description: String) { self.description = description }
}
