package import Base
internal import DeviceRegistry
internal import YAML

/// A parsed settings file: YAML, one mapping.
package struct SettingsFile {
    /// The settings; invalid entries leave the previous values.
    package private(set) var settings: ServerSettings
    /// The problems found.
    package private(set) var diagnostics: [Diagnostic] = []
    /// The source range of each setting in the file.
    package private(set) var ranges: [Setting: SourceRange] = [:]

    private let folder: String

    /// Parses a file on top of existing settings; `file` is its path, for messages and as the base of relative paths.
    package init(_ bytes: [UInt8], file: String, over settings: ServerSettings = ServerSettings()) {
        self.settings = settings
        folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        let (documents, problems) = DocumentParser.parse(bytes, file: file)
        diagnostics = problems
        for extra in documents.dropFirst() {
            report(.invalidValue, "a settings file is one document", extra.root)
        }
        guard let root = documents.first?.root, !root.isInvalid else { return }
        if root.kind == .scalar, root.scalar == .null { return }
        read(root, prefix: "")
    }

    private mutating func read(_ map: Node, prefix: String) {
        guard map.kind == .mapping else {
            let name = prefix.isEmpty ? "the file" : quoted(String(prefix.dropLast()))
            return report(.wrongType, "\(name) is \(map.typeDescription), but must be a mapping", map)
        }
        for entry in map.entries {
            let name = prefix + (entry.key.text ?? "")
            if let setting = Setting(rawValue: name) {
                ranges[setting] = entry.value.range
                if !entry.value.isInvalid { read(setting, entry.value) }
            } else if prefix.isEmpty, Setting.allCases.contains(where: { $0.rawValue.hasPrefix(name + ".") }) {
                if !entry.value.isInvalid { read(entry.value, prefix: name + ".") }
            } else {
                reportUnknown(entry.key, prefix)
            }
        }
    }

    private mutating func reportUnknown(_ key: Node, _ prefix: String) {
        let names = Setting.allCases.map(\.rawValue).filter { $0.hasPrefix(prefix) }.map { name in
            String(name.dropFirst(prefix.count).prefix { $0 != "." })
        }
        let name = key.text ?? ""
        report(.unknownKey, "unknown key \(quoted(name))\(Suggestion.ending(for: name, among: names))", key)
    }

    private mutating func read(_ setting: Setting, _ value: Node) {
        let row = setting.row
        if let put = row.name, row.isSecret || value.kind == .mapping { return readSource(setting, value, put) }
        var text: String?
        if row.isList, value.kind == .sequence {
            if let odd = value.elements.first(where: { $0.kind != .scalar && !$0.isInvalid }) {
                return report(
                    .wrongType, "'\(setting.rawValue)' is a list of texts, but this is \(odd.typeDescription)", odd)
            }
            text = value.elements.map { $0.text ?? "" }.joined(separator: ",")
        } else if value.kind == .scalar, value.scalar != .null {
            text = value.text
        }
        guard var text else {
            let expected = row.isList ? "a list" : "one value"
            return report(
                .wrongType, "'\(setting.rawValue)' is \(value.typeDescription), but must be \(expected)", value)
        }
        if row.isPath, !text.hasPrefix("/"), !text.isEmpty, !DataPlace.isAddress(text) { text = folder + text }
        do throws(SettingError) {
            try setting.set(text, in: &settings)
            if setting == .data, case .database(let address)? = settings.data, address.holdsPassword {
                settings.data = nil
                report(
                    .plainSecret, "'data' holds a password, which must not be written in a file", value,
                    help: "name the source of the whole address: {env: DATABASE_URL} or {file: PATH}")
            }
        } catch {
            report(.invalidValue, "'\(setting.rawValue)' \(error.message)", value)
        }
    }

    /// Reads the source of a key; a key in the file itself is an error that does not repeat it.
    private mutating func readSource(
        _ setting: Setting, _ value: Node, _ put: (SecretSource, inout ServerSettings) -> Void
    ) {
        guard value.kind == .mapping else {
            return report(
                .plainSecret, "'\(setting.rawValue)' is a secret and must not be written in a file", value,
                help: "name its source: {env: NAME} or {file: PATH}")
        }
        for entry in value.entries where !entry.key.hasText("env") && !entry.key.hasText("file") {
            let name = entry.key.text ?? ""
            let ending = Suggestion.ending(for: name, among: ["env", "file"])
            report(.unknownKey, "unknown key \(quoted(name))\(ending)", entry.key)
        }
        switch (value["env"], value["file"]) {
        case (let env?, nil):
            guard let name = env.string, Self.isVariable(name) else {
                return report(
                    .plainSecret, "'\(setting.rawValue).env' must name an environment variable", env,
                    help: "write {env: NAME} with a name of letters, digits and '_'")
            }
            put(.environment(name), &settings)
        case (nil, let file?):
            guard let path = file.string, !path.isEmpty else {
                return report(.wrongType, "'\(setting.rawValue).file' must be a path", file)
            }
            put(.file(path.hasPrefix("/") ? path : folder + path), &settings)
        case (_?, let file?): report(.conflictingKeys, "'env' and 'file' exclude each other", file)
        case (nil, nil): report(.missingKey, "one of 'env' and 'file' is needed", value)
        }
    }

    /// True for a valid variable name. The rule is strict because a key pasted in its place must not appear in a
    /// message.
    private static func isVariable(_ name: String) -> Bool {
        guard let first = name.utf8.first, !first.isDigit, name.utf8.count <= 128 else { return false }
        return name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    }

    private mutating func report(_ code: DiagnosticCode, _ message: String, _ node: Node, help: String? = nil) {
        diagnostics.append(Diagnostic(.error, code, message, at: node.range, help: help))
    }
}
