internal import HTTPTypes
internal import JSONValue

/// An answer as it goes out.
struct HTTPAnswer: Sendable {
    /// The status.
    var status: Int
    /// The headers but for those that every answer has.
    var headers = HTTPFields()
    /// The body.
    var body: [UInt8]
    /// Whether the connection ends with it, because the rest of the request is not read.
    var closes = false

    /// An answer with a JSON body, or with none at all.
    init(status: Int, json: JSONValue?) {
        self.status = status
        body = json?.canonicalBytes ?? []
        if json != nil { headers[.contentType] = "application/json; charset=utf-8" }
    }

    /// An answer with a text.
    init(status: Int, text: String, type: String) {
        self.status = status
        body = Array(text.utf8)
        headers[.contentType] = type
    }

    /// What the API answered.
    init(_ response: APIResponse) {
        self.init(status: response.status, json: response.body)
        headers[.location] = response.location
    }

    /// A refusal.
    init(_ error: APIError, closes: Bool = false) {
        self.init(status: error.status, json: error.body)
        self.closes = closes
    }
}
