/// How an HTTP/2 server is reached.
package struct HTTP2Configuration: Sendable {
    /// The server: `https://host` or `https://host:port`.
    package var endpoint: String
    /// A PEM file of CAs to trust beside the system's; none by default.
    package var caFile: String?
    /// A client certificate with its key, both PEM; none by default.
    package var certificate: ClientCertificate?
    /// How long making a connection may take, the server's first SETTINGS included.
    package var connectTimeout: Duration
    /// How long one exchange may take, from its start to the end of the answer.
    package var requestTimeout: Duration
    /// A connection of which nothing was heard for so long is asked whether it lives (PING); a minute by default.
    package var keepAlive: Duration
    /// One of which nothing was heard for so long after that is lost; 15 s by default.
    package var pingTimeout: Duration

    /// Describes how a server is reached.
    package init(
        endpoint: String, caFile: String? = nil, certificate: ClientCertificate? = nil, connectTimeout: Duration,
        requestTimeout: Duration, keepAlive: Duration = .seconds(60), pingTimeout: Duration = .seconds(15)
    ) {
        self.endpoint = endpoint
        self.caFile = caFile
        self.certificate = certificate
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
        self.keepAlive = keepAlive
        self.pingTimeout = pingTimeout
    }
}
