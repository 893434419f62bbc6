import Base
import DeviceRegistry
import Foundation
import Push
import Testing

@testable import PushServer

@Suite struct ConsolePageTests {
    /// A registry with a little of everything, and the pages about it.
    private func filled() async throws -> (fixture: ConsoleFixture, cookie: String, pages: [String]) {
        let fixture = try ConsoleFixture()
        let token = String(repeating: "0123456789abcdef", count: 4)
        let device = try await fixture.device([
            "deviceType": "ios", "deviceToken": .string(token), "channels": ["Giants", "新闻"], "scores": true,
        ])
        try await fixture.device([
            "deviceType": "android", "installationId": "a0000000-1111-2222-3333-444444444444", "channels": ["Mets"],
            "deviceProfile": "driver",
        ])
        let push = try await fixture.push(["channels": "Giants"], ["alert": ["title": "Hello", "body": "World"]])
        try await fixture.push(["deviceToken": .string(token)], ["alert": "To one"])
        try await fixture.push([:], ["alert": "Later"], in: 3600)
        let pages = [
            "/console", "/console/pushes", "/console/pushes/\(push)", "/console/pushes/nothing",
            "/console/installations", "/console/installations/\(device)", "/console/installations/nothing",
            "/console/installations?where=%7B", "/console/installations?channel=none",
        ]
        return (fixture, try await fixture.logIn(), pages)
    }

    @Test func everyPageIsWellFormedAndSoundForScreenReaders() async throws {
        let (fixture, cookie, pages) = try await filled()
        var texts = [try await fixture.get("/console/login").text]
        for target in pages { texts.append(try await fixture.get(target, cookie: cookie).text) }
        for text in texts {
            let page = try Page(text)
            #expect(try page.value("/html/@lang") == "en")
            #expect(try page.count("//h1") == 1)
            #expect(try page.count("//main[@id='main']") == 1)
            #expect(try page.value("(//body/a)[1]/@href") == "#main")
            let ids = try page.texts("//@id")
            #expect(Set(ids).count == ids.count)
            let references = try page.texts("//@for | //@aria-labelledby | //@aria-describedby | //@form")
                .flatMap { $0.split(separator: " ").map(String.init) }
            #expect(references.allSatisfy(ids.contains), "\(references)")
            let named = try page.texts("//label/@for")
            let fields = try page.texts(
                "//select/@id | //textarea/@id | //input[not(@type='hidden') and not(@hidden)]/@id")
            #expect(Set(named) == Set(fields))
            let tables = try page.count("//table")
            #expect(try page.count("//table/caption") == tables)
            #expect(try page.count("//th[not(@scope)]") == 0)
            #expect(try page.count("//img[not(@alt)]") == 0)
            #expect(try page.count("//nav[not(@aria-label)]") == 0)
            #expect(try page.count("//button[normalize-space(.)='']") == 0)
            #expect(try page.count("//a[normalize-space(.)='' and not(*)]") == 0)
            // Headings do not leave out a level.
            let levels = try page.names("//h1 | //h2 | //h3 | //h4").compactMap { $0.last?.wholeNumberValue }
            #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "\(levels)")
        }
    }

    @Test func noPageHasScriptsOrStylesInItOrLeadsElsewhere() async throws {
        let (fixture, cookie, pages) = try await filled()
        for target in pages {
            let page = try Page(try await fixture.get(target, cookie: cookie).text)
            #expect(try page.count("//style | //@style | //iframe | //object | //base") == 0)
            #expect(try page.texts("//script").allSatisfy(\.isEmpty))
            #expect(try page.names("//@*").allSatisfy { !$0.hasPrefix("on") })
            for address in try page.texts("//@href | //@src | //@action | //@data-events") {
                #expect(address.hasPrefix("#") || address.hasPrefix("/console"), "\(address)")
            }
        }
    }

    @Test func noPageButADevicesOwnShowsAWholeToken() async throws {
        let (fixture, cookie, pages) = try await filled()
        for target in pages where target.firstMatch(of: /installations\/(?!nothing)/) == nil {
            let html = try await fixture.get(target, cookie: cookie).text
            #expect(!html.contains(String(repeating: "0123456789abcdef", count: 2)), "\(target)")
            #expect(!html.contains("a0000000-1111-2222"), "\(target)")
        }
        let row = try await fixture.page("/console/installations?platform=ios", cookie: cookie)
        #expect(try row.value("//tbody//td[@data-label='Token']") == "01234567…cdef")
    }

