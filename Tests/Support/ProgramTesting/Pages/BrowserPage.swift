package import Base
internal import Testing

/// One page of a browser.
package struct BrowserPage {
    /// The browser.
    package let browser: Browser
    private let session: String

    init(_ browser: Browser) async throws {
        self.browser = browser
        let target = try await browser.call("Target.createTarget", ["url": "about:blank"])
        let attached = try await browser.call(
            "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = try #require(attached["sessionId"]?.string)
        for domain in ["Page", "Runtime", "Network", "Log", "Accessibility"] { _ = try await call(domain + ".enable") }
    }

    /// Calls a method of the page and gives its result.
    @discardableResult
    package func call(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await browser.call(method, parameters, session: session)
    }

    /// Goes to an address, and returns when the page has loaded.
    package func open(_ address: String) async throws {
        try await call("Page.navigate", ["url": .string(address)])
        _ = try await browser.wait(for: "Page.loadEventFired")
    }

    /// The value of an expression, awaited when it is a promise. It is evaluated also where pages may run no script.
    package func value(_ expression: String) async throws -> JSONValue {
        let result = try await call(
            "Runtime.evaluate",
            ["expression": .string(expression), "returnByValue": true, "awaitPromise": true])
        if let problem = result["exceptionDetails"] { throw Browser.Failure(description: problem.canonicalText) }
        return result["result"]?["value"] ?? .null
    }

    /// Returns when an expression is true; the page itself waits for its changes, as long as ``eventually(_:)`` does.
    package func wait(until expression: String) async throws {
        let promise = """
            new Promise((done, fail) => {
              const look = () => { if (\(expression)) { watcher.disconnect(); done(true); } };
              const watcher = new MutationObserver(look);
              watcher.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
              setTimeout(() => fail(new Error("never true")), 600000);
              look();
            })
            """
        _ = try await value(promise)
    }

    /// Sets the window's size in CSS pixels, and what the system prefers.
    package func setAppearance(width: Int64, height: Int64, isPhone: Bool, isDark: Bool) async throws {
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

    /// Lets pages run scripts, or not.
    package func allowScripts(_ isAllowed: Bool) async throws {
        try await call("Emulation.setScriptExecutionDisabled", ["value": .bool(!isAllowed)])
    }

    /// Presses a key and lets it go.
    package func press(_ key: String, code: Int64, text: String? = nil) async throws {
        for type in [text == nil ? "rawKeyDown" : "keyDown", "keyUp"] {
            var event: JSONValue = [
                "type": .string(type), "key": .string(key), "code": .string(key),
                "windowsVirtualKeyCode": .integer(code),
            ]
            if let text, type == "keyDown" { event["text"] = .string(text) }
            try await call("Input.dispatchKeyEvent", event)
        }
    }
}
