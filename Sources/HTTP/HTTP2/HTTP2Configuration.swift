/// The settings for connections to an HTTP/2 server.
package struct HTTP2Configuration: Sendable {
    /// The server: `https://host` or `https://host:port`.
    package var endpoint: String
    /// A PEM file of CAs to trust in addition to the system's; none by default.
    package var caFile: String?
    /// A client certificate with its key, both PEM; none by default.
    package var certificate: ClientCertificate?
    /// The connect timeout, including the server's first SETTINGS.
    package var connectTimeout: Duration
    /// The timeout of an exchange, from its start to the end of the answer.
    package var requestTimeout: Duration
    /// The silence after which a PING checks the connection; a minute by default.
    package var keepAlive: Duration
    /// The further silence after which the connection counts as lost; 15 s by default.
    package var pingTimeout: Duration

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
