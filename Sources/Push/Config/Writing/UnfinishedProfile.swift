internal import Base
internal import YAML

/// A device profile that is only partly known and that a person must complete: no service reveals credentials.
package struct UnfinishedProfile: Sendable {
    /// The profile's name.
    package var name: String
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
