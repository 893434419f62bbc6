package import HTTP
package import Base

/// One call to LeanCloud's API.
package struct APICall: Sendable {
    /// The method.
    package var method: HTTPRequest.Method
    /// The path after the version, percent-encoded, such as `/classes/BugleLock`.
    package var path: String
    /// The names and values of the query, not yet encoded.
    package var query: [(String, String)] = []
    /// The body; sent as its canonical bytes.
    package var body: JSONValue?

    package init(_ method: HTTPRequest.Method, _ path: String, query: [(String, String)] = [], body: JSONValue? = nil) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// The path and query as part of the address.
    package var target: String {
        let pairs = query.map { "\($0.0)=\($0.1.percentEncoded)" }
        return "/1.1" + path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// The call in a message: `GET /1.1/classes/BugleLock`.
    package var name: String { "\(method.rawValue) /1.1\(path)" }
}
