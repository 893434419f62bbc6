internal import CPostgres

extension PostgresSession {
    /// Inserts rows into a table by `COPY`, all or none.
    ///
    /// `target` is the table with its columns, from the program's own text: `t(a, b)`.
    package func copy(_ rows: [[PostgresValue]], into target: String) throws(PostgresError) {
        var bytes: [UInt8] = []
        for row in rows { try Self.appendCopied(row, to: &bytes) }
        try checkPlace()
        let link = unsafe try connected()
        let opening = unsafe Answer(PQexec(link, "COPY \(target) FROM STDIN"))
        guard opening.status == PGRES_COPY_IN else { throw failure(opening) }
        var start = bytes.startIndex
        var isWritten = true
        while isWritten, start < bytes.endIndex {
            let end = min(start + Self.copiedAtOnce, bytes.endIndex)
            isWritten = unsafe bytes[start..<end].withUnsafeBytes { part in
                unsafe PQputCopyData(
                    link, part.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(part.count)) == 1
            }
            start = end
        }
        isWritten = unsafe PQputCopyEnd(link, isWritten ? nil : "given up") == 1 && isWritten
        var refused: Answer?
        while let result = unsafe PQgetResult(link) {
            let answer = unsafe Answer(result)
            if answer.status != PGRES_COMMAND_OK, refused == nil { refused = answer }
        }
        if let refused { throw failure(refused) }
        guard isWritten else { throw failure(nil) }
    }

    private static let copiedAtOnce = 1 << 20

    private static func appendCopied(_ row: [PostgresValue], to bytes: inout [UInt8]) throws(PostgresError) {
        for (index, value) in row.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            guard let text = value.spelling else {
                bytes += [UInt8(ascii: "\\"), UInt8(ascii: "N")]
                continue
            }
            guard text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else {
                bytes += text.utf8
                continue
            }
            for byte in text.utf8 {
                switch byte {
                case 0: throw PostgresError(.value, "A text holds a NUL, which PostgreSQL does not store.")
                case UInt8(ascii: "\\"): bytes += [byte, byte]
                case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
                case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
                case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
                default: bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }
}
