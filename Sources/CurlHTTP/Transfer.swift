internal import CCurl

/// One place for a request under way: an easy handle, reused from request to request, and what happened so far.
///
/// It belongs to its loop's thread; libcurl calls back on that thread only.
final class Transfer {
    /// libcurl's side.
    let handle: EasyHandle
    /// The request under way, none between two.
    private(set) var job: Job?
    /// Keeps the header lines alive for as long as libcurl holds them.
    private var headerList: HeaderList?
    /// Keeps where connections go alive, beside the handle.
    var connections: HeaderList?
    /// How many bytes of the body libcurl has fetched.
    var bodyOffset = 0
    /// Whether libcurl has begun to send: from then on the server may have received the request.
    ///
    /// Until then no byte has left. The finer `CURLINFO_REQUEST_SIZE` is not asked: libcurl changed what it counts, and
    /// a 0 that is wrong would let a request be repeated.
    var hasBegunSending = false
    /// Whether a repetition was kept from happening.
    var hasRefusedRepetition = false
    /// Whether the attempt was stopped because the server had closed the connection.
    var isOnClosedConnection = false
    /// Whether the attempt was stopped because its time was over.
    var isTooLate = false
    /// The sockets of the loop.
    let sockets: Sockets
    /// What has come of the answer.
    var answer = PartialAnswer()

    /// Makes a transfer with everything set that is the same for every request.
    init(_ configuration: HTTPClient.Configuration, _ sockets: Sockets) throws(LibcurlFailure) {
        handle = try EasyHandle()
        self.sockets = sockets
        try setFixedOptions(configuration)
    }

    /// Makes the handle ready for a request.
    ///
    /// - Parameters:
    ///   - job: The request.
    ///   - afresh: Whether on a connection of its own.
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
        // The old list is freed after the handle has the new one, and that one lives in `headerList`.
        try unsafe handle.set(CURLOPT_HTTPHEADER, list: list)
        headerList = list
        try setOptions(for: job, within: ContinuousClock.now.duration(to: job.deadline))
        // By default a kept connection is used.
        try handle.set(CURLOPT_FRESH_CONNECT, afresh ? 1 : 0)
    }

    /// Lets go of the request.
    func end() -> Job? {
        defer { job = nil }
        return job
    }
}

@available(*, unavailable, message: "a transfer belongs to the thread of its loop")
extension Transfer: Sendable {}

/// What has come of an answer.
struct PartialAnswer {
    /// Answers over this many bytes, decompressed, end the request: 16 MiB.
    static let maximumBody = 16 << 20
    /// Headers over this many bytes end it too: 256 KiB.
    static let maximumHead = 256 << 10

    /// The headers of the latest answer: an interim one is replaced by the next.
    var fields: [HTTPHeaders.Field] = []
    /// Whether the empty line after the headers has come.
    var hasWholeHead = false
    /// The body so far, decompressed.
    var body: [UInt8] = []
    /// How many bytes of headers have come, of all answers.
    var headBytes = 0
    /// Whether a limit was passed.
    var isTooLarge = false
}
