import Base
import Push
import Testing

@testable import PushServer

/// LeanCloud's `data` in Apple's terms.
@Suite struct AppleMessageTests {
    @Test(
        arguments: [
            (["alert": "x"], ["aps": ["alert": "x"]]),
            (["alert": "x", "title": "T"], ["aps": ["alert": ["title": "T", "body": "x"]]]),
            (["alert": "x", "title": ""], ["aps": ["alert": "x"]]),
            (["title": "T"], ["aps": ["alert": ["title": "T"]]]),
            (
                ["alert": ["body": "x", "sub-title": "S", "sub-title-loc-key": "K"], "title": "android's"],
                ["aps": ["alert": ["body": "x", "subtitle": "S", "subtitle-loc-key": "K"]]]
            ),
            (
                [
                    "alert": "x", "ios": ["alert": "apple", "k": 1], "android": ["alert": "droid"],
                    "mi": ["title": "Mi"],
                ],
                ["aps": ["alert": "apple"], "k": 1]
            ),
            (["alert": "x", "badge": 3, "sound": "a.caf"], ["aps": ["alert": "x", "badge": 3, "sound": "a.caf"]]),
            (["alert": "x", "badge": "three"], ["aps": ["alert": "x"]]),
            (["alert": "x", "badge": "Increment"], ["aps": ["alert": "x"]]),
            (
                ["alert": "x", "sound": ["name": "a.caf", "critical": true, "volume": "0.8"]],
                ["aps": ["alert": "x", "sound": ["name": "a.caf", "critical": 1, "volume": 0.8]]]
            ),
            (
                ["alert": "x", "sound": ["name": "a.caf", "critical": false]],
                ["aps": ["alert": "x", "sound": ["name": "a.caf"]]]
            ),
            (
                [
                    "alert": "x", "category": "C", "thread-id": "t", "target-content-id": "w", "mutable-content": 1,
                    "content-available": 0, "url-args": ["u"],
                ],
                [
                    "aps": [
                        "alert": "x", "category": "C", "thread-id": "t", "target-content-id": "w", "mutable-content": 1,
                        "url-args": ["u"],
                    ]
                ]
            ),
            (
                ["alert": "x", "_profile": "dev", "_apns_team_id": "T", "_notificationChannel": "c", "a": ["b": 1]],
                ["aps": ["alert": "x"], "a": ["b": 1]]
            ),
            (
                [
                    "aps": ["alert": "x", "interruption-level": "active"], "alert": "android's", "k": "v",
                    "apns-priority": 5,
                ],
                ["aps": ["alert": "x", "interruption-level": "active"], "k": "v"]
            ), (["mdm": "magic", "apns-push-type": "mdm"], ["mdm": "magic"]),
            (["action": "com.x"], ["aps": [:], "action": "com.x"]),
        ] as [(JSONValue, JSONValue)])
    func theContentOfAnAppleDeviceBecomesAPayload(data: JSONValue, payload: JSONValue) throws {
        #expect(try AppleMessage(data).payload == payload)
    }

    @Test(
        arguments: [
            (["alert": "x"], .alert, 10, nil), (["content-available": 1], .background, 5, nil),
            (["content-available": 1, "badge": "Increment"], .alert, 10, nil),
            (["content-available": 1, "sound": ""], .alert, 10, nil),
            (["aps": ["content-available": 1], "k": 1], .background, 5, nil),
            (["alert": "x", "apns-push-type": "voip", "apns-priority": 5], .voip, 5, nil),
            (["alert": "x", "apns-priority": "1", "collapse-id": 7], .alert, 1, "7"),
            (["alert": "x", "collapse-id": "", "ios": ["apns-push-type": "background"]], .background, 5, nil),
        ] as [(JSONValue, PushType, Int, String?)])
    func headersAreSaidOrFollowFromTheContent(
        data: JSONValue, type: PushType, priority: Int, collapseID: String?
    ) throws {
        let message = try AppleMessage(data)
        #expect(message.pushType == type)
        #expect(message.priority == priority)
        #expect(message.collapseID == collapseID)
    }

    @Test(
        arguments: [
            ["alert": 5], ["alert": ["x"]], ["aps": "x"], ["sound": 5, "alert": "x"], ["apns-push-type": "silent"],
            ["apns-priority": 7], ["apns-priority": 10, "apns-push-type": "background"], ["apns-priority": "high"],
            ["collapse-id": .string(String(repeating: "é", count: 33))], ["collapse-id": "a\r\nb: c"],
            ["collapse-id": true],
        ] as [JSONValue])
    func whatAppleWouldRefuseIsRefusedAtOnce(data: JSONValue) {
        #expect(throws: APIError.self) { try AppleMessage(data) }
    }

    @Test func aCountedBadgeIsNotInThePayload() throws {
        let message = try AppleMessage(["aps": ["alert": "x", "badge": "Increment"]])
        #expect(message.countsBadge)
        #expect(message.payload == ["aps": ["alert": "x"]])
    }
}
