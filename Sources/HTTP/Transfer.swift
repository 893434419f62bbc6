internal import CCurl

/// An easy handle, reused from request to request, and the progress of its current request.
///
/// It belongs to its loop's thread; libcurl calls back only on that thread.
final class Transfer {
    /// The libcurl handle.
    let handle: EasyHandle
    /// The current request; nil between two.
    private(set) var job: Job?
    /// Keeps the header lines alive while libcurl uses them.
    private var headerList: HeaderList?
    /// Keeps the handle's list for `CURLOPT_CONNECT_TO` alive.
    var connections: HeaderList?
    /// The number of bytes of the body that libcurl has fetched.
    var bodyOffset = 0
    /// True once libcurl has begun to send: from then on the server may have received the request.
    ///
    /// Until then no byte has left. The finer `CURLINFO_REQUEST_SIZE` is not used: libcurl changed what it counts, and
    /// a
    /// wrong 0 would let a request be repeated.
    var hasBegunSending = false
    /// True when a retry by libcurl was prevented.
    var hasRefusedRepetition = false
    /// True when the attempt was stopped because the server had closed the connection.
    var isOnClosedConnection = false
    /// True when the attempt was stopped because it was too late.
    var isTooLate = false
    /// The sockets of the loop.
    let sockets: Sockets
    /// The part of the answer received so far.
    var answer = PartialAnswer()

    /// Creates a transfer and sets the options that all requests share.
    init(_ configuration: HTTPClient.Configuration, _ sockets: Sockets) throws(LibcurlFailure) {
        handle = try EasyHandle()
        self.sockets = sockets
        try setFixedOptions(configuration)
    }

    /// Prepares the handle for a request.
    ///
    /// - Parameters:
    ///   - job: The request.
    ///   - afresh: True to use a new connection.
    /// - Throws: ``LibcurlFailure`` when libcurl refuses an option or has no memory for a header.
    func begin(_ job: Job, afresh: Bool = false) throws(LibcurlFailure) {
        self.job = job
        bodyOffset = 0
        hasBegunSending = false
        hasRefusedRepetition = false
        isOnClosedConnection = false
        isTooLate = false
        answer = PartialAnswer()
        handle.clearFailureText()
        let list = try HeaderList(HeaderList.lines(for: job.request))
        // The old list is freed after the handle has the new one, which lives in `headerList`.
        try unsafe handle.set(CURLOPT_HTTPHEADER, list: list)
        headerList = list
        try setOptions(for: job, within: ContinuousClock.now.duration(to: job.deadline))
        // By default a kept connection is reused.
        try handle.set(CURLOPT_FRESH_CONNECT, afresh ? 1 : 0)
    }

    /// Releases the request.
    func end() -> Job? {
        defer { job = nil }
        return job
    }
}

@available(*, unavailable, message: "a transfer belongs to the thread of its loop")
extension Transfer: Sendable {}

/// The part of an answer received so far.
struct PartialAnswer {
    /// The largest answer in bytes, decompressed: 16 MiB. A larger one ends the request.
    static let maximumBody = 16 << 20
    /// The largest size of the headers in bytes: 256 KiB. Larger ones end the request too.
    static let maximumHead = 256 << 10

    /// The headers of the latest answer; those of an interim one are replaced by the next.
    var fields: [HTTPHeaders.Field] = []
    /// True once the empty line after the headers has come.
    var hasWholeHead = false
    /// The body so far, decompressed.
    var body: [UInt8] = []
    /// The number of header bytes received, over all answers.
    var headBytes = 0
    /// True when a limit was exceeded.
    var isTooLarge = false
}
