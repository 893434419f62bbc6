internal import Base
internal import HTTP
internal import Push

/// The domain that apps call: its current target, and whether the new server can take it over.
struct MovingDomain: Sendable {
    typealias Finding = HealthCheck.Finding

    /// Hosts of LeanCloud itself, which cannot be pointed elsewhere.
    ///
    /// Source: docs/background/leancloud/transport.md#hosts-and-routers.
    private static let shared = [
        "lc-cn-n1-shared.com", "lc-cn-e1-shared.com", "lncldapi.com", "lncldglobal.com", "leancloud.cn",
        "leancloud.app",
        "tapapis.cn", "tapapis.com",
    ]
    private static let timeout = Duration.seconds(10)

    /// The host, with its port unless it is the default one.
    let name: String
    private let domain: Authority
    private let old: Authority
    private let server: Authority
    private let http: HTTPClient
    /// A client that connects to the new server under the domain's name.
    private let direct: HTTPClient

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - name: the domain; nil for that of the old remote's URL.
    ///   - old: the old remote's URL.
    ///   - new: the new server's URL.
    ///   - caFile: a PEM file of certificate authorities to trust in addition to the system's.
    /// - Throws: ``Failure`` with `usage` when the name is invalid, with `failed` when no HTTP client can be created.
    init(name: String?, old: String, new: String, caFile: String?) throws {
        if let name, let problem = WebAddress.problem(with: WebAddress.completed(name)) {
            throw Failure(.usage, "--domain \(problem)")
        }
        domain = Authority(of: name.map(WebAddress.completed) ?? old)
        server = Authority(of: new)
        self.old = Authority(of: old)
        self.name = domain.text
        do throws(TransportError) {
            http = try HTTPClient(HTTPClient.Configuration(caFile: caFile, userAgent: BugleVersion.tool))
            direct = try HTTPClient(
                HTTPClient.Configuration(
                    caFile: caFile, userAgent: BugleVersion.tool, connectsTo: "\(server.host):\(server.port)"))
        } catch {
            throw Failure(.failed, error.description)
        }
    }

    /// The place that the domain leads to, and the old remote's address.
    struct Place {
        /// True if the domain leads to the new server.
        var isMoved = false
        /// True if the old remote's address leads to the new server as well: nothing of the old service is there.
        var isOldGone = false
        var findings: [Finding]
    }

    private var isShared: Bool { Self.shared.contains { domain.host == $0 || domain.host.hasSuffix("." + $0) } }

    /// Checks the domain's target, and whether it can be moved. What a server is, its registry's id says, not the address.
    ///
    /// - Throws: ``Failure`` with `usage` when both remotes are one server, and no domain was moved.
    func look() async throws(Failure) -> Place {
        let subject = Reason(.domain, .text(name))
        let ours = await registry(http, of: server)
        let id = try? ours.get()
        let behind = try? await registry(http, of: domain).get()
        let before = domain == old ? behind : try? await registry(http, of: old).get()
        var place = Place(isMoved: id != nil && behind == id, isOldGone: id != nil && before == id, findings: [])
        // After a move, too, the old address leads there; but the names of this machine are no domain that apps call.
        let isNoDomain = old.port == server.port ? await isOnThisMachine(old) : false
        if place.isOldGone, !place.isMoved || isNoDomain {
            throw Failure(
                .usage,
                "\(old.text) and \(server.text) lead to one bugle-server, by its registry: there is nothing to move")
        }
        guard !isShared else {
            place.findings.append(.todo(subject, Reason(.isShared)))
            return place
        }
        place.findings.append(await addresses(subject))
        if place.isMoved { return place }
        if id != nil, behind != nil {
            place.findings.append(.todo(subject, Reason(.otherServer, .text(server.text))))
        }
        switch ours {
        case .success(.some): place.findings.append(await certificate(subject))
        case .success(nil):
            place.findings.append(.todo(Reason(.server, .text(server.text)), Reason(.notBugle)))
        case .failure(let error):
            place.findings.append(
                .todo(Reason(.server, .text(server.text)), Reason(.unreachable, .text(error.summary))))
        }
        return place
    }

    private func isOnThisMachine(_ place: Authority) async -> Bool {
        await HostAddresses.of(place.host).contains { $0.hasPrefix("127.") || $0 == "::1" }
    }

    private func addresses(_ subject: Reason) async -> Finding {
        let found = await HostAddresses.of(domain.host)
        guard !found.isEmpty else { return .todo(subject, Reason(.noAddress)) }
        let theirs = await HostAddresses.of(server.host)
        let isSame = !Set(found).isDisjoint(with: theirs)
        let place = Reason.Value.text(found.joined(separator: ", "))
        return .fine(
            subject,
            isSame
                ? Reason(.leadsToServer, place)
                : Reason(.leadsElsewhere, place, .text(theirs.joined(separator: ", "))))
    }

    /// Checks that the new server presents a certificate for the domain, before the domain points to it.
    private func certificate(_ subject: Reason) async -> Finding {
        guard server.isSecure, domain.isSecure else {
            return .warning(subject, Reason(.tlsUnchecked, .text(server.text)))
        }
        let place = Reason.Value.text(server.text)
        switch await registry(direct, of: domain) {
        case .success(.some): return .fine(subject, Reason(.hasCertificate, place))
        case .success(nil):
            return .todo(subject, Reason(.certificateNotBugle, place))
        case .failure(let error) where error.code == .tls:
            return .todo(subject, Reason(.noCertificate, place, .text(error.detail)))
        case .failure(let error):
            return .todo(subject, Reason(.unreachableThere, place, .text(error.summary)))
        }
    }

    /// Requests the registry id of the bugle-server at an address; nil when something else responds.
    private func registry(_ client: HTTPClient, of place: Authority) async -> Result<String?, TransportError> {
        do throws(TransportError) {
            let answer = try await client.exchange(HTTPRequest(.get, place.base + "/health", timeout: Self.timeout))
            let id = answer.headers["X-Bugle-Registry"]
            return .success(answer.status == 200 && id?.isEmpty == false ? id : nil)
        } catch {
            return .failure(error)
        }
    }
}

/// The scheme, host and port of a URL.
struct Authority: Hashable, Sendable {
    let isSecure: Bool
    let host: String
    let port: Int

    /// Splits a valid URL.
    init(of address: String) {
        isSecure = address.lowercased().hasPrefix("https:")
        let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
        let authority = rest.prefix { $0 != "/" }
        let colon = authority.lastIndex(of: ":").flatMap { authority[$0...].contains("]") ? nil : $0 }
        host = authority[..<(colon ?? authority.endIndex)].lowercased()
        port = colon.flatMap { Int(authority[authority.index(after: $0)...]) } ?? (isSecure ? 443 : 80)
    }

    /// The host, with its port unless it is the default one.
    var text: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    /// The URL without a path.
    var base: String { (isSecure ? "https://" : "http://") + text }
}
