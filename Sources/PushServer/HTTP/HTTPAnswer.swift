internal import HTTPTypes
internal import Base

/// A response, ready to be sent.
struct HTTPAnswer: Sendable {
    /// The status.
    var status: Int
    /// The headers, without those common to all responses.
    var headers = HTTPFields()
    /// The body.
    var body: [UInt8]
    /// True when the connection closes after the response, because the rest of the request is not read.
    var closes = false

    /// Creates a response with a JSON body or without a body.
    init(status: Int, json: JSONValue?) {
        self.status = status
        body = json?.canonicalBytes ?? []
        if json != nil { headers[.contentType] = "application/json; charset=utf-8" }
    }

    /// Creates a response with a text body.
    init(status: Int, text: String, type: String) {
        self.status = status
        body = Array(text.utf8)
        headers[.contentType] = type
    }

    /// Creates a response from the API's.
    init(_ response: APIResponse) {
        self.init(status: response.status, json: response.body)
        headers[.location] = response.location
        headers[.retryAfter] = response.retryAfter.map(String.init)
    }

    /// Creates a refusal.
    init(_ error: APIError, closes: Bool = false) {
        self.init(status: error.status, json: error.body)
        self.closes = closes
    }
}
