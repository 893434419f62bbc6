internal import CCurl

/// How a request of a pump ended.
package enum PumpEnding: Hashable, Sendable {
    /// There is an answer with this status, whatever happened to its body or afterwards.
    case answered(status: Int)
    /// There is none; the error's `sent` says whether the server may have acted on the request. When the second value
    /// is true, another connection would end the same way.
    case unanswered(TransportError, isFinal: Bool)
}

extension PumpRequest {
    /// How libcurl, or we, ended it.
    enum Cause {
        /// libcurl says so.
        case libcurl(CURLcode)
        /// We did, and why.
        case ours(TransportError.Code, String)
    }

    /// Notes how it ended. An answer that came is the outcome, however the transfer ended.
    func end(_ cause: Cause, _ setup: PumpSetup) {
        guard status < 200 else {
            ending = .answered(status: status)
            return
        }
        let sent: TransportError.Sent = isBodyGiven && !isRefusedStream ? .possibly : .nothing
        let request = "POST \(setup.target.name)"
        switch cause {
        case .ours(let code, let detail):
            ending = .unanswered(TransportError(code, sent: sent, request: request, detail: detail), isFinal: false)
        case .libcurl(CURLE_ABORTED_BY_CALLBACK) where !lacksHTTP2:
            // It would have been sent on a second connection.
            end(.ours(.connectionLost, "the connection was given up"), setup)
        case .libcurl(let code):
            let said = handle.failureText
            let detail = said.isEmpty ? LibcurlFailure.text(code) : said
            let error =
                lacksHTTP2
                ? TransportError(.noHTTP2, sent: sent, request: request, detail: "the server did not agree on it")
                : TransportError(TransportError.Code(code), sent: sent, request: request, detail: detail)
            ending = .unanswered(error, isFinal: lacksHTTP2 || Self.isFinal(code))
        }
    }

    /// Whether a connection that failed so would fail again.
    private static func isFinal(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
            true
        default: false
        }
    }
}
