internal import Logging

/// The data that the log and metrics keep of a request: never its path, query, headers or body.
struct RequestRecord: Sendable {
    /// The status of a request that got no response.
    static let unanswered = 499

    /// The status of the response.
    var status = unanswered
    /// The number of bytes in the response's body.
    var bytes = 0

    private let method: String
    private let route: RouteClass
    private let address: String?
    private let start = ContinuousClock.now

    init(_ exchange: Exchange, logsAddress: Bool) {
        let known = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]
        method = known.contains(exchange.method) ? exchange.method : "other"
        route = exchange.route
        address = logsAddress ? exchange.client.text : nil
    }

    /// Counts the request and logs it.
    func finish(_ metrics: ServerMetrics, _ logger: Logger) {
        let elapsed = ContinuousClock.now - start
        let milliseconds = (elapsed / .milliseconds(1) * 10).rounded() / 10
        metrics.end(.init(route: route, status: status), seconds: elapsed / .seconds(1))
        var metadata: Logger.Metadata = [
            "method": .string(method), "route": .string(route.rawValue), "status": .stringConvertible(status),
            "ms": .stringConvertible(milliseconds), "bytes": .stringConvertible(bytes),
        ]
        if let address { metadata["remote"] = .string(address) }
        logger.info("request", metadata: metadata)
    }
}
