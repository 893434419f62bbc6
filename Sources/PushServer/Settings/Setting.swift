extension Setting {
    /// The command-line option, such as `--pushes-per-minute`; the keys have none.
    package var option: String { "--" + words(joinedBy: "-") }

    /// The environment variable, such as `BUGLE_SERVER_PUSHES_PER_MINUTE`.
    ///
    /// For a key, the variable holds the key itself.
    package var variable: String {
        switch self {
        case .masterKey: "BUGLE_SERVER_KEY"
        case .applicationKey: "BUGLE_SERVER_APP_KEY"
        case .viewerKey: "BUGLE_SERVER_VIEWER_KEY"
        default: "BUGLE_SERVER_" + words(joinedBy: "_").uppercased()
        }
    }

    /// What the help says; nil for a key, which has no option, since other users of the machine can read a command line.
    package var help: String? { row.help }

    /// What stands for the value in the help; nil for an option without one.
    package var placeholder: String? { row.placeholder }

    /// Parses a value and stores it in the settings.
    ///
    /// - Throws: ``SettingError`` with the values that the setting takes.
    package func set(_ text: String, in settings: inout ServerSettings) throws(SettingError) {
        let row = row
        if row.isSecret { row.name?(.environment(variable), &settings) } else { try row.set(text, &settings) }
    }

    private func words(joinedBy separator: String) -> String {
        var text = ""
        for character in rawValue {
            if character == "." {
                text += separator
            } else if character.isUppercase {
                text += separator + character.lowercased()
            } else {
                text.append(character)
            }
        }
        return text
    }

    /// All that is said of a setting.
    struct Row {
        /// What the help says; nil for a key.
        let help: String?
        /// What stands for the value in the help; nil for an option without one.
        let placeholder: String?
        /// True if the value is a path, which the settings file gives relative to its own folder.
        let isPath: Bool
        /// True if the file may give a list of values.
        let isList: Bool
        /// Stores the value that a text is.
        fileprivate let set: (String, inout ServerSettings) throws(SettingError) -> Void
        /// Stores the source of the value, `{env: NAME}` or `{file: PATH}`, where the file may name one.
        let name: ((SecretSource, inout ServerSettings) -> Void)?

        /// True for a key, so that only the source of its value is ever written.
        var isSecret: Bool { help == nil }

        init<Value>(
            _ path: WritableKeyPath<ServerSettings, Value>, _ format: SettingFormat<Value>, _ help: String?
        ) {
            self.help = help
            (placeholder, isPath, isList) = (format.placeholder, format.isPath, format.isList)
            set = { (text, settings) throws(SettingError) in settings[keyPath: path] = try format.parse(text) }
            name = format.source.map { value in { source, settings in settings[keyPath: path] = value(source) } }
        }

        init<Value>(
            _ path: WritableKeyPath<ServerSettings, Value?>, _ format: SettingFormat<Value>, _ help: String?
        ) {
            self.init(path, format.optional, help)
        }

        static func secret(_ path: WritableKeyPath<ServerSettings, SecretSource?>) -> Row { Row(path, .secret, nil) }
    }
}
