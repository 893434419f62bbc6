internal import Base
internal import Push

extension LeanCloudReader {
    /// The number of concurrent counts.
    private static let width = 6

    /// Counts the installations that match each of several conditions, a few at a time, stopping after a failure.
    ///
    /// - Throws: `RemoteError` when one of them cannot be counted.
    func counts<Key: Hashable & Sendable>(
        _ conditions: [Key: JSONValue]
    ) async throws(RemoteError) -> [Key: Int] {
        // Throwing task groups lose the error's type.
        let results = await withTaskGroup(of: (Key, Result<Int, RemoteError>).self) { group in
            var waiting = conditions.makeIterator()
            var results: [(Key, Result<Int, RemoteError>)] = []
            for _ in 0..<Self.width {
                guard let (key, condition) = waiting.next() else { break }
                group.addTask { await (key, answer(condition)) }
            }
            while let result = await group.next() {
                results.append(result)
                guard case .success = result.1, let (key, condition) = waiting.next() else { continue }
                group.addTask { await (key, answer(condition)) }
            }
            return results
        }
        var counts: [Key: Int] = [:]
        for (key, result) in results { counts[key] = try result.get() }
        return counts
    }

    private func answer(_ condition: JSONValue) async -> Result<Int, RemoteError> {
        do throws(RemoteError) {
            return .success(try await count("/installations", condition))
        } catch {
            return .failure(error)
        }
    }
}
