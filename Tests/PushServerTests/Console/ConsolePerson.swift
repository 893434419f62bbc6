import Base
import Foundation
import Testing

/// A person who is logged in to the console with the master key.
struct ConsolePerson {
    private let port: Int
    private let cookie: String
    private let token: String

    init(at port: Int) async throws {
        self.port = port
        cookie = try await TestServer.consoleCookie(at: port)
        let page = try await HTTPClient.sendText("GET", "/console", port: port, headers: [("Cookie", cookie)])
        token = String(try #require(page.text.firstMatch(of: /name="token" value="([^"]+)"/)).output.1)
    }

    /// The page of a push.
    func page(_ push: String) async throws -> String {
        try await HTTPClient.sendText("GET", "/console/pushes/\(push)", port: port, headers: [("Cookie", cookie)]).text
    }

    /// Submits the form that stops a push or decides about one that was stopped, and gives the page that follows.
    func decide(_ decision: String, _ push: String, why: String = "") async throws -> String {
        let fields = ["token": token, "push": push, "decision": decision, "why": why]
        let answer = try await HTTPClient.sendText(
            "POST", "/console/stop", port: port,
            headers: [("Cookie", cookie), ("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(TestServer.encoded(fields).utf8))
        #expect(answer.status == 303)
        return try await page(push)
    }
}
