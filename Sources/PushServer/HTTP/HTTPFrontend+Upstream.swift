internal import HummingbirdCore
internal import NIOCore

extension HTTPFrontend {
    /// Forwards a request that is not about push, with its body unchanged.
    ///
    /// The backend authenticates it; only a client with this app's keys may send a large body through here, get a large
    /// response, and use more than a share of the connections to the backend.
    @concurrent func passOn(
        _ exchange: Exchange, to upstream: Upstream, _ reader: BodyReader, _ writer: borrowing ResponseWriter,
        _ channel: any Channel
    ) async throws -> HTTPAnswer {
        let access = try? credentials.access(ShownCredentials { exchange.header($0) }, at: api.clock.machineTime)
        let most = api.configuration.limits.bodyLimit
        let limit = access == nil ? min(most, ServerLimits.unknownSenderBodyLimit) : most
        switch try await body(reader, of: exchange, as: access, upTo: limit, writer, channel) {
        case .refused(let error): return HTTPAnswer(error, closes: true)
        case .read(let bytes, let place):
            defer { withExtendedLifetime(place) {} }
            return await passOn(bytes, of: exchange, to: upstream, isStrange: access == nil, channel)
        }
    }

    /// Forwards a request whose body was read, unless its client leaves before the backend has answered.
    @concurrent func passOn(
        _ body: [UInt8], of exchange: Exchange, to upstream: Upstream, isStrange: Bool = false, _ channel: any Channel
    ) async -> HTTPAnswer {
        let (head, address) = (PassedHead(exchange), sharer(exchange))
        let answer = await ClientPresence.on(channel)?.serve {
            isStrange
                ? await upstream.passForStranger(head, body: body, from: address)
                : await upstream.pass(head, body: body)
        }
        return answer ?? HTTPAnswer(APIError.clientLeft)
    }

    /// A batch whose calls another backend may share; nil for all other requests, and without another backend.
    func passedBatch(_ body: [UInt8], of exchange: Exchange) -> PassedBatch? {
        guard let upstream = api.upstream, let target = exchange.target, PushPaths.owner(of: target) == nil else {
            return nil
        }
        return PassedBatch(body, head: PassedHead(exchange), upstream: upstream)
    }
}
