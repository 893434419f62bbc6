package import JSONValue

// How remotes keep values of the model.
extension JSONValue {
    /// The instant that a text names.
    package var instant: Instant? { string.flatMap { Instant($0) } }

    /// The hash that a text names.
    package var digest: Digest? { string.flatMap { Digest($0) } }

    /// The whole number, when it is not below 0 and fits.
    ///
    /// At most 2^53, which every JSON reader keeps exactly, so that sums of a few never overflow.
    package var natural: Int? { integer.flatMap { (0...1 << 53).contains($0) ? Int(exactly: $0) : nil } }
}
