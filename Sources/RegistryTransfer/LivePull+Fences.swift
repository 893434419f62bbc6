package import DeviceRegistry
internal import JSONValue

extension LivePull {
    /// Lets each workspace's lock go on counting where the old one stood, though the lock itself is never copied.
    ///
    /// Every object of a ledger bears the fence of the apply that wrote it, and an apply may not overwrite one of a later
    /// fence: with a lock that began at 1 again, no apply could write to what was copied. The lock is left free.
    ///
    /// - Throws: `RegistryError` when the registry fails.
    package func continueFences(at now: Timestamp = .system) async throws {
        for (workspace, fence) in try await fences() {
            var query = ObjectQuery()
            query.condition = ["workspace": .string(workspace)]
            let lock = try ClassName("BugleLock")
            let found = try await objects(query, in: lock)
            if found.isEmpty {
                _ = try await registry.create(
                    [
                        "workspace": .string(workspace), "holder": "", "run": "", "fence": .integer(fence),
                        "expiresAt": .string(Timestamp(milliseconds: 0).isoText), "ACL": [:],
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
        for name in ["BugleLedger", "BugleResource"] {
            var query = ObjectQuery()
            query.keys = ["workspace", "fence"]
            query.limit = 1000
            while true {
                let page = try await objects(query, in: try ClassName(name))
                for object in page {
                    guard let workspace = object["workspace"]?.string, let fence = object["fence"]?.integer else {
                        continue
                    }
                    fences[workspace] = max(fences[workspace] ?? 0, fence)
                }
                if page.count < query.limit { break }
                query.skip += page.count
            }
        }
        return fences
    }

    /// What a class holds; nothing when it does not exist.
    private func objects(_ query: ObjectQuery, in className: ClassName) async throws -> [JSONValue] {
        do throws(RegistryError) {
            return try await registry.find(query, in: className, as: .master).results
        } catch {
            guard error.code == .notFound else { throw error }
            return []
        }
    }
}
