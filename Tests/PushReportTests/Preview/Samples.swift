internal import Base
internal import PushReport

@testable internal import Push

/// Looks for the tests of drawings.
enum Samples {
    /// One notification with the name of its app.
    struct Sample: Sendable, CustomStringConvertible {
        var name: String
        var app: String
        var message: MessageContent

        var description: String { name }

        /// How it is drawn on a platform.
        func drawing(
            _ platform: Platform, language: Language = .english, strings: LocalizedStrings? = nil
        ) -> NotificationDrawing {
            let look = NotificationLook(Message(common: message), on: platform)
            return NotificationDrawing(
                strings.map(look.filled(from:)) ?? look, app: ShownApp(name: app), language: language)
        }
    }

    private static func sample(_ name: String, app: String = "giants", _ fill: (inout MessageContent) -> Void) -> Sample
    {
        var message = MessageContent()
        fill(&message)
        return Sample(name: name, app: app, message: message)
    }

    static let all = [
        sample("long") {
            $0.title = .text("Giants tie the game in the ninth inning against Oakland")
            $0.subtitle = .text("Bottom of the ninth")
            $0.body = .text(
                "Giants scored against the A's! It's now 2-2 in the bottom of the ninth, with two outs and the bases "
                    + "loaded. Tune in on KNBR or watch the last inning live in the app, with every pitch as it "
                    + "happens and the box score of the whole series.")
            $0.badge = .increment
            $0.sound = .name("cheering.caf")
            $0.threadId = "scores"
            $0.category = "GAME_ALERT"
            $0.interruptionLevel = .timeSensitive
        },
        sample("chinese", app: "新闻") {
            $0.title = .text("今日头条：北京今天迎来入秋以来最强一轮降温，多地发布大风蓝色预警")
            $0.body = .text(
                "受较强冷空气影响，预计今天夜间至明天白天，北京大部分地区有四级左右偏北风，阵风可达七级；请市民注意防风保暖，"
                    + "出行注意安全。更多详情请点击查看最新天气预报，我们将持续为您关注，带来更多消息。")
            $0.badge = .number(3)
        },
        sample("emoji") {
            $0.title = .text("👨‍👩‍👧‍👦 Family night 🇯🇵🎉")
            $0.body = .text("👍🏽👍🏽👍🏽 Pizza 🍕 tonight!\nBring: 🍿🥤\n\nSee you ❤️")
        },
        sample("arabic", app: "أخبار") {
            $0.title = .text("عاجل: فوز المنتخب بنتيجة 2-1")
            $0.body = .text("سجل اللاعب هدف الفوز في الدقيقة 90 من مباراة Giants vs Mets التي أقيمت مساء اليوم")
            $0.sound = .detailed(name: "alarm.caf", critical: true, volume: 1)
        },
        sample("hebrew") {
            $0.title = .text("Giants: ניצחון במשחק")
            $0.body = .text("הענקים ניצחו 3-2 במשחק ב-Oracle Park")
        },
        sample("hostile", app: "<b>&") {
            $0.title = .text("\u{202E}<script>alert('1')</script>")
            $0.body = .text("a\u{1B}[31mred\u{0} ]]> &amp; \"q\" <!-- ::error::x ##[error] \u{FFFE}\u{2028}x")
            $0.category = "\"><svg onload=alert(1)>"
            $0.threadId = "'\u{202E}"
            $0.mutableContent = true
            $0.data = ["image": "https://<b>.example.com/&/\"x\".png?#'"]
        },
        sample("silent") {
            $0.contentAvailable = true
            $0.data = ["refresh": "scores"]
        },
        sample("badge") { $0.badge = .number(0) },
        sample("passive") {
            $0.body = .text("Nothing urgent.")
            $0.interruptionLevel = .passive
            $0.badge = .number(1204)
        },
        sample("image") {
            $0.title = .text("News")
            $0.body = .text("A picture says more than a title of one line.")
            $0.mutableContent = true
            $0.data = ["image": "https://img.example.com/2026/news.jpg?size=2"]
        },
        sample("localized") {
            $0.title = .localized(key: "warning-title", arguments: [])
            $0.body = .localized(key: "weather", arguments: ["晴", "15"])
        },
        sample("activity", app: "rides") {
            $0.title = .text("Your driver is near")
            $0.liveActivity = LiveActivity(
                event: .update, contentState: ["driver": "Ann", "minutes": 7, "stops": [1, 2], "zone": "B"])
        },
    ]

    static let strings = LocalizedStrings(
        texts: ["warning-title": "Storm warning", "weather": "Today %1$@, %2$@ degrees (100%%)"])
}

/// A look whose texts no view shows whole.
enum NotificationLookSample {
    static var long: NotificationLook {
        var look = NotificationLook(platform: .ios, pushType: .alert)
        let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 60)
        (look.title, look.body) = (.text(text), .text(text))
        return look
    }
}
