/// One whole HTTP answer.
package struct HTTPResponse: Hashable, Sendable {
    /// The version of HTTP an answer came by.
    package enum Version: Hashable, Sendable {
        /// HTTP/1.0 or HTTP/1.1: one request at a time on a connection.
        case http1
        /// HTTP/2: many at a time.
        case http2
        /// HTTP/3, which is never asked for.
        case http3
    }

    /// The status, 200 to 599 (interim answers are not shown).
    package var status: Int
    /// The headers, and the trailers if there were any.
    package var headers: HTTPHeaders
    /// The body, decompressed; at most 16 MiB.
    package var body: [UInt8]
    /// How it came.
    package var version: Version

    /// Puts an answer together.
    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], version: Version = .http1) {
        self.status = status
        self.headers = headers
        self.body = body
        self.version = version
    }
}

/// The headers of an answer, in the order they came; names are compared without regard to case.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One header.
    package struct Field: Hashable, Sendable {
        /// The name, as it came.
        package var name: String
        /// The value, without the space around it.
        package var value: String

        /// Makes a header.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All of them, in order.
    package var fields: [Field]

    /// Collects headers.
    package init(_ fields: [Field] = []) { self.fields = fields }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }

    /// The value of the first header of this name.
    package subscript(name: String) -> String? { all(name).first }

    /// The values of every header of this name.
    package func all(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }
}
