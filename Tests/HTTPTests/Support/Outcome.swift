@testable internal import HTTP

/// What came of a request, for comparing.
enum Outcome: Equatable {
    case answered(Int)
    case failed(TransportError.Code, TransportError.Sent)
}

extension HTTPExchanging {
    /// Sends a request and says what came of it; where a test gives it no time of its own, a busy machine has minutes.
    func outcome(_ request: HTTPRequest) async -> Outcome {
        var request = request
        if request.timeout == HTTPRequest(request.method, request.url).timeout { request.timeout = .seconds(300) }
        do throws(TransportError) {
            return .answered(try await exchange(request).status)
        } catch {
            return .failed(error.code, error.sent)
        }
    }
}
