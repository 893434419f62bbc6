internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

/// The result of reading a body.
enum BodyResult: Sendable {
    /// The complete body; a large one with its place in memory.
    case read([UInt8], BodyGate.Place?)
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

    /// Reads a body, taking a place in memory when it is large.
    ///
    /// - Throws: ``IncompleteRequest``, or the connection's error.
    @concurrent func body(
        _ reader: BodyReader, of exchange: Exchange, upTo limit: Int, _ writer: borrowing ResponseWriter
    ) async throws -> BodyResult {
        if let declared = exchange.declaredLength, declared > limit { return .refused(.payloadTooLarge) }
        if exchange.expectsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }
        var bytes: [UInt8] = []
        var place: BodyGate.Place?
        while let buffer = try await reader.next() {
            guard bytes.count + buffer.readableBytes <= limit else { return .refused(.payloadTooLarge) }
            if place == nil, bytes.count + buffer.readableBytes > ServerLimits.largeBodySize {
                let limits = api.configuration.limits
                place = await gate.enter(within: limits.largeBodyPatience ?? limits.requestTimeout / 2)
                guard place != nil else { return .refused(.tooBusy) }
            }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        if let declared = exchange.declaredLength, bytes.count != declared { throw IncompleteRequest() }
        return .read(bytes, place)
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
