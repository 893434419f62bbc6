import Base
import Foundation
import FoundationNetworking
import ProgramTesting
import Testing

/// Calls a server of the tests as its owner does.
enum LoopbackHTTP {
    static func send(_ url: URL, method: String, body: JSONValue?, key: String? = nil) async throws -> JSONValue {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = 600
        if let key {
            request.setValue("giants-demo", forHTTPHeaderField: "X-LC-Id")
            request.setValue(key + ",master", forHTTPHeaderField: "X-LC-Key")
        }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = body.map { Data($0.canonicalBytes) }
        let (data, _) = try await URLSession.shared.data(for: request)
        return try JSONValue(parsing: data)
    }
}

/// Sends a request until it is answered: a program closes a connection whose client stands still, as on a busy machine.
func answered(_ request: URLRequest) async throws -> (Data, URLResponse) {
    var found: (Data, URLResponse)?
    try await eventually {
        found = try? await URLSession.shared.data(for: request)
        return found != nil
    }
    return try #require(found)
}
