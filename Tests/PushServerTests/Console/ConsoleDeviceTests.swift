import APNsSimulator
import Base
import DeviceRegistry
import Foundation
import Push
import Testing

@testable import PushServer

/// A device's page says what it has, what it got and what it did not, and sends it a test.
@Suite struct ConsoleDeviceTests {
    private static let token = String(repeating: "0123456789abcdef", count: 4)

    private func fixture(_ fields: JSONValue = [:]) async throws -> (ConsoleFixture, cookie: String, page: String) {
        let fixture = try ConsoleFixture()
        var members = fields
        if members["deviceType"] == nil { members["deviceType"] = "ios" }
        if members["installationId"] == nil { members["deviceToken"] = .string(Self.token) }
        let device = try await fixture.device(members)
        return (fixture, try await fixture.logIn(), "/console/installations/\(device)")
    }

    @Test func theWholeTokenStandsOnTheDevicesPageToBeCopied() async throws {
        let (fixture, cookie, target) = try await fixture()
        let page = try await fixture.page(target, cookie: cookie)
        #expect(try page.value("//input[@id='copy-deviceToken' and @readonly]/@value") == Self.token)
        #expect(try page.value("//label[@for='copy-deviceToken']") == "deviceToken")
    }

    /// The fields of the form for a test.
    private func form(_ page: Page) throws -> [String: String] {
        var fields: [String: String] = [:]
        for name in ["token", "device", "request"] {
            fields[name] = try page.value("//form[@action='/console/test']/input[@name='\(name)']/@value")
        }
        return fields
    }

    @Test func aTestGoesToTheOneDeviceAndItsPageTellsWhatBecameOfIt() async throws {
        let (fixture, cookie, target) = try await fixture()
        let other = try await fixture.device(["deviceType": "ios", "deviceToken": "bb"])
        var fields = try form(try await fixture.page(target, cookie: cookie))
        fields["text"] = "Hello <b>you</b>"
        fields["title"] = "T"
        fields["environment"] = "dev"
        let response = try await fixture.post("/console/test", fields, cookie: cookie)
        let push = try #require(response.header("Location"))
        #expect(response.status == 303 && push.hasPrefix("/console/pushes/"))
        // A busy machine may answer before it has sent.
        let id = try #require(push.split(separator: "/").last.map(String.init))
        while try await fixture.registry.push(objectID: id, at: .noon)?.state != "delivered" { await Task.yield() }
        let page = try await fixture.page(push, cookie: cookie)
        #expect(try page.value("//p[@class='notice']").hasPrefix("The test was taken."))
        #expect(try page.texts("//*[@id='live-state']//dd[1]") == ["1", "1", "0"])
        #expect(try page.texts("//dl[@class='facts']//dd").contains("development"))
        #expect(
            try await fixture.registry.inbox(of: Self.token).map(\.data) == [
                ["alert": ["body": "Hello <b>you</b>", "title": "T"]]
            ])
        #expect(try await fixture.registry.inbox(of: other).isEmpty)
        // The same form, sent twice, sends once.
        let again = try await fixture.post("/console/test", fields, cookie: cookie)
        #expect(again.header("Location") == push)
        #expect(try await fixture.registry.inbox(of: Self.token).count == 1)
        #expect(
            try await fixture.page(push, cookie: cookie).value("//p[@class='notice']").hasPrefix(
                "This test was sent before"))
    }

    @Test(arguments: [
        ["token": "x"], ["text": " \n"], ["device": "no such/../id"], ["text": String(repeating: "é", count: 2500)],
    ])
    func aTestThatCannotBeSentIsExplainedAndSendsNothing(change: [String: String]) async throws {
        let (fixture, cookie, target) = try await fixture()
        let fields = try form(try await fixture.page(target, cookie: cookie)).merging(["text": "x"]) { own, _ in own }
        let response = try await fixture.post("/console/test", fields.merging(change) { $1 }, cookie: cookie)
        #expect(response.status == (change["token"] == nil ? 303 : 403))
        if change["text"] != nil {
            #expect(response.header("Location") == target)
            #expect(try await fixture.page(target, cookie: cookie).count("//p[@class='notice problem']") == 1)
        }
        #expect(try await fixture.registry.newestPushes(limit: 5, at: .noon).isEmpty)
        let foreign = try await fixture.post(
            "/console/test", fields, cookie: cookie, headers: ["origin": "https://evil.example"])
        #expect(foreign.status == 403)
        #expect(try await fixture.registry.newestPushes(limit: 5, at: .noon).isEmpty)
    }

    @Test func aDeviceThatGetsNoPushHasNoForm() async throws {
        let (fixture, cookie, target) = try await fixture(["valid": false])
        let page = try await fixture.page(target, cookie: cookie)
        #expect(try page.count("//form[@action='/console/test']") == 0)
        #expect(try page.texts("//p[@class='nothing']").contains("It gets no push: its registration is not valid."))
    }

    @Test func whatAppleRefusedStandsWithItsReasonTheNewestFirst() async throws {
        try await AppleWorld.run { (world) async throws in
            let token = try await world.device(1)
            for text in ["older", "newer"] {
                if text == "newer" { try world.apple.unregister(token: token) }
                try await world.push(["data": ["alert": .string(text)]])
            }
            let cookie = try await world.server.consoleCookie()
            let device = try #require(
                try await world.server.call("GET", "/installations?limit=1").body["results"]?.array?.first)
            let id = try #require(device["objectId"]?.string)
            let html = try await HTTPClient.sendText(
                "GET", "/console/installations/\(id)", port: world.server.port, headers: [("Cookie", cookie)])
            let page = try Page(html.text)
            #expect(try page.texts("//section[@aria-labelledby='failures-title']//tbody//th") == ["newer"])
            #expect(try page.value("//section[@aria-labelledby='failures-title']//tbody//td[1]") == "refused")
            #expect(
                try page.value("//section[@aria-labelledby='failures-title']//tbody//td[2]/bdi") == "Unregistered")
            #expect(try page.value("//span[@lang='en']").hasPrefix("the app was removed"))
            #expect(
                try page.texts("//p[@class='notice problem']").contains { $0.hasPrefix("Its token was reported dead") })
            #expect(try page.texts("//p[@class='nothing']").contains("It gets no push: its registration is not valid."))
        }
    }
}
