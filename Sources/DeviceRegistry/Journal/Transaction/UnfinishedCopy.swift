package import Base

extension RegistryTransaction {
    /// True if a table exists; `name` is one of our own.
    package func hasTable(_ name: String) throws -> Bool {
        switch dialect {
        case .sqlite: try exists("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name])
        case .postgres: try row("SELECT to_regclass('\(name)') IS NOT NULL")?.boolean(0) ?? false
        }
    }

    /// The progress of a copy into this registry, as the target keeps it; nil when there never was one.
    package func copyProgress() throws -> JSONValue? {
        guard try hasTable("transfer"), let text = try text("SELECT progress FROM transfer WHERE name = 'copy'") else {
            return nil
        }
        return try? JSONValue(parsing: text, limits: .anyMemory)
    }

    /// Checks that the registry is not a part of another: with half of a ledger, what was sent would be sent again.
    ///
    /// - Throws: ``RegistryError`` when a copy into it was interrupted, naming what finishes it.
    package func checkIsWhole() throws {
        guard let progress = try copyProgress(), progress["isDone"]?.bool != true else { return }
        throw RegistryError(
            internal: "the registry holds a part only of another that is being copied into it: run 'bugle-server copy "
                + "--from SOURCE --to TARGET' again with the same registries, which finishes it, before anything else uses "
                + "it")
    }
}
