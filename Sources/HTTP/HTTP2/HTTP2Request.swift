internal import CLibrary
internal import CNghttp2

/// A reusable request of an HTTP/2 client and its progress.
///
/// It must be used on its client's thread only.
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
    /// True once its headers were framed, which opens its stream.
    var isOpen = false
    /// The number of bytes of the body that were framed, and of further ones that the server takes on this stream.
    var bodyOffset = 0
    var sendWindow = 0
    /// True once any of its body was framed, so that the server may act on it.
    var isGiven = false
    /// True when its body was held back: it must not leave any more.
    var isKeptBack = false
    /// True when the server refused the stream.
    var isRefused = false
    /// The status of the last complete headers; 0 before there are any.
    var status = 0
    /// True once the server has said all.
    var isAnswered = false
    /// The number of bytes of the answer that the server may send before it hears of it.
    var receiveWindow = 0
    /// The path, and the value of the request's own header.
    private(set) var path: [UInt8] = []
    private(set) var own: [UInt8] = []

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

    /// Resets the request and sets what the next one sends; `body` has been set.
    func begin(path: [UInt8], own: [UInt8], headers: HTTP2Headers) {
        self.path.removeAll(keepingCapacity: true)
        self.path.append(contentsOf: path)
        self.own.removeAll(keepingCapacity: true)
        self.own.append(contentsOf: own)
        self.headers = headers
        answer.removeAll(keepingCapacity: true)
        (ending, echo) = (nil, .absent)
        (bodyOffset, status) = (0, 0)
        (isOpen, isGiven, isKeptBack, isRefused, isAnswered) = (false, false, false, false, false)
    }

    /// Receives a header of the answer.
    @unsafe
    func receive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let headers, unsafe name.isEqual(to: headers.ownName) else { return }
        // Hexadecimal digits may come back in the other case. Compared within their lengths.
        let isSame = unsafe value.isEqual(to: own) || value.elementsEqual(own) { $0 | 0x20 == $1 | 0x20 }
        echo = isSame ? .same : .other
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

/// The headers of an answer, as far as the protocol is concerned (RFC 9113, 8.2 and 8.3).
struct AnswerHead {
    /// The status; nil: none.
    private(set) var status: Int?
    private var hasOthers = false
    private var isMalformed = false

    /// Takes the next field.
    @unsafe
    mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        // Both are read within their lengths.
        if unsafe nghttp2_check_header_name(name.bytes, name.count) == 0
            || nghttp2_check_header_value_rfc9113(value.bytes, value.count) == 0
        {
            isMalformed = true
        }
        guard unsafe name.first == UInt8(ascii: ":") else {
            hasOthers = true
            if Self.forbidden.contains(where: { unsafe name.isEqual(to: $0) }) { isMalformed = true }
            return
        }
        let isStatus = unsafe name.elementsEqual(":status".utf8) && value.count == 3
        if unsafe !isStatus || hasOthers || status != nil || value.contains(where: { !(0x30...0x39 ~= $0) }) {
            isMalformed = true
        }
        status = unsafe value.reduce(0) { $0 &* 10 &+ Int($1 & 15) }
    }

    /// True when these headers may follow those with the status `last`; 0: they are the first.
    func isValid(after last: Int, endsStream: Bool) -> Bool {
        guard !isMalformed else { return false }
        // Trailers.
        guard last < 200 else { return status == nil && endsStream }
        guard let status, status >= 100 else { return false }
        // 101 is of HTTP/1.1.
        return status >= 200 || status != 101 && !endsStream
    }

    /// Fields of an HTTP/1.1 connection, which must not be here.
    private static let forbidden = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ].map { Array($0.utf8) }
}

extension UnsafeRawBufferPointer {
    /// True if the bytes are these.
    @unsafe
    func isEqual(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return unsafe other.withUnsafeBytes { other in
            guard let one = baseAddress, let another = other.baseAddress else { return true }
            // Both have so many.
            return unsafe memcmp(one, another, count) == 0
        }
    }

    /// The address, as nghttp2 wants it.
    @unsafe fileprivate var bytes: UnsafePointer<UInt8>? {
        unsafe baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}
