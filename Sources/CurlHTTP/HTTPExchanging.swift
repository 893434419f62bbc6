/// Carries out HTTP requests: what a caller depends on, so that it can be wrapped, counted or replaced.
package protocol HTTPExchanging: Sendable {
    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The answer; 3xx, 4xx and 5xx are answers too.
    /// - Throws: `TransportError` when there is no whole answer; its `sent` says whether repeating is safe.
    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
