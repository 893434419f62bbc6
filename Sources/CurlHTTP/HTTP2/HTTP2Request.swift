/// One place for a request of an HTTP/2 client, used again from request to request, and what happened so far.
///
/// It belongs to its client's thread.
@safe
package final class HTTP2Request {
    /// Answers' bodies are kept up to so many bytes; what comes after is dropped.
    package static let maximumAnswer = 4096

    /// Its place among the client's, from 0: for tables beside it.
    package let number: Int
    /// What came of the body of the answer.
    package internal(set) var answer: [UInt8] = []
    /// The request's body.
    package var body: [UInt8] = []
    /// How it ended; none while it is under way.
    package internal(set) var ending: HTTP2Ending?
    /// What the answer said of the header that is the request's own.
    package internal(set) var echo = Echo.absent

    /// Its stream.
    var stream: Int32 = 0
    /// When it must have been answered.
    var deadline = ContinuousClock.now
    /// Its place among its connection's.
    var place = 0
    /// The headers it shares, kept until it has ended.
    var headers: HTTP2Headers?
    /// How many bytes of the body were framed.
    var bodyOffset = 0
    /// Whether any of its body was framed, so that the server may act on it.
    var isGiven = false
    /// Whether its body was kept back: it must not leave any more.
    var isKeptBack = false
    /// Whether the server refused it by its stream.
    var isRefused = false
    /// The status of the head that is being read, and of the last whole one; 0 before there is one.
    var nextStatus = 0
    var status = 0
    /// The path and the value of the header that is its own.
    private var text = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
    private var (pathLength, ownLength) = (0, 0)

    /// What an answer said of the header that is the request's own.
    package enum Echo: Hashable, Sendable {
        /// It was not there.
        case absent
        /// The value sent.
        case same
        /// Another value.
        case other
    }

    /// Makes a place.
    init(number: Int) { self.number = number }

    deinit {
        // The one owner; what was framed from it has ended.
        unsafe text.deallocate()
    }

    /// The path, as long as the request is under way.
    @unsafe
    var path: UnsafeMutableRawBufferPointer {
        // Within the room, see `begin`.
        unsafe UnsafeMutableRawBufferPointer(rebasing: text[..<pathLength])
    }

    /// The value of the header that is its own, as long as the request is under way.
    @unsafe
    var own: UnsafeMutableRawBufferPointer {
        // Within the room, see `begin`.
        unsafe UnsafeMutableRawBufferPointer(rebasing: text[pathLength..<(pathLength + ownLength)])
    }

    /// Forgets the last request, and takes what the next one says; `body` has been set.
    func begin(path: [UInt8], own: [UInt8], headers: HTTP2Headers) {
        (pathLength, ownLength) = (path.count, own.count)
        if unsafe text.count < path.count + own.count {
            // Nothing points at it between two requests.
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

    /// Copies the next bytes of the body; how many, and whether these were the last.
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

    /// Takes one header of the answer.
    @unsafe
    func receive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        // Compared within their lengths. The one field of an answer that begins with a colon is its status (RFC 9113, 8.3.2).
        if unsafe name.first == UInt8(ascii: ":") {
            nextStatus = unsafe value.reduce(0) { $0 * 10 + Int($1 & 15) }
        } else if let headers, unsafe name.elementsEqual(headers.ownName.bytes) {
            echo = unsafe value.elementsEqual(own) { $0 | 0x20 == $1 | 0x20 } ? .same : .other
        }
    }

    /// Takes a part of the answer's body.
    @unsafe
    func receive(_ bytes: UnsafeRawBufferPointer) {
        // Valid during the call.
        unsafe answer.append(contentsOf: bytes.prefix(max(0, Self.maximumAnswer - answer.count)))
    }
}

@available(*, unavailable, message: "a request belongs to the thread of its client")
extension HTTP2Request: Sendable {}
