internal import JSONValue
internal import PushModel

/// Writes values as unambiguous bytes for hashing: every field has a name and a length, unset fields leave nothing.
///
/// So a field that is added to the schema later changes no hash of a campaign that does not use it.
struct ContentWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1024) }

    var digest: Digest { Digest(of: bytes) }

    mutating func write(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        write(name, bytes: value.utf8)
    }

    private mutating func write(_ name: StaticString, bytes value: some Collection<UInt8>) {
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "="))
        bytes.append(contentsOf: String(value.count).utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: value)
    }

    mutating func write(_ name: StaticString, _ value: Int?) { write(name, value.map(String.init)) }

    mutating func write(_ name: StaticString, _ value: Bool?) { write(name, value.map { $0 ? "true" : "false" }) }

    mutating func write(_ name: StaticString, _ value: Double?) { write(name, value?.description) }

    mutating func write(_ name: StaticString, _ value: JSONValue?) {
        if let value { write(name, bytes: value.canonicalBytes) }
    }

    mutating func write(_ name: StaticString, _ values: [String]) {
        guard !values.isEmpty else { return }
        for value in values { write(name, value) }
        write("count", values.count)
    }

    /// Writes fields that belong together between marks, and nothing at all when there are none.
    mutating func group(_ name: StaticString, _ body: (inout ContentWriter) -> Void) {
        var inner = ContentWriter()
        body(&inner)
        if !inner.bytes.isEmpty { write(name, bytes: inner.bytes) }
    }
}
