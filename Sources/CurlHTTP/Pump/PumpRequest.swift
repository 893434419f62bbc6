internal import CCurl

/// One place for a request of a pump: an easy handle, reused from request to request, and what happened so far.
///
/// It belongs to its pump's thread; libcurl calls back on that thread only.
package final class PumpRequest {
    /// Answers' bodies are kept up to so many bytes; what comes after is dropped.
    package static let maximumAnswer = 4096

    /// Its place among the pump's, from 0: for tables beside it.
    package let number: Int
    /// What came of the body of the answer.
    package internal(set) var answer: [UInt8] = []
    /// The request's body.
    package var body: [UInt8] = []
    /// How it ended; none while it is under way.
    package internal(set) var ending: PumpEnding?
    /// What the answer said of the header that is the request's own.
    package internal(set) var echo = Echo.absent

    /// libcurl's side.
    let handle: EasyHandle
    /// The address, of which only the path changes.
    let url: ParsedURL
    /// The header that is its own.
    let own: OwnHeader
    /// The connection that it was given to.
    var connection: PumpConnection?
    /// Its place among the connection's.
    var place = 0
    /// How many bytes of the body libcurl has fetched.
    var bodyOffset = 0
    /// The size of body that libcurl has been told.
    private var announcedSize = -1
    /// The time limit that libcurl has been told.
    private var announcedTime: Duration?
    /// Whether it was given to a connection that stands.
    var hasBegun = false
    /// Whether any byte of the body was given to libcurl: from then on the server may act on it.
    var isBodyGiven = false
    /// The status of the answer; 0 before there is one.
    var status = 0
    /// Whether libcurl was about to send it again.
    var isRetryAnnounced = false
    /// Whether the server let go of it before acting on it: REFUSED_STREAM, and certainly so.
    var isRefusedStream = false
    /// Whether the server did not agree on HTTP/2.
    var lacksHTTP2 = false

    /// What an answer said of the header that is the request's own.
    package enum Echo: Hashable, Sendable {
        /// It was not there.
        case absent
        /// The value sent.
        case same
        /// Another value.
        case other
    }

    /// Makes a place with everything set that is the same for every request.
    init(number: Int, _ setup: PumpSetup) throws(LibcurlFailure) {
        self.number = number
        handle = try EasyHandle()
        do throws(RequestTarget.Refusal) {
            url = try ParsedURL(setup.target.url)
        } catch {
            throw LibcurlFailure("curl_url_set")
        }
        own = OwnHeader(name: setup.configuration.ownHeader)
        try setFixedOptions(setup)
    }

    /// Makes the handle ready for a request; `body` has been set.
    ///
    /// - Parameters:
    ///   - path: The path with a zero at its end, percent-encoded.
    ///   - value: The value of the header that is its own, at most 64 bytes, printable ASCII.
    ///   - headers: The headers it shares.
    ///   - connection: What it will be sent on.
    func begin(
        path: [UInt8], value: [UInt8], headers: PumpHeaders, on connection: PumpConnection
    ) throws(LibcurlFailure) {
        guard url.setPath(path) else { throw LibcurlFailure("curl_url_set") }
        own.set(value, then: headers)
        if self.connection !== connection { try bind(to: connection) }
        if announcedSize != body.count {
            try handle.set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
            announcedSize = body.count
        }
        // What makes the connection has the time for that as well.
        let time = connection.time
        if announcedTime != time {
            // Milliseconds; by default there is no limit.
            try handle.set(CURLOPT_TIMEOUT_MS, max(1, time.wholeMilliseconds))
            announcedTime = time
        }
        // The talk of a request that starts costs more than all the rest; the first of a connection says whether there
        // is HTTP/2.
        try handle.set(CURLOPT_VERBOSE, connection.isOpening ? 1 : 0)
        handle.clearFailureText()
        answer.removeAll(keepingCapacity: true)
        ending = nil
        echo = .absent
        (bodyOffset, status) = (0, 0)
        (hasBegun, isBodyGiven, isRetryAnnounced, isRefusedStream, lacksHTTP2) = (false, false, false, false, false)
    }
}

@available(*, unavailable, message: "a request belongs to the thread of its pump")
extension PumpRequest: Sendable {}
