package import Base

/// Encodes values unambiguously for hashing: each field has its name and length, and unset fields leave nothing.
///
/// A field added to the schema later therefore does not change the hash of a campaign that does not use it.
package struct ContentWriter: Sendable {
    private var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() { bytes.reserveCapacity(1024) }

    /// The hash of the bytes written so far.
    package var digest: Digest { Digest(of: bytes) }

    /// Writes a field unless its value is nil.
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

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: Int?) { write(name, value.map(String.init)) }

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: Bool?) { write(name, value.map { $0 ? "true" : "false" }) }

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: Double?) { write(name, value?.description) }

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: JSONValue?) {
        if let value { write(name, bytes: value.canonicalBytes) }
    }

    /// Writes a list unless it is empty.
    package mutating func write(_ name: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        for value in values { write(name, value) }
        write("count", values.count)
    }

    /// Writes the fields of a group as one nested field; an empty group writes nothing.
    package mutating func group(_ name: String, _ body: (inout ContentWriter) -> Void) {
        var inner = ContentWriter()
        body(&inner)
        if !inner.bytes.isEmpty { write(name, bytes: inner.bytes) }
    }
}
