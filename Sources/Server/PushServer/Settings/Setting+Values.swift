internal import DeviceRegistry
internal import Diagnostics
internal import PushModel
internal import RegistryModel

extension Setting {
    /// Parses a value and stores it in the settings.
    ///
    /// - Throws: ``SettingError`` with the values that the setting takes.
    package func set(_ text: String, in settings: inout ServerSettings) throws(SettingError) {
        switch self {
        case .listen:
            guard let address = ListenAddress(text) else {
                throw SettingError("takes HOST:PORT, or [ADDRESS]:PORT for IPv6, with a port up to 65535")
            }
            settings.listen = address
        case .data: settings.data = try DataPlace(text)
        case .appId:
            guard !text.isEmpty, text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw SettingError("takes the app's id: visible ASCII without spaces")
            }
            settings.applicationID = text
        case .masterKey: settings.masterKey = .environment(variable)
        case .applicationKey: settings.applicationKey = .environment(variable)
        case .viewerKey: settings.viewerKey = .environment(variable)
        case .metricsToken: settings.metricsToken = .environment(variable)
        case .mode: settings.mode = try Self.choice(text) as ServerMode
        case .upstream: settings.upstream = try Self.origin(text)
        case .upstreamTimeout: settings.upstreamTimeout = try Self.duration(text)
        case .pushesPerMinute: settings.pushesPerMinute = try Self.number(text, 1...1_000_000)
        case .clientsMayPush: settings.clientsMayPush = try Self.flag(text)
        case .mostScheduledPushes: settings.mostScheduledPushes = try Self.number(text, 1...1_000_000)
        case .androidIsValid: settings.androidIsValid = try Self.flag(text)
        case .keepStaleDevices: settings.keepsStaleDevices = try Self.flag(text)
        case .indexedFields: settings.indexedFields = try Self.fields(text)
        case .allowFaults: settings.allowsFaults = try Self.flag(text)
        case .seedDevices: settings.seedDevices = try Self.number(text, 0...10_000_000)
        case .workspace: settings.workspace = try Self.filled(text)
        case .appleProduction: settings.appleHosts["production"] = try Self.host(text)
        case .appleDevelopment: settings.appleHosts["development"] = try Self.host(text)
        case .appleCA: settings.appleCAFile = try Self.filled(text)
        case .tlsCertificate: settings.tlsCertificate = try Self.filled(text)
        case .tlsKey: settings.tlsKey = try Self.filled(text)
        case .trustedProxies: settings.trustedProxies = try Self.proxies(text)
        case .signatureAge:
            settings.limits.signatureAge = text == "off" ? nil : try Self.duration(text, or: " or off")
        case .bodyLimit: settings.limits.bodyLimit = try Self.size(text)
        case .requestTimeout: settings.limits.requestTimeout = try Self.duration(text)
        case .openingTimeout: settings.limits.openingTimeout = try Self.duration(text)
        case .idleTimeout: settings.limits.idleTimeout = try Self.duration(text)
        case .gracePeriod: settings.limits.gracePeriod = try Self.duration(text)
        case .drainDelay: settings.limits.drainDelay = text == "off" ? .zero : try Self.duration(text, or: " or off")
        case .maxConnections: settings.limits.maxConnections = try Self.number(text, 1...1_000_000)
        case .maxConnectionsPerAddress:
            settings.limits.connectionShare =
                text == "off" ? .off : .most(try Self.number(text, 1...1_000_000, or: " or off"))
        case .largeBodies: settings.limits.largeBodies = try Self.number(text, 1...1000)
        case .logLevel: settings.logLevel = try Self.choice(text)
        case .logFormat: settings.logFormat = try Self.choice(text)
        case .logAddresses: settings.logsAddresses = try Self.flag(text)
        }
    }

    private static func filled(_ text: String) throws(SettingError) -> String {
        guard !text.isEmpty, !text.utf8.contains(0) else { throw SettingError("takes a path") }
        return text
    }

    private static func host(_ text: String) throws(SettingError) -> String {
        var host = text[...]
        if host.hasPrefix("https://") { host = host.dropFirst("https://".count) }
        if host.hasSuffix("/") { host.removeLast() }
        let isPlain = host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]")]
                    .contains(byte)
        }
        guard !host.isEmpty, isPlain, ListenAddress(String(host)) != nil || !host.contains(":") else {
            throw SettingError("takes HOST or HOST:PORT; it is always reached over https")
        }
        return String(host)
    }

    /// Checks the scheme, host and port of a backend: requests to it must not be readable on the way.
    private static func origin(_ text: String) throws(SettingError) -> String {
        let url = text.hasSuffix("/") ? String(text.dropLast()) : text
        let problem = SettingError(
            "takes https://HOST or https://HOST:PORT, or http:// with an address of this machine")
        let isPlain = url.hasPrefix("http://")
        guard isPlain || url.hasPrefix("https://") else { throw problem }
        let authority = String(url.dropFirst(isPlain ? 7 : 8))
        guard !authority.contains("/"), (try? host(authority)) == authority else { throw problem }
        guard !isPlain || ListenAddress(authority + (ListenAddress(authority) == nil ? ":80" : ""))?.isLoopback == true
        else { throw problem }
        return url
    }

    private static func number(
        _ text: String, _ range: ClosedRange<Int>, or alternative: String = ""
    ) throws(SettingError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw SettingError("takes a whole number from \(range.lowerBound) to \(range.upperBound)\(alternative)")
        }
        return number
    }

    private static func flag(_ text: String) throws(SettingError) -> Bool {
        guard let flag = Bool(text) else { throw SettingError("takes true or false") }
        return flag
    }

    private static func duration(_ text: String, or alternative: String = "") throws(SettingError) -> Duration {
        // Tests use milliseconds.
        let milliseconds = text.hasSuffix("ms") ? Int64(text.dropLast(2)).map(Duration.milliseconds) : nil
        guard let duration = milliseconds ?? Duration(configurationText: text), duration > .zero,
            duration <= .seconds(31_622_400)
        else { throw SettingError("takes a time such as 30s, 15m or 2h, up to a year\(alternative)") }
        return duration
    }

    /// Parses a size such as `20MB`, in binary multiples as LeanCloud counts.
    private static func size(_ text: String) throws(SettingError) -> Int {
        var digits = text[...]
        var unit = 1
        for (name, size) in [("kB", 1024), ("MB", 1024 * 1024)] where text.hasSuffix(name) {
            digits = text.dropLast(name.count)
            unit = size
        }
        guard let number = Int(digits), (1...1_073_741_824).contains(number), number * unit <= 1_073_741_824 else {
            throw SettingError("takes a size such as 500kB or 20MB, up to 1024MB")
        }
        return number * unit
    }

    private static func proxies(_ text: String) throws(SettingError) -> TrustedProxies {
        let parts = text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
        guard let proxies = TrustedProxies(parts) else {
            throw SettingError(
                "takes addresses such as ::1 and networks such as 10.0.0.0/8 (no bit set after the prefix), no names")
        }
        return proxies
    }

    private static func fields(_ text: String) throws(SettingError) -> [String] {
        // An empty list has no separator either.
        let parts = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
        var fields: [String] = []
        for part in parts {
            let field = part.split(separator: " ").joined(separator: " ")
            do throws(RegistryError) {
                try Registry.checkIndexable(field)
            } catch {
                let shown = quoted(String(field.prefix(64)))
                throw SettingError("takes names of fields, letters, digits and '_' without dots, which \(shown) is not")
            }
            if !fields.contains(field) { fields.append(field) }
        }
        guard fields.count <= Registry.mostIndexedFields else {
            throw SettingError("takes \(Registry.mostIndexedFields) fields at most, and these are \(fields.count)")
        }
        return fields
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ text: String
    ) throws(SettingError) -> Choice {
        guard let choice = Choice(rawValue: text) else {
            throw SettingError("takes " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }
}
