import Foundation
import JSONValue
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// A headless Chromium, steered over two pipes of its own by the DevTools protocol: no port, nothing to install
/// beside it. Source: https://chromedevtools.github.io/devtools-protocol
final class Browser: Sendable {
    static let executable = "/usr/bin/chromium"

    /// Why browser tests cannot run here; Debian's package is `chromium`.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: executable)

    private let input: CInt
    private let output: CInt
    private let state = Mutex(State())

    private struct State {
        var lastID: Int64 = 0
        var buffer: [UInt8] = []
        var events: [JSONValue] = []
    }

    /// What went wrong.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a browser, runs a test with one page of it, and ends it.
    static func run(_ test: sending @escaping (BrowserPage) async throws -> Void) async throws {
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
            let browser = Browser(input: descriptors[0], output: descriptors[1])
            do {
                try await test(try await BrowserPage(browser))
            } catch {
                try? execution.send(signal: .kill)
                throw error
            }
            _ = try? await browser.call("Browser.close")
        }
    }

    private init(input: CInt, output: CInt) {
        self.input = input
        self.output = output
    }

    /// Calls a method and gives its result.
    func call(_ method: String, _ parameters: JSONValue = [:], session: String? = nil) async throws -> JSONValue {
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
    func wait(for method: String) async throws -> JSONValue {
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
    func takeEvents() -> [JSONValue] {
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
            // A browser that died says nothing any more, and the pipe stays open.
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 60_000) == 1 else { throw Failure(description: "the browser is silent") }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { throw Failure(description: "the browser has gone") }
            state.withLock { $0.buffer += bytes[..<count] }
        }
    }
}

/// One page of a browser.
struct BrowserPage {
    let browser: Browser
    private let session: String

    init(_ browser: Browser) async throws {
        self.browser = browser
        let target = try await browser.call("Target.createTarget", ["url": "about:blank"])
        let attached = try await browser.call(
            "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = try #require(attached["sessionId"]?.string)
        for domain in ["Page", "Runtime", "Network", "Log", "Accessibility"] { _ = try await call(domain + ".enable") }
    }

    @discardableResult
    func call(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await browser.call(method, parameters, session: session)
    }

    /// Goes to an address, and returns when the page has loaded.
    func open(_ address: String) async throws {
        try await call("Page.navigate", ["url": .string(address)])
        _ = try await browser.wait(for: "Page.loadEventFired")
    }

    /// The value of an expression, awaited when it is a promise. It is evaluated also where pages may run no script.
    func value(_ expression: String) async throws -> JSONValue {
        let result = try await call(
            "Runtime.evaluate",
            ["expression": .string(expression), "returnByValue": true, "awaitPromise": true])
        if let problem = result["exceptionDetails"] { throw Browser.Failure(description: problem.canonicalText) }
        return result["result"]?["value"] ?? .null
    }

    /// Returns when an expression is true; the page itself waits for its changes.
    func wait(until expression: String) async throws {
        let promise = """
            new Promise((done, fail) => {
              const look = () => { if (\(expression)) { watcher.disconnect(); done(true); } };
              const watcher = new MutationObserver(look);
              watcher.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
              setTimeout(() => fail(new Error("never true")), 30000);
              look();
            })
            """
        _ = try await value(promise)
    }

    func setAppearance(width: Int64, height: Int64, isPhone: Bool, isDark: Bool) async throws {
        try await call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(width), "height": .integer(height), "deviceScaleFactor": isPhone ? 2 : 1,
                "mobile": .bool(isPhone),
            ])
        try await call(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
    }

    func allowScripts(_ isAllowed: Bool) async throws {
        try await call("Emulation.setScriptExecutionDisabled", ["value": .bool(!isAllowed)])
    }

    /// Presses a key and lets it go.
    func press(_ key: String, code: Int64, text: String? = nil) async throws {
        for type in [text == nil ? "rawKeyDown" : "keyDown", "keyUp"] {
            var event: JSONValue = [
                "type": .string(type), "key": .string(key), "code": .string(key),
                "windowsVirtualKeyCode": .integer(code),
            ]
            if let text, type == "keyDown" { event["text"] = .string(text) }
            try await call("Input.dispatchKeyEvent", event)
        }
    }

    /// The whole page as a picture.
    func picture() async throws -> Data {
        let metrics = try await call("Page.getLayoutMetrics")
        let size = try #require(metrics["cssContentSize"])
        let result = try await call(
            "Page.captureScreenshot",
            [
                "captureBeyondViewport": true,
                "clip": [
                    "x": 0, "y": 0, "width": size["width"] ?? 0, "height": size["height"] ?? 0, "scale": 1,
                ],
            ])
        return try #require(Data(base64Encoded: result["data"]?.string ?? ""))
    }
}
