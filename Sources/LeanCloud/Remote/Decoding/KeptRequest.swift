internal import Base
package import Push

/// The request that created an entry of the list of scheduled pushes, reconstructed from the list.
///
/// The list spells the parameters with `-` and adds members of the service's own.
/// Source: docs/background/leancloud/records.md#scheduled-pushes.
package struct KeptRequest: Sendable {
    /// The request, in the spelling of `POST /push`, without its ids.
    package let request: PushRequest

    /// Members that do not affect the content, the audience or the time.
    private static let ownMembers: Set<String> = [
        "through?", "app-id", "api-version", "id", "notificationid", "notification-id", "req-id", "createdat",
        "updatedat", "from-service", "where", "msg", "data", "channels", "push-time",
    ]
    private static let parameters: [String: String] = [
        "prod": "prod", "expiration-time": "expiration_time", "expiration-interval": "expiration_interval",
        "flow-control": "flow_control", "topic": "topic", "apns-team-id": "apns_team_id",
        "-notificationchannel": "_notificationChannel",
    ]

    /// Reconstructs the request from a list entry.
    ///
    /// - Throws: ``Inexpressible`` when the entry contains something unknown, or that a campaign cannot express.
    package init(_ push: KeptPush) throws(Inexpressible) {
        let message = push.message.object ?? [:]
        var body: JSONObject = ["push_time": .string(push.push.at.isoText)]
        for (key, value) in message where !value.isNull {
            let name = key.lowercased().replacing("_", with: "-")
            if let parameter = Self.parameters[name] {
                body[parameter] = value
            } else if !Self.ownMembers.contains(name) {
                throw Inexpressible("has '\(key.shortened(to: 64))', which bugle does not know")
            }
        }
        guard let data = message["msg"] ?? message["data"], data.object != nil else {
            throw Inexpressible("has no content object")
        }
        body["data"] = data
        body["where"] = try Self.condition(message)
        request = PushRequest(endpoint: .push, body: .object(body))
    }

    /// The push's condition on installations, without the additions of the service.
    private static func condition(_ message: JSONObject) throws(Inexpressible) -> JSONValue {
        let found = message["where"] ?? [:]
        var condition = found["query"] ?? found
        if let list = condition.array { condition = ["$and": .array(list)] }
        guard var members = condition.object else { throw Inexpressible("has a 'where' that is not a condition") }
        if found["query"] == nil { members["sort"] = nil }
        members = try withChannels(message["channels"], members)
        if members["valid"] == true { members["valid"] = nil }
        // `{"$and": [CONDITION, {"valid": true}]}`, where the condition itself mentions `valid`.
        if members.count == 1, let parts = members["$and"]?.array, parts.count == 2, parts[1] == ["valid": true],
            let inner = parts[0].object
        {
            members = inner
        }
        return .object(members)
    }

    private static func withChannels(
        _ value: JSONValue?, _ members: JSONObject
    ) throws(Inexpressible) -> JSONObject {
        guard let value, !value.isNull else { return members }
        let names = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        guard !names.isEmpty, names.count == value.array?.count ?? 1 else {
            throw Inexpressible("has 'channels' that are not names")
        }
        let condition: JSONValue = ["$in": .array(names.map { .string($0) })]
        guard members["channels"] != nil else { return members.merging(["channels": condition]) { $1 } }
        return ["$and": [.object(members), ["channels": condition]]]
    }
}
