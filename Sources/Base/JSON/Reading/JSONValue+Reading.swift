extension JSONValue {
    /// Parses one JSON text according to RFC 8259; the first member of a name wins.
    ///
    /// - Throws: ``JSONSyntaxError`` when the bytes are not UTF-8, not one JSON value, or exceed `limits`.
    package init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        let result = bytes.withContiguousStorageIfAvailable { Self.reading($0, limits) }
        self = try (result ?? Array(bytes).withUnsafeBufferPointer { Self.reading($0, limits) }).get()
    }

    /// Parses one JSON text.
    ///
    /// - Throws: ``JSONSyntaxError`` when it is not one JSON value, or exceeds `limits`.
    package init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(parsing: text.utf8, limits: limits)
    }

    private static func reading(
        _ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
    ) -> Result<JSONValue, JSONSyntaxError> {
        Result { () throws(JSONSyntaxError) in try JSONReader.read(bytes, limits) }
    }
}
