/// How a pump reaches its server.
package struct PumpConfiguration: Sendable {
    /// The server: `https://host` or `https://host:port`.
    package var endpoint: String
    /// A PEM file of CAs to trust beside the system's; none by default.
    package var caFile: String?
    /// A client certificate with its key, both PEM; none by default.
    package var certificate: ClientCertificate?
    /// How long making a connection may take.
    package var connectTimeout: Duration
    /// How long one exchange may take on a connection that stands, from its start to the end of the answer.
    package var requestTimeout: Duration
    /// Requests on one connection at a time; a server may allow fewer.
    package var streams: Int
    /// The header whose value differs from request to request, in lower case.
    package var ownHeader: String

    /// Describes how a server is reached.
    package init(
        endpoint: String, caFile: String? = nil, certificate: ClientCertificate? = nil, connectTimeout: Duration,
        requestTimeout: Duration, streams: Int, ownHeader: String
    ) {
        self.endpoint = endpoint
        self.caFile = caFile
        self.certificate = certificate
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
        self.streams = max(1, streams)
        self.ownHeader = ownHeader
    }
}
