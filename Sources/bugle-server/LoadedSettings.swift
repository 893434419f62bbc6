internal import ArgumentParser
internal import Base
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

    /// Creates the default settings.
    init() {}

    /// Reads a settings file.
    ///
    /// - Throws: ``InvalidSettings`` if the file cannot be read or is invalid.
    init(file: String) throws {
        guard let data = FileManager.default.contents(atPath: file), data.count <= Self.sizeLimit else {
            throw InvalidSettings([
                Diagnostic(.error, .unreadable, "the settings file \(quoted(file)) cannot be read")
            ])
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
        let masterKey = try key(masterSource, .masterKey, environment)
        guard masterKey.isLong else {
            throw problem(.invalidValue, "must have at least \(ServerKey.shortest) characters", .masterKey)
        }
        let applicationKey = try settings.applicationKey.map { try key($0, .applicationKey, environment) }
        let viewerKey = try viewerKey(environment)
        let token = try settings.metricsToken.map { try key($0, .metricsToken, environment) }
        let others = [(Setting.applicationKey, applicationKey), (.viewerKey, viewerKey), (.metricsToken, token)]
        for (setting, other) in others where other?.isSame(as: masterKey) ?? false {
            throw problem(.conflictingKeys, "is the same as the master key", setting)
        }
        // Every device has that key.
        if let viewerKey, applicationKey?.isSame(as: viewerKey) ?? false {
            throw problem(.conflictingKeys, "is the same as 'keys.app'", .viewerKey)
        }
        var configuration = PushServerConfiguration(
            applicationID: applicationID, masterKey: masterKey, applicationKey: applicationKey)
        (configuration.settings, configuration.viewerKey, configuration.metricsToken) = (settings, viewerKey, token)
        configuration.certificate = try certificate()
        guard settings.upstream == nil || settings.mode != .classes else {
            throw problem(.conflictingKeys, "keeps every class here, and 'upstream' passes them on", .mode)
        }
        guard !settings.leadsUpstreamBack else {
            throw problem(.invalidValue, "is where this server itself listens", .upstream)
        }
        return configuration
    }

    private func viewerKey(_ environment: [String: String]) throws -> ServerKey? {
        guard let source = settings.viewerKey else { return nil }
        let viewerKey = try key(source, .viewerKey, environment)
        guard viewerKey.isLong else {
            throw problem(.invalidValue, "must have at least \(ServerKey.shortest) characters", .viewerKey)
        }
        return viewerKey
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

    private func key(
        _ source: SecretSource, _ setting: Setting, _ environment: [String: String]
    ) throws -> ServerKey {
        do {
            return try source.read(in: environment)
        } catch {
            throw problem(.missingVariable, error.message, setting)
        }
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
