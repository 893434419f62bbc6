internal import ArgumentParser
internal import Base
internal import DeviceRegistry
internal import FoundationEssentials
internal import PushReport
internal import PushServer

/// Errors in the settings file, ready to be printed.
struct InvalidSettings: Error {
    /// Every diagnostic with its place, but no line of the file: a key may be in the wrong place.
    let text: String

    init(_ diagnostics: [Diagnostic]) {
        text = Report.diagnostics(diagnostics.sortedForPrinting()).rendered(as: .text)
    }
}

/// Settings with the source ranges of those read from a file.
struct LoadedSettings {
    var settings = ServerSettings()
    /// The range of each setting in the file, unless another source has overridden it.
    var ranges: [Setting: SourceRange] = [:]

    /// The largest settings file, in bytes.
    private static let sizeLimit = 1024 * 1024

    init() {}

    /// Reads a settings file.
    ///
    /// - Throws: ``InvalidSettings`` if the file cannot be read or is invalid.
    init(file: String) throws {
        guard let data = FileManager.default.contents(atPath: file), data.count <= Self.sizeLimit else {
            throw InvalidSettings([Diagnostic(.error, .unreadable, "the settings file \(quoted(file)) cannot be read")])
        }
        let read = SettingsFile(Array(data), file: file)
        guard !read.diagnostics.hasErrors else { throw InvalidSettings(read.diagnostics) }
        settings = read.settings
        ranges = read.ranges
    }

    /// The place of the registry: a file, or an address.
    ///
    /// - Throws: ``InvalidSettings`` if its source holds no address, `ValidationError` if nothing names it.
    func data(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> DataPlace {
        let place = try required(settings.data, .data)
        do {
            return try place.resolved(in: environment)
        } catch {
            throw problem(.missingVariable, error.message, .data)
        }
    }

    /// The path of the registry's file, for a command that works on a file of SQLite.
    ///
    /// - Throws: `ValidationError` for a database, with `remedy`, or what ``data(_:)`` throws.
    func file(_ remedy: String) throws -> String {
        guard case .file(let path) = try data() else { throw ValidationError(remedy) }
        return path
    }

    /// Builds the server's configuration; reads the keys and loads the certificate.
    ///
    /// - Throws: ``InvalidSettings`` if a value in the file cannot be used, `ValidationError` if one is missing.
    func configuration(_ environment: [String: String]) throws -> PushServerConfiguration {
        let applicationID = try required(settings.applicationID, .appId)
        guard let masterSource = settings.masterKey else {
            throw ValidationError(
                "The environment variable BUGLE_SERVER_KEY holds no master key, and no settings file says where it is."
            )
        }
        let masterKey = try longKey(masterSource, .masterKey, environment)
        let applicationKey = try settings.applicationKey.map { try key($0, .applicationKey, environment) }
        let viewerKey = try settings.viewerKey.map { try longKey($0, .viewerKey, environment) }
        let token = try settings.metricsToken.map { try key($0, .metricsToken, environment) }
        let others = [(Setting.applicationKey, applicationKey), (.viewerKey, viewerKey), (.metricsToken, token)]
        for (setting, other) in others where other?.isSame(as: masterKey) ?? false {
            throw problem(.conflictingKeys, "is the same as the master key", setting)
        }
        // Every device has that key.
        for (setting, other) in others.dropFirst() {
            guard let other, applicationKey?.isSame(as: other) ?? false else { continue }
            throw problem(.conflictingKeys, "is the same as 'keys.app'", setting)
        }
        var configuration = PushServerConfiguration(
            applicationID: applicationID, masterKey: masterKey, applicationKey: applicationKey)
        (configuration.settings, configuration.viewerKey, configuration.metricsToken) = (settings, viewerKey, token)
        configuration.certificate = try certificate()
        configuration.notify = try room(environment)
        guard settings.upstream == nil || settings.mode != .classes else {
            throw problem(.conflictingKeys, "keeps every class here, and 'upstream' passes them on", .mode)
        }
        guard !settings.leadsUpstreamBack else {
            throw problem(.invalidValue, "is where this server itself listens", .upstream)
        }
        return configuration
    }

    /// Who is told of what people should look at; nil: nobody.
    private func room(_ environment: [String: String]) throws -> NotifyRoom? {
        do throws(NotifyProblem) {
            return try settings.room(in: environment)
        } catch {
            throw problem(error.code, error.message, error.setting)
        }
    }

    /// Reads the certificate and its key; nil for a server of plain HTTP.
    ///
    /// - Throws: ``InvalidSettings`` when they cannot be used.
    func certificate() throws -> ServerCertificate? {
        switch (settings.tlsCertificate, settings.tlsKey) {
        case (nil, nil): return nil
        case (let path?, let keyPath?):
            do {
                return try ServerCertificate(path: path, keyPath: keyPath)
            } catch {
                throw problem(.certificate, "cannot be used: \(error.description)", .tlsCertificate)
            }
        case (nil, _?): throw problem(.missingKey, "needs 'tls.certificate' beside it", .tlsKey)
        case (_?, nil): throw problem(.missingKey, "needs 'tls.key' beside it", .tlsCertificate)
        }
    }

    private func key(_ source: SecretSource, _ setting: Setting, _ environment: [String: String]) throws -> ServerKey {
        do {
            return try source.read(in: environment)
        } catch {
            throw problem(.missingVariable, error.message, setting)
        }
    }

    /// A key that is long enough not to be guessed.
    private func longKey(
        _ source: SecretSource, _ setting: Setting, _ environment: [String: String]
    ) throws -> ServerKey {
        let key = try key(source, setting, environment)
        guard key.isLong else {
            throw problem(.invalidValue, "must have at least \(ServerKey.shortest) characters", setting)
        }
        return key
    }

    private func required<Value>(_ value: Value?, _ setting: Setting) throws -> Value {
        guard let value else {
            throw ValidationError(
                "\(setting.option) is missing; it can also stand in \(setting.variable) or as "
                    + "'\(setting.rawValue)' in the file of --config.")
        }
        return value
    }

    private func problem(_ code: DiagnosticCode, _ message: String, _ setting: Setting) -> InvalidSettings {
        let diagnostic = Diagnostic(.error, code, "'\(setting.rawValue)' \(message)", at: ranges[setting])
        return InvalidSettings([diagnostic])
    }
}

/// The command-line options for settings: they override the environment, which overrides the file.
struct SettingOptions: ParsableArguments, CustomReflectable {
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

private func apply(_ setting: Setting, _ text: String, named name: String, to settings: inout ServerSettings) throws {
    do {
        try setting.set(text, in: &settings)
    } catch {
        throw ValidationError("\(name) \(error.message).")
    }
}

// MARK: - Opening

extension DataPlace {
    enum Purpose {
        /// A server that sends from it.
        case serving
        /// A transfer into it, beside which a server may run.
        case transfer
        /// A look, or a small change.
        case upkeep
        /// A copy of all of it, while nothing else uses it.
        case source
        /// The target of such a copy.
        case target
    }

