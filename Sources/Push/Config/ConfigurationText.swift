internal import Base
internal import YAML

/// Writes documents as people would: reading one back gives what was written.
package enum ConfigurationText {
    /// The document of a channel; `comments` are lines above it, without `#`.
    package static func text(of channel: Channel, comments: [String] = []) -> String {
        text(Channel.fields, channel, ["kind": comments])
    }

    /// The document of a segment; `comments` are lines above it, without `#`.
    package static func text(of segment: Segment, comments: [String] = []) -> String {
        text(Segment.fields, segment, ["kind": comments])
    }

    /// The document of a campaign, held or not. Defaults are left out, but the environment is written where a profile
    /// could decide it. `comments` are lines above the document and `holdComments` lines above `hold`, both without
    /// `#`.
    package static func text(of campaign: Campaign, comments: [String] = [], holdComments: [String] = []) -> String {
        text(Campaign.fields, campaign, ["kind": comments, "hold": holdComments]) { text in
            // A campaign's '${' begins the name of a value.
            text.replacing("${", with: "$${")
        }
    }

    private static func text<Root>(
        _ table: FieldTable<Root>, _ root: Root, _ comments: [String: [String]],
        saying written: ((String) -> String)? = nil
    ) -> String {
        var entries = entries(table.values(of: root), table.description)
        for index in entries.indices { entries[index].comments = comments[entries[index].key] ?? [] }
        let tree = YAMLTree.map(entries)
        return written.map(tree.mapStrings)?.text ?? tree.text
    }

    private static func entries(_ values: [FieldValue?], _ map: MapDescription) -> [YAMLTree.Entry] {
        zip(map.fields, values).compactMap { field, value in
            value.map { YAMLTree.Entry(field.name, tree($0, field.type)) }
        }
    }

    private static func tree(_ value: FieldValue, _ type: FieldType) -> YAMLTree {
        switch value {
        case .text(let text): if case .date = type { .plain(text) } else { .value(.string(text)) }
        case .flag(let flag): .value(.bool(flag))
        case .integer(let number): .value(.integer(Int64(number)))
        case .number(let number): .value(.number(number))
        case .duration(let length): .plain(length.configurationText)
        case .instant(let instant): .plain(text(of: instant))
        case .json(let json): .value(json)
        case .list(let texts): .value(.array(texts.map { element($0, of: type) }))
        case .maps(let maps): .list(maps.map { tree(.fields($0), type) })
        case .entries(let entries): tree(entries, type)
        case .fields(let values): tree(values, type)
        }
    }

    private static func element(_ text: String, of type: FieldType) -> JSONValue {
        if case .list(.recurrenceDay, _) = type, let day = Int64(text) { return .integer(day) }
        return .string(text)
    }

    private static func tree(_ entries: [(key: String, value: FieldValue)], _ type: FieldType) -> YAMLTree {
        guard case .entries(let inner, _) = type else { return .map([]) }
        return .map(entries.map { YAMLTree.Entry($0.key, tree($0.value, inner)) })
    }

    private static func tree(_ values: [FieldValue?], _ type: FieldType) -> YAMLTree {
        guard let map = type.maps.first else { return .map([]) }
        let entries = entries(values, map)
        // In the place of a text, as any JSON is written.
        if case .either = type { return .map(entries.sorted { $0.key < $1.key }) }
        return .map(entries)
    }

    private static func text(of instant: OffsetInstant) -> String {
        // Only UTC is written with a part of a second, which people do not write.
        instant.instant.milliseconds % 1000 == 0 ? instant.text : instant.instant.isoText
    }
}

extension [YAMLTree.Entry] {
    /// Adds a text that is there.
    mutating func add(_ key: String, _ text: String?) {
        if let text { append(.init(key, .value(.string(text)))) }
    }
}

/// A device profile that is only partly known and that a person must complete: no service reveals credentials.
package struct UnfinishedProfile: Sendable {
    package var name: String
    /// The service.
    package var vendor = PushVendor.apns
    /// What installations call it, if that is another name.
    package var installations: String?
    /// Apple's environment, if known.
    package var environment: String?
    /// The bundle id, if known.
    package var topic: String?
    /// True when the profile serves installations that name none.
    package var isDefault = false
    /// True when removing the profile is refused.
    package var isProtected = false
    /// The team id, if known.
    package var teamId: String?
    /// The key id, if known.
    package var keyId: String?
    /// Other known facts, one per line.
    package var comments: [String] = []
    /// Hints for finding the topic, one per line.
    package var topicHints: [String] = []

    /// Creates a profile of which only the name is known.
    package init(name: String) { self.name = name }

    /// The document: unknown fields are missing, so that `bugle validate` names them, and a comment says so.
    package var text: String {
        var entries: [YAMLTree.Entry] = [
            .init("kind", .value("DeviceProfile"), comments: comments), .init("name", .value(.string(name))),
        ]
        if isDefault { entries.append(.init("default", .value(true))) }
        if isProtected { entries.append(.init("protected", .value(true))) }
        if vendor != .apns { entries.add("vendor", vendor.word) }
        entries.add("deviceProfile", installations)
        entries.add("environment", environment)
        entries.add("topic", topic)
        return YAMLTree.map(entries).text + toDo.map { "# " + YAMLTree.comment($0) + "\n" }.joined()
    }

    private var toDo: [String] {
        var lines: [String] = []
        if environment == nil { lines.append("TODO environment: production, or development") }
        let variable = String(name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
        if vendor != .apns {
            lines += ["TODO as its console shows it; no service reveals its credentials:", "\(vendor.word):"]
            lines += vendor.fields.ids.map {
                $0 == "region" ? "  region: \(vendor == .miGlobal ? "global" : "cn")" : "  \($0): …"
            }
            lines += vendor.fields.secrets.map { "  \($0): {env: \(variable)_\($0.uppercased())}" }
            return lines + (vendor == .honor ? ["  experimental: true"] : [])
        }
        if topic == nil {
            lines.append("TODO topic: the app's bundle id, such as com.example.app")
            lines += topicHints
        }
        return lines + [
            "TODO one of these two, as the app has it now; no service reveals its credentials:",
            "certificate:",
            "  file: certificates/\(name).p12",
            "  passphrase: {env: \(variable)_P12_PASSPHRASE}",
            "token:",
            "  teamId: \(teamId ?? "ABCDE12345")",
            "  keyId: \(keyId ?? "ABC123DEFG")",
            "  key: {env: \(variable)_P8_KEY}",
        ]
    }
}
