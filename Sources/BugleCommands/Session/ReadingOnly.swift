internal import HTTP

/// Sends what reads, and refuses everything else before a byte of it is sent.
struct ReadingOnly: HTTPExchanging {
    let inner: any HTTPExchanging

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.method == .get else {
            throw TransportError(
                .refusedURL, sent: .nothing, request: request.method.rawValue,
                detail: "this command only reads, and \(request.method.rawValue) is a request that changes something")
        }
        return try await inner.exchange(request)
    }
}
