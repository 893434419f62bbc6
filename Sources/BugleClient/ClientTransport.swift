public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries the client's requests; `URLSession` by default.
public protocol ClientTransport: Sendable {
    /// Sends a request and returns the answer.
    ///
    /// - Throws: any error when there is no answer.
    func send(_ request: URLRequest) async throws -> (body: Data, status: Int, retryAfter: TimeInterval?)
}

/// Sends requests with a `URLSession`.
public struct URLSessionTransport: ClientTransport {
    private let session: URLSession

    /// Creates a transport; each request waits 30 seconds for its answer.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        session = URLSession(configuration: configuration)
    }

    /// Sends a request, and waits for the whole answer.
    public func send(_ request: URLRequest) async throws -> (body: Data, status: Int, retryAfter: TimeInterval?) {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response.statusCode, response.value(forHTTPHeaderField: "Retry-After").flatMap(TimeInterval.init))
    }
}
