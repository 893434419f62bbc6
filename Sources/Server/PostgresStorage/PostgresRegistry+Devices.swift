package import JSONValue
internal import PostgresClient
package import PushModel
package import RegistryModel

extension PostgresRegistry {
    /// The number of devices per transaction.
    private static let devicesAtOnce = 1000

    /// Registers devices as LeanCloud's clients do: each is added, or updated if it is found by its `objectId`, else by
    /// its `installationId`, else by its `deviceToken`.
    ///
    /// If one is rejected, those before it may have been registered.
    ///
    /// - Parameters:
    ///   - documents: the contents of `_Installation` for each device.
    ///   - time: the time when they were seen; now by default.
    /// - Throws: ``RegistryError`` with the index of the rejected device and the code of the rule.
    package func register(
        _ documents: [JSONValue], at time: Instant? = nil
    ) async throws(RegistryError) {
        for start in stride(from: 0, to: documents.count, by: Self.devicesAtOnce) {
            let part = Array(documents[start..<min(start + Self.devicesAtOnce, documents.count)])
            try await database.run(.lookUps) { session in
                let members = part.map { $0.object ?? [:] }
                var registration = try PostgresRegistration(members, in: session, at: time ?? database.now(in: session))
                for (index, device) in part.enumerated() {
                    do throws(RegistryError) {
                        guard device.object != nil else {
                            throw RegistryError(.incorrectType, "A device is an object.")
                        }
                        try registration.take(members[index])
                    } catch {
                        throw RegistryError(error.code, "device \(start + index + 1): \(error.description)")
                    }
                }
                try registration.finish()
            }
        }
    }

    /// The result of a copy.
    package struct CopyFigures: Hashable, Sendable {
        /// The number of written devices and other objects.
        package var copied = 0
        /// The number of those kept unchanged, because the version here is as new or newer.
        package var kept = 0
        /// The ids of those that PostgreSQL cannot store, because a string contains a NUL.
        package var refused: [String] = []

        /// Adds other figures.
        mutating func add(_ more: CopyFigures) {
            copied += more.copied
            kept += more.kept
            refused += more.refused
        }
    }

    /// Copies the devices of another registry, and the objects of its other classes with their relations, in pages
    /// and unchanged: ids, times and fields.
    ///
    /// Of two versions of a device the one written later stays; so the copy can be repeated, and continues where it
    /// ended. The data of applies is not copied: `bugle ledger copy` does that. `progress` is called with the number of
    /// objects read so far.
    ///
    /// - Throws: ``RegistryError`` when a database failed; the pages before are copied.
    package func copy(
        from source: some ObjectSource, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(RegistryError) -> CopyFigures {
        var figures = CopyFigures()
        var (row, read) = (Int64(0), 0)
        while true {
            let page = try await source.page(of: .installation, after: row, limit: Self.devicesAtOnce)
            guard let last = page.last else { break }
            figures.add(try await database.run(.lookUps) { session in try PostgresCopy(session).devices(page) })
            (row, read) = (last.row, read + page.count)
            progress(read)
        }
        for name in try await source.classesToCopy() {
            row = 0
            while true {
                let page = try await source.page(of: name, after: row, limit: Self.devicesAtOnce)
                guard let last = page.last else { break }
                figures.add(
                    try await database.run(.lookUps) { session in try PostgresCopy(session).objects(page, of: name) })
                (row, read) = (last.row, read + page.count)
                progress(read)
            }
        }
        var after = RelationRow?.none
        while true {
            let page = try await source.relations(after: after, limit: Self.devicesAtOnce)
            guard let last = page.last else { break }
            try await database.run(.lookUps) { session in try PostgresCopy(session).relations(page) }
            after = last
        }
        return figures
    }
}