    @Test func anEmptyRegistryIsExplained() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        let page = try await fixture.page("/console", cookie: cookie)
        #expect(try page.count("//*[@class='nothing']") == 2)
        #expect(try page.texts("//*[@id='live-scheduled']") == [""])
        #expect(try page.count("//table[@class='list']") == 0)
        let list = try await fixture.page("/console/installations", cookie: cookie)
        #expect(try list.value("//*[@class='nothing']") == "No device has registered yet.")
    }

    @Test func aPhoneShowsItsNewestNotificationsAndItsBadge() async throws {
        let fixture = try ConsoleFixture()
        let iPhone = try await fixture.device(["deviceType": "ios", "deviceToken": "aa", "badge": 2])
        try await fixture.device(["deviceType": "android", "installationId": "bb"])
        try await fixture.push([:], ["alert": ["title": "T", "subtitle": "S", "body": "B"], "badge": "Increment"])
        fixture.clock.advance(bySeconds: 300)
        try await fixture.push(
            [:], ["ios": ["content-available": 1], "android": ["alert": "x", "silent": true], "badge": "Increment"])
        let page = try await fixture.page("/console", cookie: try await fixture.logIn())
        let phone = "//article[contains(@class, 'iphone')]"
        #expect(try page.value(phone + "//h3/a/@href") == "/console/installations/\(iPhone)")
        #expect(try page.value(phone + "//svg/title") == "iPhone, lock screen: T. S. B")
        #expect(try page.texts(phone + "//*[@class='s e']") == ["5 min ago"])
        #expect(try page.value(phone + "//span[@class='badge']") == "4")
        let other = "//article[contains(@class, 'android')]"
        #expect(try page.value(other + "//svg/title") == "Android, shade: T. B")
        #expect(try page.texts(other + "//text/tspan") == ["· 5 min ago"])
        #expect(try page.count(other + "//span[@class='badge']") == 0)
    }

    @Test(
        arguments: [
            (["content-available": 1], true, nil), ([:], true, nil), (["title": "only"], true, nil),
            (["alert": "a"], true, "||a"), (["alert": "a", "title": "t"], true, "t||a"),
            (["aps": ["alert": ["title": "t"]]], true, "t||"),
            (["alert": ["loc-key": "k", "loc-args": ["a", "b"]]], true, "||k(a, b)"),
            (["alert": ["title-loc-key": "k", "sub-title": "s"]], true, "k|s|"), (["alert": ""], true, nil),
            (["alert": 7], true, nil), (["alert": "a", "silent": true], false, nil),
            (["alert": "a", "silent": true], true, "||a"), (["title": "t"], false, "t||"),
        ] as [(JSONValue, Bool, String?)])
    func aLockScreenShowsWhatTheDeviceWouldShow(content: JSONValue, isApple: Bool, shown: String?) {
        let look = NotificationLook(pushed: content.object ?? [:], isApple: isApple)
        #expect(
            look.map { [$0.title, $0.subtitle, $0.body].map { $0?.shownText ?? "" }.joined(separator: "|") } == shown)
    }

    @Test func aLaterNotificationOfTheSameCollapseIdTakesTheEarliersPlace() async throws {
        let fixture = try ConsoleFixture()
        try await fixture.device(["deviceType": "ios", "deviceToken": "aa"])
        for score in ["0:0", "1:0"] { try await fixture.push([:], ["alert": .string(score), "collapse-id": "game"]) }
        let page = try await fixture.page("/console", cookie: try await fixture.logIn())
        #expect(try page.texts("//article//svg/title") == ["iPhone, lock screen: giants. 1:0"])
    }

    @Test func aPushHasItsCountsItsAudienceAndItsRequest() async throws {
        let fixture = try ConsoleFixture()
        for index in 0..<1200 {
            try await fixture.device([
                "deviceType": "ios", "deviceToken": .string("t\(index)"), "channels": ["Giants"],
            ])
        }
        let id = try await fixture.push(["channels": "Giants"], ["alert": "Hi", "sound": "horn.caf"])
        let cookie = try await fixture.logIn()
        let page = try await fixture.page("/console/pushes/\(id)", cookie: cookie)
        #expect(try page.texts("//*[@id='live-state']//dd[1]") == ["1,200", "1,200", "0"])
        #expect(try page.texts("//*[@id='live-state']//*[@class='chip good']") == ["done"])
        #expect(try page.value("//progress/@value") == "1200")
        #expect(try page.texts("//dl[@class='facts']//dd").contains("channel Giants"))
        #expect(try page.texts("//pre").contains { $0.contains("horn.caf") })
        #expect(try page.count("//table//tbody/tr") == PushPageView.mostRecipients)
        let row = try await fixture.page("/console/pushes", cookie: cookie)
        #expect(
            try row.texts("//tbody/tr/*") == ["Hi", "channel Giants", "done simulated", "1,200", "1,200", "0", "now"])
    }

    @Test func theListOfPushesIsPagedWithoutGapsWhileNewOnesCome() async throws {
        let fixture = try ConsoleFixture()
        for index in 0..<60 { try await fixture.push([:], ["alert": .string("p\(index)")]) }
        let cookie = try await fixture.logIn()
        var (seen, places) = ([String](), [String]())
        var target = "/console/pushes"
        while true {
            let page = try await fixture.page(target, cookie: cookie)
            seen += try page.texts("//tbody//th")
            // Each page was preceded by one more push that is new.
            places.append(try page.value("//p[@class='place']"))
            try await fixture.push([:], ["alert": "new"])
            guard let next = try page.texts("//a[@rel='next']/@href").first else { break }
            target = next
        }
        #expect(seen == (0..<60).reversed().map { "p\($0)" })
        #expect(places == ["Page 1 of 3 · 1 to 25 of 60", "27 to 51 of 61", "53 to 62 of 62"])
    }

    @Test func whatCanStillBeCancelledStandsFirst() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        try await fixture.push([:], ["alert": "Later"], in: 7200)
        let page = try await fixture.page("/console", cookie: cookie)
        let ids = try page.texts("//main//*[starts-with(@id, 'live-')]/@id")
        #expect(ids.prefix(3) == ["live-news", "live-scheduled", "live-summary"], "\(ids)")
        #expect(try page.value("//*[@id='live-scheduled']//h2") == "Scheduled")
    }

    @Test func devicesAreCountedByWhatBecomesOfThem() async throws {
        let fixture = try ConsoleFixture()
        try await fixture.device(["deviceType": "ios", "deviceToken": "aa"])
        try await fixture.device(["deviceType": "ios", "deviceToken": "bb", "valid": false])
        fixture.clock.advance(bySeconds: 91 * 86_400)
        for token in ["cc", "dd"] { try await fixture.device(["deviceType": "macos", "deviceToken": .string(token)]) }
        try await fixture.device(["deviceType": "android", "installationId": "x"])
        let cookie = try await fixture.logIn()
        let tile = "//*[@id='live-summary']//div[contains(@class, 'tile')]"
        let page = try await fixture.page("/console", cookie: cookie)
        #expect(
            try page.texts(tile + "/dt") == ["Reachable", "Android", "Stale", "Dead tokens", "Newest push"])
        #expect(try page.texts(tile + "/dd[1]").dropLast() == ["2", "1", "1", "1"])
        #expect(try page.value(tile + "[1]/dd[2]") == "of 5 devices registered")
        let stale = try await fixture.page("/console/installations?seen=stale&valid=yes", cookie: cookie)
        #expect(try stale.count("//tbody/tr") == 1)
        #expect(try await fixture.page("/console/installations?seen=recent", cookie: cookie).count("//tbody/tr") == 3)
    }

    /// Where a push went counts more than where it could have gone.
    @Test(
        arguments: [
            ([:], ["iPhone", "Android"]), (["deviceType": "ios"], ["iPhone"]), (["deviceType": "android"], ["Android"]),
            (["deviceType": "macos"], []), (["channels": "A"], ["iPhone"]),
            (["channels": "none"], ["iPhone", "Android"]),
        ] as [(JSONValue, [String])])
    func aPushIsDrawnOnThePhonesThatItWentTo(condition: JSONValue, phones: [String]) async throws {
        let fixture = try ConsoleFixture()
        try await fixture.device(["deviceType": "ios", "deviceToken": "aa", "channels": ["A"]])
        try await fixture.device(["deviceType": "android", "installationId": "bb"])
        let id = try await fixture.push(condition, ["alert": "x"])
        let page = try await fixture.page("/console/pushes/\(id)", cookie: try await fixture.logIn())
        #expect(try page.texts("//article/h3") == phones)
        #expect(try page.count("//*[@id='look-title']") == (phones.isEmpty ? 0 : 1))
    }

    @Test func timesAreTheServers() async throws {
        let fixture = try ConsoleFixture()
        try await fixture.push([:], ["alert": "Later"], in: 7200)
        let page = try await fixture.page("/console", cookie: try await fixture.logIn())
        #expect(try page.value("//*[@id='live-clock']/time/@datetime") == Instant.noon.isoText)
        #expect(try page.value("//*[@id='live-scheduled']//time/@datetime") == "2026-11-21T14:00:00.000Z")
        #expect(try page.value("//*[@id='live-scheduled']//td[@data-label='Goes out']/span") == "in 2 h")
    }
}
