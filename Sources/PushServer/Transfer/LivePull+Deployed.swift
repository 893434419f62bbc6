internal import DeviceRegistry
internal import Base
package import Push

extension LivePull {
    /// Continues each workspace's fence where the old lock stood, although the lock itself is never copied.
    ///
    /// Every object of a ledger carries the fence of the apply that wrote it, and an apply may not overwrite an object
    /// with a later fence: if the lock started at 1 again, no apply could write to the copied objects. The lock is left
    /// free.
    ///
    /// - Throws: `RegistryError` when the registry fails.
    package func continueFences(at now: Instant = .system) async throws {
        for (workspace, fence) in try await fences() {
            var query = ObjectQuery()
            query.condition = ["workspace": .string(workspace)]
            let lock = try ClassName("BugleLock")
            let found = try await objects(query, in: lock)
            if found.isEmpty {
                _ = try await registry.create(
                    [
                        "workspace": .string(workspace), "holder": "", "run": "", "fence": .integer(fence),
                        "expiresAt": .string(Instant(milliseconds: 0).isoText), "ACL": [:],
                    ], in: lock, as: .master, at: now)
            }
            for object in found where (object["fence"]?.integer ?? 0) < fence {
                guard let id = object["objectId"]?.string else { continue }
                _ = try await registry.update(id, in: lock, with: ["fence": .integer(fence)], as: .master, at: now)
            }
        }
    }

    /// The highest fence of each workspace.
    private func fences() async throws -> [String: Int64] {
        var fences: [String: Int64] = [:]
        try await forEachDeployed(keys: ["workspace", "fence"]) { object in
            guard let workspace = object["workspace"]?.string, let fence = object["fence"]?.integer else { return }
            fences[workspace] = max(fences[workspace] ?? 0, fence)
        }
        return fences
    }

    /// Searches for classes that deployed segments and campaigns point to but that have no objects here: devices that
    /// match through such an object get no pushes.
    ///
    /// - Parameters:
    ///   - copied: classes not to check: they were copied, even if empty.
    ///   - others: classes pointed to from elsewhere.
    /// - Returns: the names of the classes, sorted.
    /// - Throws: `RegistryError` when the registry fails.
    package func missingClasses(besides copied: [String], and others: Set<String> = []) async throws -> [String] {
        var classes = others
        try await forEachDeployed(keys: ["fields", "request"]) { object in
            for key in ["fields", "request"] {
                // These are stored as JSON texts.
                guard let text = object[key]?.string, let value = try? JSONValue(parsing: text, limits: .anyMemory)
                else { continue }
                collectClasses(in: value, into: &classes)
            }
        }
        var missing: [String] = []
        for name in classes.subtracting(copied).sorted() {
            var query = ObjectQuery()
            query.limit = 1
            if try await objects(query, in: try ClassName(name)).isEmpty { missing.append(name) }
        }
        return missing
    }

    /// Calls `body` for everything deployed, in all workspaces.
    private func forEachDeployed(keys: [String], _ body: (JSONValue) -> Void) async throws {
        for name in ["BugleLedger", "BugleResource"] {
            var query = ObjectQuery()
            query.keys = keys
            query.limit = 1000
            while true {
                let page = try await objects(query, in: try ClassName(name))
                for object in page { body(object) }
                if page.count < query.limit { break }
                query.skip += page.count
            }
        }
    }

    /// The objects of a class that match a query; none when the class does not exist.
    private func objects(_ query: ObjectQuery, in className: ClassName) async throws -> [JSONValue] {
        do throws(RegistryError) {
            return try await registry.find(query, in: className, as: .master).results
        } catch {
            guard error.code == .notFound else { throw error }
            return []
        }
    }
}
