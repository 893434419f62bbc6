package import DeliveryJournal
package import PushModel
internal import RegistryModel

/// An apply's data in a server's registry: records, locks and journals.
///
/// Changes are on disk when a method returns.
package struct RegistryStore: RegistryWriting {
    package let access: any DeployDatabase

    /// Creates a store for an open registry; the database's clock is the machine's by default.
    package init(_ registry: Registry, clock: @escaping @Sendable () -> Instant = { .system }) {
        access = registry.database.deploys(by: clock)
    }
}
