package import DeviceRegistry
package import Diagnostics
internal import PostgresClient

/// Where the registry of an `apns` remote is.
package enum RegistrySource: Sendable {
    /// A SQLite file that is there.
    ///
    /// - Parameters:
    ///   - path: the whole path.
    ///   - label: the file as the workspace names it.
    case sqlite(path: String, label: String)
    /// A PostgreSQL database, by libpq's connection string.
    case postgres(Secret)

    /// The registry for people, without anything secret.
    var label: String {
        switch self {
        case .sqlite(_, let label): label
        case .postgres(let text): (try? PostgresAddress(text.revealedText))?.place ?? "PostgreSQL"
        }
    }

    /// What makes it this database and no other, without anything secret.
    ///
    /// A SQLite file goes by its name in the workspace: a checkout elsewhere is the same remote.
    var identity: String {
        switch self {
        case .sqlite(_, let label): "sqlite:" + label
        case .postgres: "postgres:" + label
        }
    }

    /// Whether other machines can reach it.
    var isShared: Bool {
        switch self {
        case .sqlite: false
        case .postgres: true
        }
    }

    /// A connection that cannot write.
    ///
    /// - Throws: ``RegistryError`` that says what to do when the registry is not there.
    func openReadOnly() async throws(RegistryError) -> any DeployReading {
        switch self {
        case .sqlite(let path, _): return try Registry.openReadOnly(path: path)
        case .postgres(let text): return try await PostgresRegistry.openReadOnly(try Self.address(text))
        }
    }

    /// A connection that writes; nothing is created.
    ///
    /// - Throws: ``RegistryError`` that says what to do when the registry is not there.
    func open() async throws(RegistryError) -> any DeployWriting {
        switch self {
        case .sqlite(let path, _): return RegistryStore(try Registry.open(existing: path))
        case .postgres(let text): return try await PostgresRegistry.open(try Self.address(text))
        }
    }

    private static func address(_ text: Secret) throws(RegistryError) -> PostgresAddress {
        do throws(PostgresError) {
            return try PostgresAddress(text.revealedText)
        } catch {
            throw RegistryError(internal: error.description)
        }
    }
}
