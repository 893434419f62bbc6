internal import Diagnostics
internal import FoundationEssentials

/// Where a key is kept; it never stands in a configuration itself.
package enum SecretSource: Hashable, Sendable {
    /// `{env: NAME}`: a variable of the environment.
    case environment(String)
    /// `{file: PATH}`: a file that holds the key and nothing else; one line break after it does not count.
    case file(String)

    /// A key has at most this many bytes.
    private static let limit = 4096

    /// Reads the key.
    ///
    /// - Throws: ``SettingError`` that says what is wrong with the place, and never what stands there.
    package func read(in environment: [String: String]) throws(SettingError) -> ServerKey {
        switch self {
        case .environment(let name):
            guard let value = environment[name], !value.isEmpty else {
                throw SettingError("names the environment variable \(quoted(name)), which is not set")
            }
            return try Self.key(value, from: "the environment variable \(quoted(name))")
        case .file(let path):
            let resolved = URL(filePath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
            guard let attributes else { throw SettingError("names the file \(quoted(path)), which cannot be read") }
            // A pipe or a device would be waited for.
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                (attributes[.size] as? UInt64 ?? 0) <= Self.limit, let data = FileManager.default.contents(atPath: path)
            else { throw SettingError("names the file \(quoted(path)), which is no readable file of one key") }
            guard var text = String(validating: data, as: UTF8.self) else {
                throw SettingError("names the file \(quoted(path)), which is not UTF-8")
            }
            if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
            return try Self.key(text, from: "the file \(quoted(path))")
        }
    }

    /// Headers cannot carry anything else.
    private static func key(_ text: String, from place: String) throws(SettingError) -> ServerKey {
        guard !text.isEmpty else { throw SettingError("names \(place), which is empty") }
        guard text.utf8.count <= limit, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2C }) else {
            throw SettingError(
                "names \(place), which holds no key: a key is of visible ASCII without spaces and commas")
        }
        return ServerKey(text)
    }
}

/// What is wrong with a setting's value, to be read after its name: `takes HOST:PORT`.
package struct SettingError: Error, Hashable, Sendable {
    /// The words.
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}
