package import JSONValue

/// Writes values as unambiguous bytes for hashing: every field has a name and a length, unset fields leave nothing.
///
/// So a field that is added to the schema later changes no hash of a campaign that does not use it.
package struct ContentWriter: Sendable {
    private var bytes: [UInt8] = []

    /// Without any bytes.
    package init() { bytes.reserveCapacity(1024) }

    /// The hash of what was written.
    package var digest: Digest { Digest(of: bytes) }

    /// Writes a field, unless it has no value.
    package mutating func write(_ name: String, _ value: String?) {
        guard let value else { return }
        write(name, bytes: value.utf8)
    }

    private mutating func write(_ name: String, bytes value: some Collection<UInt8>) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "="))
        bytes.append(contentsOf: String(value.count).utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: value)
    }

    /// Writes a field, unless it has no value.
    package mutating func write(_ name: String, _ value: Int?) { write(name, value.map(String.init)) }

    /// Writes a field, unless it has no value.
    package mutating func write(_ name: String, _ value: Bool?) { write(name, value.map { $0 ? "true" : "false" }) }

    /// Writes a field, unless it has no value.
    package mutating func write(_ name: String, _ value: Double?) { write(name, value?.description) }

    /// Writes a field, unless it has no value.
    package mutating func write(_ name: String, _ value: JSONValue?) {
        if let value { write(name, bytes: value.canonicalBytes) }
    }

    /// Writes a field, unless it has no value.
    package mutating func write(_ name: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        for value in values { write(name, value) }
        write("count", values.count)
    }

    /// Writes fields that belong together between marks, and nothing at all when there are none.
    package mutating func group(_ name: String, _ body: (inout ContentWriter) -> Void) {
        var inner = ContentWriter()
        body(&inner)
        if !inner.bytes.isEmpty { write(name, bytes: inner.bytes) }
    }
}
