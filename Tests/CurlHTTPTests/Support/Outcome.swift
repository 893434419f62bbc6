@testable internal import CurlHTTP

/// What came of a request, for comparing.
enum Outcome: Equatable {
    case answered(Int)
    case failed(TransportError.Code, TransportError.Sent)
}

extension HTTPExchanging {
    /// Sends a request and says what came of it.
    func outcome(_ request: HTTPRequest) async -> Outcome {
        do throws(TransportError) {
            return .answered(try await exchange(request).status)
        } catch {
            return .failed(error.code, error.sent)
        }
    }
}
