package import JSONValue
internal import PushModel

extension Change {
    /// The members that cli.md lists, and `looks` where there are any; what does not apply is `null`.
    package var orderedJSON: OrderedJSON {
        let json: OrderedJSON = [
            "kind": .string(kind.rawValue),
            "name": .string(name),
            "action": .string(action.rawValue),
            "reason": .string(reason),
            "file": .string(file),
            "line": .integer(line),
            "delivery": delivery?.orderedJSON ?? .null,
            "audience": audience?.orderedJSON ?? .null,
            "payload": payload.map { ["bytes": .integer($0.bytes), "limit": .integer($0.limit)] } ?? .null,
            "before": .value(before ?? .null),
            "after": .value(after ?? .null),
            "request": request.map { ["endpoint": .string($0.endpoint.rawValue), "body": .value($0.body)] } ?? .null,
            "preview": .string(preview),
            "blocked": .array(
                blocked.map { ["rule": .string($0.rule.rawValue), "message": .string($0.message)] }),
        ]
        return looks.isEmpty ? json : json.adding("looks", .array(looks.map(\.orderedJSON)))
    }
}

extension PlannedDelivery {
    /// The members that cli.md lists, with the generation and the expiration as written.
    var orderedJSON: OrderedJSON {
        [
            "id": .string(id.text),
            "generation": .integer(generation),
            "revision": .integer(revision),
            "occurrence": .string(occurrence.text),
            "at": .string(at?.exactText),
            "expiresAt": .string(expiresAt?.exactText),
            "expires": .string(expires),
        ]
    }
}

extension PlanSummary {
    /// Every action's number, what is blocked, and the devices.
    package var orderedJSON: OrderedJSON {
        .object(
            Action.allCases.map { ($0.rawValue, .integer(self[$0])) }
                + [("blocked", .integer(blocked)), ("devices", .integer(devices))])
    }
}
