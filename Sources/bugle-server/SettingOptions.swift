internal import ArgumentParser
internal import FoundationEssentials
internal import DeviceRegistry
internal import PushServer

/// The command-line options for settings: they override the environment, which overrides the file.
struct SettingOptions: ParsableArguments, CustomReflectable {
    /// The settings file.
    private(set) var config: String?
    private var texts: [Setting: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        config = try values.decode(Option<String?>.self, forKey: Key(stringValue: "config")).wrappedValue
        for setting in Setting.allCases where setting.help != nil {
            let key = Key(stringValue: "\(setting)")
            texts[setting] =
                setting.placeholder == nil
                ? try values.decode(Flag<Bool>.self, forKey: key).wrappedValue ? "true" : nil
                : try values.decode(Option<String?>.self, forKey: key).wrappedValue
        }
    }

    /// The options as properties, which is how they are found: one for each setting with a help.
    var customMirror: Mirror {
        let config = Option<String?>(help: ArgumentHelp("A YAML settings file.", valueName: "FILE"))
        let options = Setting.allCases.compactMap { setting -> Mirror.Child? in
            guard let help = setting.help else { return nil }
            let name = NameSpecification.customLong(String(setting.option.dropFirst(2)))
            let option: Any =
                if let placeholder = setting.placeholder {
                    Option<String?>(name: name, help: ArgumentHelp("\(help)", valueName: placeholder))
                } else {
                    Flag<Bool>(wrappedValue: false, name: name, help: ArgumentHelp("\(help)"))
                }
            return ("_\(setting)", option)
        }
        return Mirror(self, children: [("_config", config)] + options)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The command-line value of a setting.
    func text(_ setting: Setting) -> String? { texts[setting] }

    func validate() throws {
        var scratch = ServerSettings()
        for setting in Setting.allCases {
            guard let text = text(setting) else { continue }
            try apply(setting, text, named: setting.option, to: &scratch)
            if setting == .data { try scratch.data?.refusePassword(setting.option) }
        }
    }

    /// Reads the settings; the command line overrides the environment, which overrides the file.
    ///
    /// - Throws: ``InvalidSettings`` for the file, `ValidationError` for the other sources.
    func settings(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> LoadedSettings {
        try LoadedSettings(config: config, environment: environment, commandLine: text)
    }
}

extension LoadedSettings {
    /// Reads the settings; the command line overrides the environment, which overrides the file.
    ///
    /// - Throws: ``InvalidSettings`` for the file, `ValidationError` for the other sources.
    init(
        config: String?, environment: [String: String] = ProcessInfo.processInfo.environment,
        commandLine: (Setting) -> String?
    ) throws {
        self = try config.map(LoadedSettings.init(file:)) ?? LoadedSettings()
        for setting in Setting.allCases {
            if let text = commandLine(setting) {
                try apply(setting, text, named: setting.option, to: &settings)
                if setting == .data { try settings.data?.refusePassword(setting.option) }
            } else if let text = environment[setting.variable], !text.isEmpty {
                try apply(setting, text, named: setting.variable, to: &settings)
            } else {
                continue
            }
            ranges[setting] = nil
        }
    }
}

extension DataPlace {
    /// Refuses an address with a password as an argument, which other users of the machine can read.
    func refusePassword(_ option: String) throws {
        guard case .database(let address) = self, address.holdsPassword else { return }
        throw ValidationError(
            "\(option) holds a password, which every user of this machine can read there: give it in PGPASSWORD or in "
                + "the file of PGPASSFILE, or the whole address in \(Setting.data.variable).")
    }
}

private func apply(
    _ setting: Setting, _ text: String, named name: String, to settings: inout ServerSettings
) throws {
    do {
        try setting.set(text, in: &settings)
    } catch {
        throw ValidationError("\(name) \(error.message).")
    }
}
