package import APNs
package import JSONValue
package import PushModel

extension DeliveryOrder {
    /// The notification for the devices of one route.
    ///
    /// `start` is when the delivery started, from which its expiration counts; a Live Activity without a time of its
    /// own bears it.
    package func notification(for route: Route, startingAt start: Instant) -> PushNotification {
        PushNotification(
            to: destination, topic: route.apnsTopic, pushType: pushType, priority: priority,
            expiration: header(startingAt: start), collapseID: collapseID,
            body: notificationBody(startingAt: start))
    }

    /// The kind of targets.
    package var destination: Destination { if case .broadcast = target { .broadcastChannels } else { .devices } }

    /// The expiration header; a broadcast needs one, and without a time of its own it lasts as long as a channel keeps
    /// a
    /// message.
    private func header(startingAt start: Instant) -> Int64? {
        switch expiration {
        case .after(let duration): duration > .zero ? max(1, (start + duration).seconds) : 0
        case .at(let end): max(1, end.instant.seconds)
        case .never: destination == .broadcastChannels ? (start + Self.broadcastStorage).seconds : nil
        }
    }

    /// The bytes of the payload, with a gap for each device's badge if badges are counted.
    private func notificationBody(startingAt start: Instant) -> NotificationBody {
        let payload = payload(startingAt: start)
        guard countsBadge else { return .same(payload.canonicalBytes) }
        let aps = (payload["aps"] ?? [:]).canonicalBytes
        var others = payload
        others["aps"] = nil
        return .counted(
            before: Array(#"{"aps":{"badge":"#.utf8), after: Self.rest(aps) + Self.rest(others.canonicalBytes))
    }

    /// The largest size of the payload in bytes, as sent.
    package var payloadBytes: Int {
        switch notificationBody(startingAt: Self.anyStart) {
        case .same(let bytes): bytes.count
        case .counted(let before, let after): before.count + String(Self.largestBadge).utf8.count + after.count
        }
    }

    /// The payload as it is sent, without a counted badge: of several updates of a Live Activity the one with the latest
    /// time counts, so it bears the start of the delivery unless it has a time of its own
    /// (<doc:/APNs/ApplePayloads#Rules-by-type>).
    package func payload(startingAt start: Instant) -> JSONValue {
        guard pushType == .liveactivity, payload["aps"]?["timestamp"] == nil else { return payload }
        var payload = payload
        var aps = payload["aps"] ?? [:]
        aps["timestamp"] = .integer(start.seconds)
        payload["aps"] = aps
        return payload
    }

    /// An arbitrary time: all times of this age have the same number of digits.
    private static let anyStart = Instant(seconds: 2_000_000_000)

    /// The rest of an object's text, to follow a member that was already written.
    private static func rest(_ object: [UInt8]) -> [UInt8] {
        object.count > 2 ? [UInt8(ascii: ",")] + object.dropFirst() : [UInt8(ascii: "}")]
    }
}
