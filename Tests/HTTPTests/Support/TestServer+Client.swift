internal import HTTPTesting

@testable internal import HTTP

extension TestServer {
    /// Runs `body` with a server and a client that trusts it, and ends both.
    static func with<Value>(
        _ transport: Transport, _ script: Script, certificate: ServerCertificate? = nil,
        configuration: HTTPClient.Configuration = .init(), host: String = "127.0.0.1",
        _ body: (TestServer, HTTPClient) async throws -> Value
    ) async throws -> Value {
        var configuration = configuration
        configuration.caFile = try ServerCertificate.trusted.caFile
        configuration.connectTimeout = .seconds(300)
        let client = try HTTPClient(configuration)
        defer { client.close() }
        return try await run(transport, script, certificate: certificate, host: host) { server in
            try await body(server, client)
        }
    }
}
