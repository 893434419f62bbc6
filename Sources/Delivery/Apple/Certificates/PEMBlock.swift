internal import FoundationEssentials

/// One `-----BEGIN X-----` … `-----END X-----` block of a text.
///
/// Text around the blocks (bag attributes, a byte order mark) and white space inside them are skipped: secrets that
/// went through an environment variable have often lost their line breaks.
struct PEMBlock {
    /// The label after BEGIN, such as `CERTIFICATE`.
    let label: String
    /// The decoded bytes; nil when they are not base64.
    let der: [UInt8]?
    /// True when a `Proc-Type: 4,ENCRYPTED` header precedes the bytes (a key in OpenSSL's traditional form).
    let isTraditionallyEncrypted: Bool
    /// The original text of the block, with its BEGIN and END lines.
    let text: String

    /// True when the bytes look like PEM.
    static func isPEM(_ bytes: [UInt8]) -> Bool { bytes.firstRange(of: opening) != nil }

    /// All blocks in order; an opening line without an end line before the next opening becomes a block without bytes.
    static func blocks(in bytes: [UInt8]) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var rest = bytes[...]
        while let begin = rest.firstRange(of: opening) {
            rest = rest[begin.lowerBound...]
            let (block, end) = first(in: rest)
            blocks.append(block)
            rest = rest[end...]
        }
        return blocks
    }

    private static let opening = Array("-----BEGIN ".utf8)
    private static let dashes = Array("-----".utf8)

    /// The block that `rest` starts with, and the index from which to look for the next.
    private static func first(in rest: ArraySlice<UInt8>) -> (PEMBlock, Int) {
        let labelStart = rest.startIndex + opening.count
        guard let labelEnd = rest[labelStart...].firstRange(of: dashes) else {
            return (PEMBlock(label: "", der: nil, isTraditionallyEncrypted: false, text: ""), rest.endIndex)
        }
        let label = String(decoding: rest[labelStart..<labelEnd.lowerBound], as: UTF8.self)
        let closing = Array("-----END \(label)-----".utf8)
        // Search only up to the next opening: otherwise unterminated openings cost quadratic time.
        let following = rest[labelEnd.upperBound...]
        let body = following[..<(following.firstRange(of: opening)?.lowerBound ?? rest.endIndex)]
        guard let end = body.firstRange(of: closing) else {
            return (PEMBlock(label: label, der: nil, isTraditionallyEncrypted: false, text: ""), labelEnd.upperBound)
        }
        let inner = String(decoding: rest[labelEnd.upperBound..<end.lowerBound], as: UTF8.self)
        let hasHeaders = inner.utf8.contains(UInt8(ascii: ":"))
        let block = PEMBlock(
            label: label, der: hasHeaders ? nil : decoded(inner),
            isTraditionallyEncrypted: hasHeaders && inner.contains("ENCRYPTED"),
            text: String(decoding: rest[..<end.upperBound], as: UTF8.self) + "\n")
        return (block, end.upperBound)
    }

    private static func decoded(_ base64: String) -> [UInt8]? {
        let plain = base64.filter { !$0.isWhitespace }
        guard !plain.isEmpty, let data = Data(base64Encoded: plain) else { return nil }
        return Array(data)
    }
}
