import Base
import Foundation
import RegistryTesting
import Subprocess
import SystemPackage
import Testing

/// PgBouncer before a test's server, which gives each transaction whichever of its few sessions is free.
///
/// It ends with the process of the tests at the latest.
struct PgBouncer {
    private static let program = "/usr/sbin/pgbouncer"
    private let folder: String

    /// Whether it is installed; `make test-long` does that.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// Starts one before the server whose socket is in a folder.
    static func start(before server: String) async throws -> PgBouncer {
        let bouncer = PgBouncer(folder: server + "/bouncer")
        // Sessions are fewer than senders have: a statement that was prepared in one is asked for in another.
        let settings = """
            [databases]
            * = host=\(server) user=bugle
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(bouncer.folder)
            auth_type = any
            pool_mode = transaction
            default_pool_size = 4
            server_login_retry = 1
            logfile = \(bouncer.folder)/log
            pidfile = \(bouncer.folder)/pid
            """
        let script = """
            set -e
            umask 077
            mkdir "$FOLDER/bouncer"
            printf '%s\\n' "$SETTINGS" >"$FOLDER/bouncer/ini"
            AS=
            if [ "$(id -u)" = 0 ]; then
              OWNER=$(stat -c %u "$FOLDER"); AS="setpriv --reuid=$OWNER --regid=$(id -g "$OWNER") --clear-groups"
              chown -R "$OWNER" "$FOLDER/bouncer"
            fi
            cd "$FOLDER"
            $AS "$PROGRAM" -d -q "$FOLDER/bouncer/ini"
            until [ -S "$FOLDER/bouncer/.s.PGSQL.6432" ] && [ -s "$FOLDER/bouncer/pid" ]; do sleep 0.05; done
            (trap '' HUP INT TERM
             ID=$(cat "$FOLDER/bouncer/pid")
             while kill -0 "$TESTS" 2>/dev/null && kill -0 "$ID" 2>/dev/null; do sleep 1; done
             kill -0 "$TESTS" 2>/dev/null || kill -TERM "$ID") </dev/null >/dev/null 2>&1 &
            """
        let result = try await Subprocess.run(
            .path("/bin/sh"), arguments: ["-c", script],
            environment: .inherit.updating([
                "FOLDER": server, "PROGRAM": program, "SETTINGS": settings,
                "TESTS": "\(ProcessInfo.processInfo.processIdentifier)",
            ]), output: .discarded, error: .string(limit: 65_536))
        guard case .exited(0) = result.terminationStatus else {
            throw ServerFailure(description: "PgBouncer did not start: \(result.standardError)")
        }
        return bouncer
    }

    /// The connection string of a database by way of it.
    func url(of url: String, before server: String) -> String {
        url.replacing("host=\(server)", with: "host=\(folder)&port=6432")
    }

    /// Ends it.
    func stop() throws {
        let id = try String(contentsOfFile: folder + "/pid", encoding: .utf8)
        if let id = Int32(id.filter(\.isNumber)) { kill(id, SIGTERM) }
    }
}
