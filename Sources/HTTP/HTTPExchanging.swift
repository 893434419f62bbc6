/// Carries out HTTP requests; a protocol so that callers can wrap, count or replace the client.
package protocol HTTPExchanging: Sendable {
    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The answer; 3xx, 4xx and 5xx are answers too.
    /// - Throws: `TransportError` when there is no whole answer; its `sent` tells whether a retry is safe.
    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
