package import JSONValue
package import PushModel
package import PushRemote

extension LeanCloudReader {
    /// An installation that was not seen for longer gets nothing: three months.
    ///
    /// Source: LeanCloud, "推送 REST API 使用指南", 推送查询条件.
    static let freshness = Duration.seconds(90 * 86_400)

    package func count(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount {
        let now: Instant
        if let known = api.clock.estimate { now = known } else { now = try await self.now() }
        let devices = try await count("/installations", Self.served(condition, at: now))
        var largest: Int?
        for inner in InnerQuery.all(in: condition) {
            let count = try await count(try inner.path, inner.condition)
            largest = max(largest ?? 0, count)
        }
        return AudienceCount(devices: devices, innerQuery: largest)
    }

    /// The condition with what the service itself adds to every push.
    static func served(_ condition: JSONValue, at now: Instant) -> JSONValue {
        let oldest: JSONValue = ["__type": "Date", "iso": .string((now - freshness).textWithMilliseconds)]
        let added: [String: JSONValue] = ["valid": true, "updatedAt": ["$gte": oldest]]
        guard let members = condition.object, members["valid"] == nil, members["updatedAt"] == nil else {
            return ["$and": [condition, .object(added)]]
        }
        return .object(members.merging(added) { $1 })
    }

    private func count(_ path: String, _ condition: JSONValue) async throws(RemoteError) -> Int {
        let answer = try await api.read(
            path, query: [("where", condition.canonicalText), ("count", "1"), ("limit", "0")])
        // A class that does not exist has no objects.
        guard let value = answer.value else { return 0 }
        guard let count = value["count"]?.natural else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1\(path): the answer has no count")
        }
        return count
    }
}

// MARK: - A sample

extension LeanCloudReader {
    package func sampleInstallations(
        channels: [String], deviceProfiles: [String]
    ) async throws(RemoteError) -> InstallationSample {
        let answer = try await api.read(
            "/installations",
            query: [("keys", "channels,deviceProfile"), ("limit", "1000"), ("order", "-updatedAt")])
        guard let results = answer.value == nil ? [] : answer.value?["results"]?.array else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1/installations: the answer has no list of results")
        }
        var sample = InstallationSample(size: results.count)
        for result in results {
            // Other clients write installations: what is not a name is none.
            for name in Set((result["channels"]?.array ?? []).compactMap(\.string)) where !name.isEmpty {
                sample.channels[name, default: 0] += 1
            }
            if let profile = result["deviceProfile"]?.string, !profile.isEmpty {
                sample.deviceProfiles[profile, default: 0] += 1
            }
        }
        let questions =
            channels.map { Question(key: "channels", name: $0) }
            + deviceProfiles.map { Question(key: "deviceProfile", name: $0) }
        for (question, count) in try await counts(questions) {
            if question.key == "channels" {
                sample.subscribers[question.name] = count
            } else {
                sample.bearers[question.name] = count
            }
        }
        return sample
    }

    private struct Question: Hashable {
        var key: String
        var name: String
    }

    /// Counts at a time.
    private static let width = 6

    private func counts(_ questions: [Question]) async throws(RemoteError) -> [Question: Int] {
        // Throwing groups forget the type of an error.
        let results = await withTaskGroup(of: (Question, Result<Int, RemoteError>).self) { group in
            var waiting = Set(questions).makeIterator()
            var results: [(Question, Result<Int, RemoteError>)] = []
            for _ in 0..<Self.width {
                guard let question = waiting.next() else { break }
                group.addTask { await (question, answer(question)) }
            }
            while let result = await group.next() {
                results.append(result)
                guard case .success = result.1, let question = waiting.next() else { continue }
                group.addTask { await (question, answer(question)) }
            }
            return results
        }
        var counts: [Question: Int] = [:]
        for (question, result) in results { counts[question] = try result.get() }
        return counts
    }

    private func answer(_ question: Question) async -> Result<Int, RemoteError> {
        do throws(RemoteError) {
            return .success(try await count("/installations", [question.key: .string(question.name)]))
        } catch {
            return .failure(error)
        }
    }
}
