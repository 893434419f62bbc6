internal import HTTPTypes

/// CORS headers, which browsers require before a page from another origin may call the API.
///
/// Every origin is allowed: the keys are in headers that a page must know, and the API takes no cookies.
enum CrossOrigin {
    /// The time in seconds that a browser caches the preflight response.
    private static let maxAge = "86400"
    private static let allowedHeaders = [
        "Content-Type", "X-LC-Id", "X-LC-Key", "X-LC-Sign", "X-LC-Session", "X-LC-Prod", "X-LC-UA",
        "X-Requested-With", "X-AVOSCloud-Application-Id", "X-AVOSCloud-Application-Key", "X-AVOSCloud-Master-Key",
        "X-AVOSCloud-Request-Sign", "X-AVOSCloud-Session-Token", "X-AVOSCloud-Application-Production",
        "X-Uluru-Application-Id", "X-Uluru-Application-Key", "X-Uluru-Master-Key", "X-Uluru-Request-Sign",
        "X-Uluru-Session-Token", "X-Uluru-Application-Production",
    ].joined(separator: ", ")

    /// Lets a page read a response; adds nothing for requests not made by a page.
    static func allow(_ request: HTTPFields, in answer: inout HTTPFields) {
        guard request[.origin] != nil else { return }
        answer[.accessControlAllowOrigin] = "*"
        answer[.accessControlExposeHeaders] = "Date, Location"
    }

    /// The response to `OPTIONS`: 204 with the allowed methods and headers.
    static var preflight: HTTPAnswer {
        var answer = HTTPAnswer(status: 204, json: nil)
        answer.headers[.accessControlAllowOrigin] = "*"
        answer.headers[.accessControlAllowMethods] = "GET, POST, PUT, DELETE"
        answer.headers[.accessControlAllowHeaders] = allowedHeaders
        answer.headers[.accessControlMaxAge] = maxAge
        return answer
    }
}
