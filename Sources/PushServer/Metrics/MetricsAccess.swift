/// Access control for `/metrics`: the token if one is set, otherwise only this machine.
struct MetricsAccess: Sendable {
    private let token: Fingerprint?

    init(_ configuration: PushServerConfiguration) {
        token = configuration.metricsToken.map { Fingerprint("Bearer " + $0.revealed) }
    }

    /// True if a request may read the metrics; `authorization` is its header.
    func allows(_ client: ClientAddress, authorization: String?) -> Bool {
        guard let token else { return client.isLocal }
        return token.isSame(authorization ?? "")
    }
}
