internal import CCurl

extension Transfer {
    /// The ways a transfer can end.
    enum Ending {
        /// libcurl ended it with this code.
        case libcurl(CURLcode)
        /// The task was cancelled or the client closed.
        case cancelled
        /// Something outside the transfer failed.
        case failure(LibcurlFailure)
    }

    /// The caller's result. An answer that was received completely is the result, however the transfer ended.
    func outcome(of ending: Ending, for job: Job) -> Result<HTTPResponse, TransportError> {
        if !answer.isTooLarge, let response = response(after: ending, to: job.request) { return .success(response) }
        let sent: TransportError.Sent = hasBegunSending ? .possibly : .nothing
        if answer.isTooLarge { return .failure(job.error(.responseTooLarge, sent: sent)) }
        switch ending {
        case .cancelled: return .failure(job.error(.cancelled, sent: sent))
        case .failure(let failure): return .failure(job.error(.internalFailure, sent: sent, failure.detail))
        case .libcurl(let code):
            if isTooLate { return .failure(job.error(.tooLate, sent: sent)) }
            if hasRefusedRepetition { return .failure(job.error(.rewindRefused, sent: .possibly)) }
            let said = handle.failureText
            let detail = said.isEmpty ? LibcurlFailure.text(code) : said
            return .failure(job.error(TransportError.Code(code), sent: sent, detail))
        }
    }

    /// The answer, if it has come completely.
    private func response(after ending: Ending, to request: HTTPRequest) -> HTTPResponse? {
        let status = handle.number(CURLINFO_RESPONSE_CODE)
        guard answer.hasWholeHead, status >= 200 else { return nil }
        let version: HTTPResponse.Version =
            switch handle.number(CURLINFO_HTTP_VERSION) {
            case CURL_HTTP_VERSION_2_0: .http2
            case CURL_HTTP_VERSION_3: .http3
            default: .http1
            }
        guard isWhole(status, version, ending, request.repetition) else { return nil }
        return HTTPResponse(
            status: status, headers: HTTPHeaders(answer.fields), body: answer.body, version: version)
    }

    /// True when nothing of an answer with these headers is missing.
    ///
    /// libcurl 7.88 ends an HTTP/2 transfer with an error, or not at all, when the answer is complete before the
    /// request's body was read. So the answer to a `once` request that announced no body and has none counts as
    /// complete: its status tells the request's outcome. For a repeatable one the error is more useful.
    /// Source: docs/background/libcurl.md#early-answers.
    private func isWhole(
        _ status: Int, _ version: HTTPResponse.Version, _ ending: Ending, _ repetition: HTTPRequest.Repetition
    ) -> Bool {
        if case .libcurl(let code) = ending {
            if code == CURLE_OK { return true }
            // Some bytes could not be decompressed: their number is meaningless.
            if code == CURLE_BAD_CONTENT_ENCODING || code == CURLE_WRITE_ERROR { return false }
        }
        if status == 204 || status == 304 { return true }
        let announced = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        let received = handle.size(CURLINFO_SIZE_DOWNLOAD_T)
        return announced >= 0 ? received == announced : version != .http1 && received == 0 && repetition == .once
    }
}

extension TransportError.Code {
    /// The meaning of a libcurl code. https://curl.se/libcurl/c/libcurl-errors.html
    init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .couldNotResolve
            case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .couldNotConnect
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT:
                .tls
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
                CURLE_HTTP2_STREAM, CURLE_SSL_SHUTDOWN_FAILED:
                .connectionLost
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .refusedURL
            case CURLE_FILESIZE_EXCEEDED: .responseTooLarge
            case CURLE_SEND_FAIL_REWIND: .rewindRefused
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: .protocolError
            default: .internalFailure
            }
    }
}
