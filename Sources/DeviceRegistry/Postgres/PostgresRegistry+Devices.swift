package import JSONValue
internal import PostgresClient
package import PushModel

extension PostgresRegistry {
    /// Devices of one transaction.
    private static let devicesAtOnce = 1000

    /// Registers devices as LeanCloud's clients do: each is added, or updated when it is known by its `objectId`, else by
    /// its `installationId`, else by its `deviceToken`.
    ///
    /// Those before a refused one may have been registered.
    ///
    /// - Parameters:
    ///   - documents: what `_Installation` holds of each.
    ///   - time: when they were seen; default now.
    /// - Throws: ``RegistryError`` that names the place of the one that is refused, with the code of the rule.
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

    /// What became of a copy.
    package struct CopyFigures: Hashable, Sendable {
        /// Devices that were written, and objects of other classes.
        package var copied = 0
        /// Those that stayed as they are because what is here was written later or at the same time.
        package var kept = 0
        /// The ids of those that PostgreSQL cannot hold: a text of theirs holds a NUL.
        package var refused: [String] = []

        /// Adds others.
        mutating func add(_ more: CopyFigures) {
            copied += more.copied
            kept += more.kept
            refused += more.refused
        }
    }

    /// Copies the devices of a registry in SQLite, and the objects of its other classes with their relations, in pages
    /// and as they are: ids, times and fields.
    ///
    /// Of two versions of a device the one written later stays; so it can be repeated, and goes on where it was ended.
    /// What applies keep is not copied: `bugle ledger copy` does that.
    ///
    /// - Parameter progress: told how many were read so far.
    /// - Throws: ``RegistryError`` when a database failed; the pages before are copied.
    package func copy(
        from source: Registry, progress: @Sendable (Int) -> Void = { _ in }
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
