internal import Base
package import DeviceRegistry
internal import FoundationEssentials

/// The place of a server's registry.
package enum DataPlace: Hashable, Sendable {
    /// A file of SQLite, by its path.
    case file(String)
    case database(PostgresAddress)
    /// A database in PostgreSQL whose address is not in the settings.
    case secret(SecretSource)

    /// Parses a path or an address.
    ///
    /// - Throws: ``SettingError`` when it is neither; it never repeats an address.
    package init(_ text: String) throws(SettingError) {
        guard !text.isEmpty, !text.utf8.contains(0) else { throw Self.problem }
        guard text.contains("://") else {
            self = .file(text)
            return
        }
        self = .database(try Self.address(text))
    }

    /// Returns the place itself: the address that the source holds.
    ///
    /// - Throws: ``SettingError`` with the problem of the source, never with its content.
    package func resolved(in environment: [String: String]) throws(SettingError) -> DataPlace {
        guard case .secret(let source) = self else { return self }
        return .database(try Self.address(source.text(in: environment)))
    }

    /// True if a text is an address and not a path.
    static func isAddress(_ text: String) -> Bool { text.contains("://") }

    private static let problem = SettingError("takes the path of a file, or postgres://USER@HOST/DATABASE")

    private static func address(_ text: String) throws(SettingError) -> PostgresAddress {
        guard ["postgres://", "postgresql://"].contains(where: text.hasPrefix) else { throw problem }
        do throws(PostgresError) {
            return try PostgresAddress(text)
        } catch {
            // Whoever prints it ends the sentence.
            let reason = error.description.hasSuffix(".") ? String(error.description.dropLast()) : error.description
            throw SettingError("has an address that cannot be used: \(reason)")
        }
    }
}

/// The address a server listens on: `HOST:PORT`, or `[ADDRESS]:PORT` for IPv6.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// The host, without brackets.
    package let host: String
    /// The port; 0 takes a free one.
    package let port: Int

    /// Creates an address from a host and a port.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`; nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// The host as written in a URL.
    package var hostText: String { host.contains(":") ? "[\(host)]" : host }

    /// True for an address that only this machine can reach.
    package var isLoopback: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return host == "localhost" || host == "::1"
            || numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// True for the wildcard address, which stands for all addresses of this machine.
    package var isEvery: Bool { host == "0.0.0.0" || host == "::" }

    package var description: String { "\(hostText):\(port)" }
}

/// The source of a key; the key itself is never in a configuration.
package enum SecretSource: Hashable, Sendable {
    /// `{env: NAME}`: an environment variable.
    case environment(String)
    /// `{file: PATH}`: a file with nothing but the key; one trailing line break is ignored.
    case file(String)

    /// The longest key, in bytes.
    private static let limit = 4096

    /// Reads the key.
    ///
    /// - Throws: ``SettingError`` with the problem of the source, never with its content.
    package func read(in environment: [String: String]) throws(SettingError) -> ServerKey {
        try Self.key(text(in: environment), from: place)
    }

    /// Reads what the source holds.
    ///
    /// - Throws: ``SettingError`` with the problem of the source, never with its content.
    func text(in environment: [String: String]) throws(SettingError) -> String {
        switch self {
        case .environment(let name):
            guard let value = environment[name], !value.isEmpty else {
                throw SettingError("names the environment variable \(quoted(name)), which is not set")
            }
            return value
        case .file(let path):
            let resolved = URL(filePath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
            guard let attributes else { throw SettingError("names the file \(quoted(path)), which cannot be read") }
            // Reading a pipe or a device would block.
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                (attributes[.size] as? UInt64 ?? 0) <= Self.limit, let data = FileManager.default.contents(atPath: path)
            else { throw SettingError("names the file \(quoted(path)), which is not a readable file of one key") }
            guard var text = String(validating: data, as: UTF8.self) else {
                throw SettingError("names the file \(quoted(path)), which is not UTF-8")
            }
            if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
            return text
        }
    }

    private var place: String {
        switch self {
        case .environment(let name): "the environment variable \(quoted(name))"
        case .file(let path): "the file \(quoted(path))"
        }
    }

    /// Checks a key: headers cannot carry other characters.
    private static func key(_ text: String, from place: String) throws(SettingError) -> ServerKey {
        guard !text.isEmpty else { throw SettingError("names \(place), which is empty") }
        guard text.utf8.count <= limit, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2C }) else {
            throw SettingError("names \(place), which holds no key: a key is visible ASCII without spaces and commas")
        }
        return ServerKey(text)
    }
}

/// A problem with a setting's value, worded to follow its name: `takes HOST:PORT`.
package struct SettingError: Error, Hashable, Sendable {
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}
