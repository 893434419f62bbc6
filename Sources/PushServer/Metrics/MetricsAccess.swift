/// Who may read `/metrics`: with a token whoever shows it, without one only this machine.
struct MetricsAccess: Sendable {
    private let token: Fingerprint?

    init(_ configuration: PushServerConfiguration) {
        token = configuration.metricsToken.map { Fingerprint("Bearer " + $0.revealed) }
    }

    /// Whether a request may; `authorization` is its header.
    func allows(_ client: ClientAddress, authorization: String?) -> Bool {
        guard let token else { return client.isLocal }
        return token.isSame(authorization ?? "")
    }
}
