import Base
import Foundation
import Push
import Testing

@testable import PushServer

/// The console speaks the browser's language.
@Suite struct ConsoleLanguageTests {
    private static let chinese = ["accept-language": "zh-CN,zh;q=0.9,en;q=0.8"]

    private func filled() async throws -> (fixture: ConsoleFixture, pages: [String]) {
        let fixture = try ConsoleFixture()
        let token = String(repeating: "0123456789abcdef", count: 4)
        let device = try await fixture.device([
            "deviceType": "ios", "deviceToken": .string(token), "channels": ["Giants"], "valid": true,
        ])
        let push = try await fixture.push(["channels": "Giants"], ["alert": ["title": "Hello", "body": "World"]])
        try await fixture.push([:], ["content-available": 1])
        try await fixture.push([:], ["alert": "Later"], in: 3600)
        return (
            fixture,
            [
                "/console", "/console/pushes", "/console/pushes/\(push)", "/console/pushes/nothing", "/console/nothing",
                "/console/installations", "/console/installations/\(device)", "/console/installations?where=%7B",
                "/console/installations?channel=none", "/console/login",
            ]
        )
    }

    /// What a person reads of a page: no scripts' words, no markup, nothing that is code.
    private func words(of html: String) -> String {
        html.replacing(/<(code|pre|head)[^>]*>.*?<\/\1>/.dotMatchesNewlines(), with: " ")
            .replacing(/<[^>]*(aria-label|data-label|data-live|data-ended|data-connecting)="([^"]*)"[^>]*>/) {
                $0.output.2
            }
            .replacing(/<[^>]*>/, with: "\n")
    }

    @Test func everyPageIsChineseForAChineseBrowser() async throws {
        let (fixture, pages) = try await filled()
        let cookie = try await fixture.logIn()
        for target in pages {
            let cookie = target.hasSuffix("login") ? nil : cookie
            let response = try await fixture.get(target, cookie: cookie, headers: Self.chinese)
            #expect(try Page(response.text).value("/html/@lang") == "zh-Hans")
            #expect(response.header("Vary") == "Cookie, Accept-Language")
            // What is left in Latin letters: names, codes and the message's own words.
            let latin = words(of: response.text).matches(of: /[A-Za-z]{2,}(?: [A-Za-z]{2,})+/).map { String($0.output) }
            #expect(Set(latin).subtracting(["Master Key"]).isEmpty, "\(target): \(latin)")
            let english = try await fixture.get(target, cookie: cookie, headers: ["accept-language": "fr"])
            #expect(!english.text.unicodeScalars.contains { $0.properties.isUnifiedIdeograph }, "\(target)")
        }
    }

    @Test func anOpenPageIsToldInItsOwnLanguage() async throws {
        let (fixture, _) = try await filled()
        let cookie = try await fixture.logIn()
        for (headers, word) in [(Self.chinese, "最近的推送"), ([:], "Newest push")] {
            let response = try await fixture.get("/console/events?page=overview", cookie: cookie, headers: headers)
            #expect(try await response.firstParts().contains(word))
        }
    }

    @Test func aWrongKeyAndACancelledPushAreToldInChinese() async throws {
        let (fixture, _) = try await filled()
        let refused = try await fixture.post("/console/login", ["key": "wrong"], headers: Self.chinese)
        #expect(refused.text.contains("这不是本控制台的密钥。"))
        let cookie = try await fixture.logIn()
        let token = try await fixture.token(cookie)
        _ = try await fixture.post(
            "/console/cancel", ["token": token, "scheduled": "0"], cookie: cookie, headers: Self.chinese)
        #expect(try await fixture.get("/console", cookie: cookie).text.contains("这条推送已不在等待"))
    }
}
