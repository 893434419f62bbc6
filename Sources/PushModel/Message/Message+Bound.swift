internal import JSONValue

extension Message {
    /// A number of bytes that no encoding of this message exceeds.
    ///
    /// Most messages are far below every limit; this tells so at a fraction of the cost of encoding them.
    ///
    /// - Parameter copies: how often an encoding may hold each text: at the top, and in each platform's object.
    package func encodedBytesBound(copies: Int) -> Int {
        copies * (common.bound + (ios?.bound ?? 0) + (android?.bound ?? 0))
            + vendors.reduce(0) { $0 + $1.value.canonicalByteCount + 20 }
    }
}

extension MessageContent {
    /// Beside its texts: names of fields, numbers and punctuation of a content that sets everything.
    fileprivate var bound: Int { Self.android.rows.reduce(400) { $0 + ($1.value(self)?.textBytes ?? 0) } }
}
