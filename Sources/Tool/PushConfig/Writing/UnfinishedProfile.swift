internal import JSONValue
internal import LocatedYAML

/// A device profile of which some is known and the rest must be filled in by a person: no service tells credentials.
package struct UnfinishedProfile: Sendable {
    /// Its name.
    package var name: String
    /// Apple's environment, where it is known.
    package var environment: String?
    /// The bundle id, where it is known.
    package var topic: String?
    /// Whether it serves installations that name none.
    package var isDefault = false
    /// Whether its removal is refused.
    package var isProtected = false
    /// The team's id, where it is known.
    package var teamId: String?
    /// The key's id, where it is known.
    package var keyId: String?
    /// What is known besides, a line each.
    package var comments: [String] = []
    /// What may help to find the topic, a line each.
    package var topicHints: [String] = []

    /// A profile of which only the name is known.
    package init(name: String) { self.name = name }

    /// The document: whatever is not known is missing in it, so that `bugle validate` names it, and a comment says so.
    package var text: String {
        var entries: [YAMLTree.Entry] = [
            .init("kind", .value("DeviceProfile"), comments: comments), .init("name", .value(.string(name))),
        ]
        if isDefault { entries.append(.init("default", .value(true))) }
        if isProtected { entries.append(.init("protected", .value(true))) }
        entries.add("environment", environment)
        entries.add("topic", topic)
        return YAMLTree.map(entries).text + toDo.map { "# " + YAMLTree.comment($0) + "\n" }.joined()
    }

    private var toDo: [String] {
        var lines: [String] = []
        if environment == nil { lines.append("TODO environment: production, or development") }
        if topic == nil {
            lines.append("TODO topic: the app's bundle id, such as com.example.app")
            lines += topicHints
        }
        let variable = String(name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return lines + [
            "TODO one of these two, as the service's console has it; no service tells its credentials:",
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
