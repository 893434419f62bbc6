internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import DeviceRegistry

/// The result of reading a body.
enum BodyResult: Sendable {
    /// The complete body; a large one with its place in memory.
    case read([UInt8], ClientGate.Place?)
    /// The body was refused; the rest of it is yet to come.
    case refused(APIError)
}

/// Reads a request's body chunk by chunk; each use continues where the last one stopped.
final class BodyReader {
    private let body: RequestBody
    private var iterator: RequestBody.AsyncIterator?

    init(_ request: Request) {
        body = request.body
    }

    /// Returns the next chunk; nil at the end.
    @concurrent func next() async throws -> ByteBuffer? {
        // A body allows only one iterator.
        var iterator = iterator ?? body.makeAsyncIterator()
        defer { self.iterator = iterator }
        return try await iterator.next()
    }
}

/// The client left, or was cut off, before its request was complete.
struct IncompleteRequest: Error {}

extension HTTPFrontend {
    /// The bytes still read of a refused body, so that the client sees the response rather than a reset.
    private static let drainLimit = 1024 * 1024

    /// Reads a body, taking a place in memory when it is large; from then on the rest must keep coming.
    ///
    /// Bodies with the master key have places of their own.
    ///
    /// - Throws: ``IncompleteRequest``, or the connection's error.
    @concurrent func body(
        _ reader: BodyReader, of exchange: Exchange, as access: Access? = nil, upTo limit: Int,
        _ writer: borrowing ResponseWriter, _ channel: any Channel
    ) async throws -> BodyResult {
        if let declared = exchange.declaredLength, declared > limit { return .refused(.payloadTooLarge) }
        if exchange.expectsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }
        var bytes: [UInt8] = []
        var place: ClientGate.Place?
        while let buffer = try await reader.next() {
            guard bytes.count + buffer.readableBytes <= limit else { return .refused(.payloadTooLarge) }
            if place == nil, bytes.count + buffer.readableBytes > ServerLimits.largeBodySize {
                place = await largeBodyPlace(exchange, access, channel)
                guard place != nil else { return .refused(.tooBusy) }
                ConnectionGuard.hurry(channel)
            }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        if let declared = exchange.declaredLength, bytes.count != declared { throw IncompleteRequest() }
        return .read(bytes, place)
    }

    private func largeBodyPlace(
        _ exchange: Exchange, _ access: Access?, _ channel: any Channel
    ) async -> ClientGate.Place? {
        let limits = api.configuration.limits
        let (gate, address) = access == .master ? (mastersBodies, nil) : (clientsBodies, sharer(exchange))
        return await ClientPresence.on(channel)?.serve {
            await gate.enter(from: address, within: limits.largeBodyPatience ?? limits.requestTimeout / 2)
        }
    }

    /// The address that has a share of the places for clients; nil where one address stands for many clients.
    func sharer(_ exchange: Exchange) -> String? {
        let (configuration, address) = (api.configuration, exchange.client.text)
        guard configuration.limits.connectionShare != .off, !configuration.trustedProxies.contains(address) else {
            return nil
        }
        return ClientAddress.network(of: address)
    }

    /// Reads some more of a request that already has its response.
    @concurrent func drain(_ reader: BodyReader) async throws {
        var count = 0
        while let buffer = try await reader.next() {
            count += buffer.readableBytes
            guard count < Self.drainLimit else { return }
        }
    }
}
