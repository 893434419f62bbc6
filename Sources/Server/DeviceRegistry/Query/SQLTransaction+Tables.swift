internal import DeliveryJournal
internal import RegistryModel

extension SQLTransaction {
    /// True if a table exists; `name` is one of our own.
    func hasTable(_ name: String) throws -> Bool {
        switch dialect {
        case .sqlite: try exists("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name])
        case .postgres: try row("SELECT to_regclass('\(name)') IS NOT NULL")?.boolean(0) ?? false
        }
    }
}
