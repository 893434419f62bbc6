package import Base

// The stored form of the model's values on remotes.
extension JSONValue {
    /// The instant in a string; nil when the value is anything else.
    package var instant: Instant? { string.flatMap { Instant($0) } }

    /// The hash in a string; nil when the value is anything else.
    package var digest: Digest? { string.flatMap { Digest($0) } }

    /// The integer from 0 to 2^53; nil when the value is anything else.
    ///
    /// Every JSON reader keeps integers up to 2^53 exactly, and sums of a few never overflow.
    package var natural: Int? { integer.flatMap { (0...1 << 53).contains($0) ? Int(exactly: $0) : nil } }
}
