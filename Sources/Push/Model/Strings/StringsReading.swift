package import Base

extension LocalizedStrings {
    /// The largest file accepted, in bytes.
    package static let largestFile = 8 << 20

    /// Reads Apple's `strings` format: `"key" = "text";`, with comments, in UTF-8 or in UTF-16 with a byte order mark.
    ///
    /// For a duplicate key the last text counts, as in Apple's own reader. Diagnostics name the file as `file`.
    ///
    /// - Throws: a `Diagnostic` at the first syntax error.
    package init(strings bytes: [UInt8], file: String) throws(Diagnostic) {
        var parser = StringsParser(scalars: try Self.scalars(of: bytes, file: file), file: file)
        self.init(texts: try parser.parse())
    }

    private static func scalars(of bytes: [UInt8], file: String) throws(Diagnostic) -> [Unicode.Scalar] {
        func problem(_ message: String) -> Diagnostic {
            Diagnostic(
                .error, .encoding, message,
                at: SourceRange(file: file, start: SourcePosition(line: 1, column: 1)),
                help: "save the file as UTF-8")
        }
        guard bytes.count <= largestFile else { throw problem("the file has more than 8 MiB") }
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFF, 0xFE), (0xFE, 0xFF):
            guard bytes.count.isMultiple(of: 2) else {
                throw problem("the file is not UTF-16: its last character is incomplete")
            }
            let (high, low) = bytes[0] == 0xFE ? (0, 1) : (1, 0)
            let units = stride(from: 2, to: bytes.count, by: 2).map { index in
                UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + low])
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw problem("the file is not UTF-16: half of a surrogate pair is missing")
            }
            return Array(text.unicodeScalars)
        default:
            let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            guard let text = String(validating: body, as: UTF8.self) else {
                throw problem("the file is neither UTF-8 nor UTF-16 with a byte order mark")
            }
            return Array(text.unicodeScalars)
        }
    }
}
