package import Base
internal import Foundation
internal import Subprocess
internal import Synchronization
internal import SystemPackage
internal import Testing

/// A headless Chromium, steered over two pipes of its own by the DevTools protocol: no port, nothing to install
/// beside it. Source: https://chromedevtools.github.io/devtools-protocol
package final class Browser: Sendable {
    /// The path that Debian's package uses.
    package static let executable = "/usr/bin/chromium"

    /// True if browser tests can run here; Debian's package is `chromium`.
    package static let isInstalled = FileManager.default.isExecutableFile(atPath: executable)

    private let input: CInt
    private let output: CInt
    /// The id of its process.
    private let id: CInt
    private let state = Mutex(State())

    private struct State {
        var lastID: Int64 = 0
        var buffer: [UInt8] = []
        var events: [JSONValue] = []
    }

    /// The problem.
    package struct Failure: Error, CustomStringConvertible {
        /// In one sentence.
        package let description: String
    }

    /// Starts a browser, runs a test with one page of it, and ends it.
    package static func run(_ test: sending @escaping (BrowserPage) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipes = ["in", "out"].map { folder.appending(path: $0).path }
        let descriptors = try pipes.map { path in
            // Both ends at once, so that opening waits for nobody.
            try #require(mkfifo(path, 0o600) == 0)
            return open(path, O_RDWR | O_CLOEXEC)
        }
        defer { descriptors.forEach { close($0) } }
        let script = """
            exec \(executable) --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
            --hide-scrollbars --disable-background-networking --disable-component-update --disable-sync \
            --remote-debugging-pipe --user-data-dir="$1" about:blank 3<"$2" 4>"$3"
            """
        _ = try await Subprocess.run(
            .path("/bin/sh"),
            arguments: Arguments(["-c", script, "sh", folder.appending(path: "profile").path] + pipes),
            environment: .custom([
                "PATH": "/usr/bin:/bin", "HOME": .init(stringLiteral: folder.path), "LANG": "C.UTF-8",
            ]),
            input: .none, output: .discarded, error: .discarded
        ) { execution in
            let browser = Browser(
                input: descriptors[0], output: descriptors[1], id: execution.processIdentifier.value)
            do {
                try await test(try await BrowserPage(browser))
            } catch {
                try? execution.send(signal: .kill)
                throw error
            }
            _ = try? await browser.call("Browser.close")
        }
    }

    private init(input: CInt, output: CInt, id: CInt) {
        self.input = input
        self.output = output
        self.id = id
    }

    /// True once its process has ended, also while nobody has taken note of that.
    private var isGone: Bool {
        let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        // Its state stands behind its name, which is in brackets.
        return status?.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }

    /// Calls a method and gives its result.
    package func call(_ method: String, _ parameters: JSONValue = [:], session: String? = nil) async throws -> JSONValue
    {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        var message: JSONValue = ["id": .integer(id), "method": .string(method), "params": parameters]
        if let session { message["sessionId"] = .string(session) }
        let bytes = message.canonicalBytes + [0]
        return try await onThread { [self] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
                guard count > 0 else { throw Failure(description: "the browser does not listen") }
                rest = rest.dropFirst(count)
            }
            while true {
                let answer = try receive()
                guard answer["id"] == .integer(id) else {
                    state.withLock { $0.events.append(answer) }
                    continue
                }
                if let error = answer["error"] { throw Failure(description: "\(method): \(error.canonicalText)") }
                return answer["result"] ?? [:]
            }
        }
    }

    /// The next event of a name, those that came before it aside.
    package func wait(for method: String) async throws -> JSONValue {
        try await onThread { [self] in
            while true {
                let found = state.withLock { state in
                    state.events.firstIndex { $0["method"]?.string == method }.map { state.events.remove(at: $0) }
                }
                if let found { return found["params"] ?? [:] }
                let event = try receive()
                state.withLock { $0.events.append(event) }
            }
        }
    }

    /// The events so far, which are then forgotten.
    package func takeEvents() -> [JSONValue] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }

    private func receive() throws -> JSONValue {
        while true {
            let message = state.withLock { state -> [UInt8]? in
                guard let end = state.buffer.firstIndex(of: 0) else { return nil }
                defer { state.buffer.removeFirst(end + 1) }
                return Array(state.buffer[..<end])
            }
            if let message { return try JSONValue(parsing: message) }
            // A browser that died says nothing any more, and the pipe stays open. One that lives has longer
            // than what tests wait for in a page: a busy machine takes a minute to start it.
            let end = ContinuousClock.now + .seconds(660)
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            while poll(&waiting, 1, 1000) != 1 {
                guard !isGone, ContinuousClock.now < end else { throw Failure(description: "the browser is silent") }
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { throw Failure(description: "the browser has gone") }
            state.withLock { $0.buffer += bytes[..<count] }
        }
    }
}

private func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await ProgramTesting.onThread { Result { try work() } }.get()
}
