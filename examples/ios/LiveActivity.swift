// The token of a Live Activity: the app hands it to its device's row, where `audience.where` and `audience.devices` find it.
import ActivityKit
import BugleClient

@available(iOS 17.2, *)
enum MatchActivity {
    struct Attributes: ActivityAttributes {
        struct ContentState: Codable, Hashable { var home: Int, away: Int }
        var match: String
    }

    /// Starts one in the app, and tells its token each time that Apple gives another.
    static func follow(_ match: String) throws {
        let activity = try Activity.request(
            attributes: Attributes(match: match), content: .init(state: .init(home: 0, away: 0), staleDate: nil),
            pushType: .token)
        Task {
            for await token in activity.pushTokenUpdates {
                let text = token.map { String(format: "%02x", $0) }.joined()
                try await Push.client?.set("matchActivityToken", to: .text(text))
            }
        }
    }

    /// The token with which a campaign with `liveActivity: {event: start}` begins one.
    static func allowStarting() {
        Task {
            for await token in Activity<Attributes>.pushToStartTokenUpdates {
                let text = token.map { String(format: "%02x", $0) }.joined()
                try await Push.client?.set("activityStartToken", to: .text(text))
            }
        }
    }
}
