internal import Base

extension Fault {
    /// Reads a fault from a request's JSON.
    init(_ json: JSONValue) throws(ControlError) {
        let effect = try Self.effect(json)
        let rate = json["rate"].map { $0.double ?? -1 } ?? 1
        guard (0...1).contains(rate) else { throw ControlError("rate is a number from 0 to 1") }
        let seed = json["seed"].map { $0.integer ?? -1 } ?? 1
        guard seed >= 0 else { throw ControlError("seed is a whole number from 0") }
        let limit = json["limit"].map { $0.integer ?? -1 }
        guard limit ?? 0 >= 0 else { throw ControlError("limit is a whole number from 0") }
        self.init(effect, rate: rate, seed: UInt64(seed), limit: limit.map { Int($0) })
    }

    private static func effect(_ json: JSONValue) throws(ControlError) -> Effect {
        switch json["effect"]?.string {
        case "refuse": return .refuse(try reason(json))
        case "refuseAtHead": return .refuseAtHead(try reason(json))
        case "refuseStream": return .refuseStream
        case "reset": return .reset(processed: try isProcessed(json))
        case "disconnect": return .disconnect(processed: try isProcessed(json))
        case "stall": return .stall(processed: try isProcessed(json))
        case "goAway": return .goAway(reason: json["reason"]?.string)
        case "goAwayProcessed": return .goAwayProcessed
        case "delay":
            guard let delay = json["milliseconds"]?.integer, (0...3_600_000).contains(delay) else {
                throw ControlError("milliseconds is a whole number from 0 to 3600000")
            }
            return .delay(milliseconds: delay)
        case .some, nil:
            throw ControlError(
                "effect is refuse, refuseAtHead, refuseStream, reset, disconnect, stall, goAway, goAwayProcessed or delay"
            )
        }
    }

    private static func reason(_ json: JSONValue) throws(ControlError) -> APNsReason {
        guard let name = json["reason"]?.string, !name.isEmpty else { throw ControlError("reason is missing") }
        let known = APNsReason.ofDevices.first { $0.name == name }?.status
        let status = json["status"].map { $0.integer ?? 0 } ?? known.map { Int64($0) } ?? 0
        guard (400...599).contains(status) else { throw ControlError("status is a number from 400 to 599") }
        return APNsReason(status: Int(status), name: name)
    }

    private static func isProcessed(_ json: JSONValue) throws(ControlError) -> Bool {
        guard let value = json["processed"]?.bool else { throw ControlError("processed is true or false") }
        return value
    }
}

extension InboxSummary {
    /// The summary in `bugle-server`'s format.
    var json: JSONValue {
        [
            "devices": .integer(Int64(devices)), "messages": .integer(Int64(messages)),
            "duplicates": .integer(Int64(duplicates)),
        ]
    }
}

extension SimulatorStatistics {
    var json: JSONValue {
        [
            "connections": .integer(Int64(connections)), "openConnections": .integer(Int64(openConnections)),
            "failedHandshakes": .integer(Int64(failedHandshakes)), "requests": .integer(Int64(requests)),
            "processed": .integer(Int64(processed)), "accepted": .integer(Int64(accepted)),
            "refused": .object(JSONObject(refused.mapValues { JSONValue.integer(Int64($0)) })),
            "refusedStreams": .integer(Int64(refusedStreams)), "unanswered": .integer(Int64(unanswered)),
            "mostStreams": .integer(Int64(mostStreams)), "providerTokens": .integer(Int64(providerTokens)),
            "pings": .integer(Int64(pings)),
        ]
    }
}

extension ReceivedPush {
    var json: JSONValue {
        var json: JSONValue = [
            "id": .string(id), "topic": .string(topic), "priority": .integer(Int64(priority)),
            "data": (try? JSONValue(parsing: payload)) ?? .null, "receivedAt": .integer(receivedAt),
            "collapsed": .bool(isCollapsed), "repeated": .bool(isRepeated),
        ]
        if let pushType { json["pushType"] = .string(pushType) }
        if let expiration { json["expiration"] = .integer(expiration) }
        if let collapseID { json["collapseId"] = .string(collapseID) }
        if let channelID { json["channelId"] = .string(channelID) }
        return json
    }
}

extension BroadcastChannel {
    var json: JSONValue {
        [
            "id": .string(id), "storagePolicy": .integer(storagePolicy),
            "received": .array(received.map(\.json)),
        ]
    }
}
