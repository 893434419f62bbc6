internal import HTTPTypes

/// What browsers ask of a server before a page of another origin may call it.
///
/// Every origin may: the keys stand in headers that a page must know, and the API takes no cookies.
enum CrossOrigin {
    /// How long a browser remembers the answer.
    private static let maxAge = "86400"
    private static let allowedHeaders = [
        "Content-Type", "X-LC-Id", "X-LC-Key", "X-LC-Sign", "X-LC-Session", "X-LC-Prod", "X-LC-UA",
        "X-Requested-With", "X-AVOSCloud-Application-Id", "X-AVOSCloud-Application-Key", "X-AVOSCloud-Master-Key",
        "X-AVOSCloud-Request-Sign", "X-AVOSCloud-Session-Token", "X-AVOSCloud-Application-Production",
        "X-Uluru-Application-Id", "X-Uluru-Application-Key", "X-Uluru-Master-Key", "X-Uluru-Request-Sign",
        "X-Uluru-Session-Token", "X-Uluru-Application-Production",
    ].joined(separator: ", ")

    /// Lets the page read an answer; nothing for a request that no page made.
    static func allow(_ request: HTTPFields, in answer: inout HTTPFields) {
        guard request[.origin] != nil else { return }
        answer[.accessControlAllowOrigin] = "*"
        answer[.accessControlExposeHeaders] = "Date, Location"
    }

    /// The answer to `OPTIONS`: 204 and what is allowed.
    static var preflight: HTTPAnswer {
        var answer = HTTPAnswer(status: 204, json: nil)
        answer.headers[.accessControlAllowOrigin] = "*"
        answer.headers[.accessControlAllowMethods] = "GET, POST, PUT, DELETE"
        answer.headers[.accessControlAllowHeaders] = allowedHeaders
        answer.headers[.accessControlMaxAge] = maxAge
        return answer
    }
}
