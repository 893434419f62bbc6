internal import HTTP
internal import Base

/// Logs every request to standard error, without its headers, query or body.
struct RequestLog: HTTPExchanging {
    let inner: any HTTPExchanging
    let format: LogFormat
    let console: Console

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let line = "\(request.method.rawValue) \(request.url.prefix { $0 != "?" })"
        let began = ContinuousClock.now
        do throws(TransportError) {
            let response = try await inner.exchange(request)
            log("\(line) answered \(response.status) in \(ContinuousClock.now - began)")
            return response
        } catch {
            log("\(line) failed: \(error)")
            throw error
        }
    }

    private func log(_ message: String) {
        switch format {
        case .text: console.say("info: \(message) X-LC-Sign=<redacted>")
        case .json: console.log("info", message, ["X-LC-Sign": "<redacted>"])
        }
    }
}
