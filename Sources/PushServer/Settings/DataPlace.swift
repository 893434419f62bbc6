package import DeviceRegistry

/// The place of a server's registry.
package enum DataPlace: Hashable, Sendable {
    /// A file of SQLite, by its path.
    case file(String)
    /// A database in PostgreSQL.
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
            throw SettingError("has an address that cannot be used: \(error.description)")
        }
    }
}