    /// Opens the registry; a database gets its tables, and a file is created, unless it is opened for upkeep or as a source.
    ///
    /// - Throws: ``RegistryError`` with a remedy when it cannot be used, or a copy into it was interrupted and this is
    ///   not what finishes it.
    func open(for purpose: Purpose) async throws(RegistryError) -> Registry {
        let registry = try await opened(for: purpose)
        if purpose == .target { return registry }
        do throws(RegistryError) {
            try await Journal(registry).checkIsWhole()
            return registry
        } catch {
            await registry.shutDown()
            throw error
        }
    }

    private func opened(for purpose: Purpose) async throws(RegistryError) -> Registry {
        switch (self, purpose) {
        case (.file(let path), .serving), (.file(let path), .target): try Registry.open(path: path, isAlone: true)
        case (.file(let path), .transfer): try Registry.open(path: path, cacheKiB: Registry.transferCacheKiB)
        case (.file(let path), .upkeep): try Registry.open(existing: path)
        case (.file(let path), .source): try Registry.open(existing: path, isAlone: true)
        case (.database(let address), .serving): Registry(try await PostgresRegistry.openForServer(address))
        case (.database(let address), .transfer), (.database(let address), .target):
            Registry(try await PostgresRegistry.openForServer(address, width: 4))
        case (.database(let address), .upkeep), (.database(let address), .source):
            Registry(try await PostgresRegistry.openMigrated(address, width: 2))
        case (.secret, _): throw RegistryError(internal: "the address of the database was not read")
        }
    }
}
