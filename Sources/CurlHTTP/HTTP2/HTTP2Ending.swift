/// How a request over HTTP/2 ended.
package enum HTTP2Ending: Hashable, Sendable {
    /// There is an answer with this status, whatever happened to its body or afterwards.
    case answered(status: Int)
    /// The server refused the stream, or named an earlier one as the last that it acts on (RFC 9113, 6.8 and 8.7).
    case streamRefused
    /// No byte of the body was given to the connection, and why.
    case notGiven(String)
    /// There is no answer and no proof that the server did nothing, and why.
    case unanswered(String)
}
