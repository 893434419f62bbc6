internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

/// A body, or why it is not there.
enum BodyReading: Sendable {
    /// All of it; a large one with its place in memory.
    case read([UInt8], BodyGate.Place?)
    /// It is not taken; the rest of it is still to come.
    case refused(APIError)
}

/// Reads the body of a request piece by piece, also where somebody else left off.
final class BodyReader {
    private let body: RequestBody
    private var iterator: RequestBody.AsyncIterator?

    init(_ request: Request) {
        body = request.body
    }

    /// The next piece; nil at the end.
    @concurrent func next() async throws -> ByteBuffer? {
        // A body has one iterator, once.
        var iterator = iterator ?? body.makeAsyncIterator()
        defer { self.iterator = iterator }
        return try await iterator.next()
    }
}

/// The client went away, or was cut off, before its request was complete.
struct IncompleteRequest: Error {}

extension HTTPFrontend {
    /// What is still read of a body that was refused, so that the client sees the answer rather than a reset.
    private static let drainLimit = 1024 * 1024

    /// Reads a body, with a place in memory when it is large.
    ///
    /// - Throws: ``IncompleteRequest``, or what the connection says.
    @concurrent func body(
        _ reader: BodyReader, of exchange: Exchange, upTo limit: Int, _ writer: borrowing ResponseWriter
    ) async throws -> BodyReading {
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

    /// Takes some more of a request that was answered already.
    @concurrent func drain(_ reader: BodyReader) async throws {
        var count = 0
        while let buffer = try await reader.next() {
            count += buffer.readableBytes
            guard count < Self.drainLimit else { return }
        }
    }
}
