internal import JSONValue
internal import LocatedYAML
package import PushModel

/// Writes documents as people would: reading one back gives what was written.
package enum ConfigurationText {
    /// A channel.
    ///
    /// - Parameter comments: lines above it, without `#`.
    package static func text(of channel: Channel, comments: [String] = []) -> String {
        var entries: [YAMLTree.Entry] = [
            .init("kind", .value("Channel"), comments: comments), .init("name", .value(.string(channel.name))),
        ]
        entries.add("description", channel.description)
        if let broadcast = channel.broadcast {
            entries.append(
                .init(
                    "broadcast",
                    .map([
                        .init("topic", .value(.string(broadcast.topic))),
                        .init("storage", .value(.string(broadcast.storage.rawValue))),
                    ])))
        }
        return YAMLTree.map(entries).text
    }

    /// A segment.
    ///
    /// - Parameter comments: lines above it, without `#`.
    package static func text(of segment: Segment, comments: [String] = []) -> String {
        var entries: [YAMLTree.Entry] = [
            .init("kind", .value("Segment"), comments: comments), .init("name", .value(.string(segment.name))),
        ]
        entries.add("description", segment.description)
        entries.append(.init("where", .value(segment.condition)))
        return YAMLTree.map(entries).text
    }

    /// A campaign, held or not.
    ///
    /// What a campaign has by default is left out, but its environment is written where a profile could decide it.
    ///
    /// - Parameters:
    ///   - comments: lines above it, without `#`.
    ///   - holdComments: lines above `hold`.
    package static func text(of campaign: Campaign, comments: [String] = [], holdComments: [String] = []) -> String {
        var entries: [YAMLTree.Entry] = [
            .init("kind", .value("Campaign"), comments: comments), .init("name", .value(.string(campaign.name))),
        ]
        entries.add("description", campaign.description)
        if campaign.hold { entries.append(.init("hold", .value(true), comments: holdComments)) }
        if campaign.environment != .production || campaign.audience.deviceProfile != nil {
            entries.append(.init("environment", .value(.string(campaign.environment.rawValue))))
        }
        entries.append(.init("audience", audience(campaign.audience)))
        entries.append(.init("message", MessageText.tree(of: campaign.message)))
        if let at = campaign.scheduledAt {
            entries.append(.init("schedule", .map([.init("at", instant(at))])))
        }
        switch campaign.expiration {
        case .after(let duration):
            entries.append(.init("expiration", .map([.init("after", .plain(duration.configurationText))])))
        case .at(let end): entries.append(.init("expiration", .map([.init("at", instant(end))])))
        case .never: entries.append(.init("expiration", .value("never")))
        case nil: break
        }
        if let throttle = campaign.throttlePerSecond {
            entries.append(.init("throttle", .map([.init("perSecond", .value(.integer(Int64(throttle))))])))
        }
        return YAMLTree.map(entries).text
    }

    private static func audience(_ audience: Audience) -> YAMLTree {
        var entries: [YAMLTree.Entry] = []
        if audience.everyone { entries.append(.init("everyone", .value(true))) }
        entries.add("channels", list: audience.channels)
        entries.add("segments", list: audience.segments)
        if let condition = audience.condition { entries.append(.init("where", .value(condition))) }
        entries.add("platforms", list: audience.platforms.map(\.rawValue))
        entries.add("deviceProfile", audience.deviceProfile)
        entries.add("devices", list: audience.devices)
        return .map(entries)
    }

    static func instant(_ instant: OffsetInstant) -> YAMLTree {
        // Only UTC is written with a part of a second, which people do not write.
        .plain(instant.instant.milliseconds % 1000 == 0 ? instant.text : instant.instant.isoText)
    }
}

extension [YAMLTree.Entry] {
    /// Adds a text that is there.
    mutating func add(_ key: String, _ text: String?) {
        if let text { append(.init(key, .value(.string(text)))) }
    }

    /// Adds a list that is not empty.
    mutating func add(_ key: String, list: [String]) {
        if !list.isEmpty { append(.init(key, .value(.array(list.map { .string($0) })))) }
    }
}
