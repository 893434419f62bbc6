/// A reusable request of an HTTP/2 client and its progress.
///
/// It must be used on its client's thread only.
@safe
package final class HTTP2Request {
    /// The number of bytes kept of an answer's body; the rest is dropped.
    package static let maximumAnswer = 4096

    /// Its index among the client's requests, from 0, for tables kept by the caller.
    package let number: Int
    /// The body of the answer, up to the limit.
    package internal(set) var answer: [UInt8] = []
    package var body: [UInt8] = []
    /// The outcome; nil while the request is in flight.
    package internal(set) var ending: HTTP2Ending?
    /// The answer's version of the request's own header.
    package internal(set) var echo = Echo.absent

    /// The id of its stream.
    var stream: Int32 = 0
    /// The time by which it must be answered.
    var deadline = ContinuousClock.now
    /// Its index among its connection's requests.
    var place = 0
    /// The shared headers, kept until the request has ended.
    var headers: HTTP2Headers?
    /// The number of bytes of the body that were framed.
    var bodyOffset = 0
    /// True once any of its body was framed, so that the server may act on it.
    var isGiven = false
    /// True when its body was held back: it must not leave any more.
    var isKeptBack = false
    /// True when the server refused the stream.
    var isRefused = false
    /// The status of the headers being read, and of the last complete ones; 0 before there are any.
    var nextStatus = 0
    var status = 0
    /// The path and the value of the request's own header.
    private var text = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
    private var (pathLength, ownLength) = (0, 0)

    /// The answer's version of the request's own header.
    package enum Echo: Hashable, Sendable {
        /// The answer has no such header.
        case absent
        /// The same value as in the request.
        case same
        /// Another value than in the request.
        case other
    }

    /// Creates a request.
    init(number: Int) { self.number = number }

    deinit {
        // The only owner; every stream framed from it has ended.
        unsafe text.deallocate()
    }

    /// The path, valid while the request is in flight.
    @unsafe
    var path: UnsafeMutableRawBufferPointer {
        // Within the room, see `begin`.
        unsafe UnsafeMutableRawBufferPointer(rebasing: text[..<pathLength])
    }

    /// The value of the request's own header, valid while the request is in flight.
    @unsafe
    var own: UnsafeMutableRawBufferPointer {
        // Within the room, see `begin`.
        unsafe UnsafeMutableRawBufferPointer(rebasing: text[pathLength..<(pathLength + ownLength)])
    }

    /// Resets the request and sets what the next one sends; `body` has been set.
    func begin(path: [UInt8], own: [UInt8], headers: HTTP2Headers) {
        (pathLength, ownLength) = (path.count, own.count)
        if unsafe text.count < path.count + own.count {
            // Nothing points to it between two requests.
            unsafe text.deallocate()
            unsafe text = .allocate(byteCount: path.count + own.count, alignment: 1)
        }
        // There is room for both.
        unsafe text.copyBytes(from: path)
        unsafe self.own.copyBytes(from: own)
        self.headers = headers
        answer.removeAll(keepingCapacity: true)
        (ending, echo) = (nil, .absent)
        (bodyOffset, nextStatus, status) = (0, 0, 0)
        (isGiven, isKeptBack, isRefused) = (false, false, false)
    }

    /// Copies the next bytes of the body and returns their number, and true with the last ones.
    @unsafe
    func give(_ room: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool) {
        let count = min(room.count, body.count - bodyOffset)
        isGiven = true
        // Within the body and the room, see above.
        unsafe body.withUnsafeBytes { bytes in
            unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[bodyOffset..<(bodyOffset + count)]))
        }
        bodyOffset += count
        return (count, bodyOffset == body.count)
    }

    /// Receives one header of the answer.
    @unsafe
    func receive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        // Compared within their lengths. The only field of an answer that begins with a colon is its status
        // (RFC 9113, 8.3.2).
        if unsafe name.first == UInt8(ascii: ":") {
            nextStatus = unsafe value.reduce(0) { $0 * 10 + Int($1 & 15) }
        } else if let headers, unsafe name.elementsEqual(headers.ownName.bytes) {
            echo = unsafe value.elementsEqual(own) { $0 | 0x20 == $1 | 0x20 } ? .same : .other
        }
    }

    /// Receives a part of the answer's body.
    @unsafe
    func receive(_ bytes: UnsafeRawBufferPointer) {
        // Valid during the call.
        unsafe answer.append(contentsOf: bytes.prefix(max(0, Self.maximumAnswer - answer.count)))
    }
}

@available(*, unavailable, message: "a request belongs to the thread of its client")
extension HTTP2Request: Sendable {}

/// The outcome of a request over HTTP/2.
package enum HTTP2Ending: Hashable, Sendable {
    /// An answer with this status came, whatever happened to its body or afterwards.
    case answered(status: Int)
    /// The server refused the stream, or named an earlier one as the last that it acts on (RFC 9113, 6.8 and 8.7).
    case streamRefused
    /// No byte of the body was handed to the connection, for this reason.
    case notGiven(String)
    /// No answer came, and nothing proves that the server did nothing, for this reason.
    case unanswered(String)
}
