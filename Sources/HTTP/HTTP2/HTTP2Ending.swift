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
