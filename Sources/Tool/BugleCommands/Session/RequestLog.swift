internal import CLibrary
internal import CurlHTTP
internal import JSONValue
internal import Logging
internal import PushReport

/// Logs every request, without its headers, query or body.
struct RequestLog: HTTPExchanging {
    let inner: any HTTPExchanging
    let logger: Logger

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let path = request.url.prefix { $0 != "?" }
        let began = ContinuousClock.now
        do throws(TransportError) {
            let response = try await inner.exchange(request)
            logger.info(
                "\(request.method.rawValue) \(path) answered \(response.status) in \(ContinuousClock.now - began)",
                metadata: ["X-LC-Sign": "<redacted>"])
            return response
        } catch {
            logger.info("\(request.method.rawValue) \(path) failed: \(error)", metadata: ["X-LC-Sign": "<redacted>"])
            throw error
        }
    }
}

/// Writes log lines to standard error, as text or as JSON.
struct StandardErrorLog: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    let format: LogFormat
    let console: Console

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = self.metadata.merging(event.metadata ?? [:]) { $1 }
        switch format {
        case .text:
            let rest = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            console.say("\(event.level): \(event.message)\(rest)")
        case .json:
            var line: JSONObject = [
                "level": .string(event.level.rawValue), "message": .string(event.message.description),
            ]
            for (key, value) in fields { line[key] = .string("\(value)") }
            console.error(JSONValue.object(line).canonicalText + "\n")
        }
    }
}
