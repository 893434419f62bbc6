internal import DeviceRegistry
internal import PushServer

extension DataPlace {
    /// The use of an opened registry.
    enum Purpose {
        /// A server that sends from it.
        case serving
        /// A transfer into it, beside which a server may run.
        case transfer
        /// A look, or a small change.
        case upkeep
        /// A copy of all of it, while nothing else uses it.
        case source
        /// The target of such a copy.
        case target
    }

    /// Opens the registry; a database gets its tables, and a file is created, unless it is opened for upkeep or as a source.
    ///
    /// - Throws: ``RegistryError`` with a remedy when it cannot be used, or a copy into it was interrupted and this is
    ///   not what finishes it.
    func open(for purpose: Purpose) async throws(RegistryError) -> Registry {
        let registry = try await opened(for: purpose)
        if purpose == .target { return registry }
        do throws(RegistryError) {
            try await Journal(registry).checkIsWhole()
            return registry
        } catch {
            await registry.shutDown()
            throw error
        }
    }

    private func opened(for purpose: Purpose) async throws(RegistryError) -> Registry {
        switch (self, purpose) {
        case (.file(let path), .serving), (.file(let path), .target): try Registry.open(path: path, isAlone: true)
        case (.file(let path), .transfer): try Registry.open(path: path, cacheKiB: Registry.transferCacheKiB)
        case (.file(let path), .upkeep): try Registry.open(existing: path)
        case (.file(let path), .source): try Registry.open(existing: path, isAlone: true)
        case (.database(let address), .serving): Registry(try await PostgresRegistry.openForServer(address))
        case (.database(let address), .transfer), (.database(let address), .target):
            Registry(try await PostgresRegistry.openForServer(address, width: 4))
        case (.database(let address), .upkeep), (.database(let address), .source):
            Registry(try await PostgresRegistry.openMigrated(address, width: 2))
        case (.secret, _): throw RegistryError(internal: "the address of the database was not read")
        }
    }
}
