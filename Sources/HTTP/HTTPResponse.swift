/// One whole HTTP answer.
package struct HTTPResponse: Hashable, Sendable {
    /// The HTTP version of an answer.
    package enum Version: Hashable, Sendable {
        /// HTTP/1.0 or HTTP/1.1: one request at a time on a connection.
        case http1
        /// HTTP/2: many concurrent requests on a connection.
        case http2
        /// HTTP/3, which is never requested.
        case http3
    }

    /// The status, 200 to 599 (interim answers are not exposed).
    package var status: Int
    /// The headers, and any trailers.
    package var headers: HTTPHeaders
    /// The body, decompressed; at most 16 MiB.
    package var body: [UInt8]
    /// The HTTP version used.
    package var version: Version

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], version: Version = .http1) {
        self.status = status
        self.headers = headers
        self.body = body
        self.version = version
    }
}

/// The headers of an answer, in order of arrival; names are case-insensitive.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One header.
    package struct Field: Hashable, Sendable {
        /// The name, as received.
        package var name: String
        /// The value, without surrounding white space.
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All headers, in order.
    package var fields: [Field]

    package init(_ fields: [Field] = []) { self.fields = fields }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }

    /// The value of the first header with this name.
    package subscript(name: String) -> String? { all(name).first }

    /// The values of all headers with this name.
    package func all(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }
}
