package import Base
package import Push

/// The queries that a move makes on both services.
extension LeanCloudReader {
    package func installationIDs(_ condition: JSONValue, limit: Int) async throws(RemoteError) -> [String] {
        let answer = try await api.read(
            "/installations",
            query: [
                ("where", served(condition, at: try await knownTime()).canonicalText), ("keys", "objectId"),
                ("limit", String(limit)),
                ("order", "-updatedAt"),
            ])
        guard let value = answer.value else { return [] }
        guard let results = value["results"]?.array else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1/installations: the answer has no list of results")
        }
        return results.compactMap { $0["objectId"]?.string }
    }

    package func serverReach() async throws(RemoteError) -> ServerReach {
        let answer = try await api.read("/bugle/server")
        guard let devices = answer.value?["devices"]?.string, let names = answer.value?["deviceProfiles"]?.array else {
            throw RemoteError(
                .unexpectedAnswer, "GET /1.1/bugle/server: the server is not a bugle-server, or is an older one")
        }
        return ServerReach(isReal: devices == "apple", deviceProfiles: Set(names.compactMap(\.string)))
    }
}
