internal import Base
internal import FoundationEssentials

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

    /// The source in words.
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
            throw SettingError(
                "names \(place), which holds no key: a key is visible ASCII without spaces and commas")
        }
        return ServerKey(text)
    }
}

/// A problem with a setting's value, worded to follow its name: `takes HOST:PORT`.
package struct SettingError: Error, Hashable, Sendable {
    /// The message.
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}
