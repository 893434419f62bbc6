internal import FoundationEssentials

/// One `-----BEGIN X-----` … `-----END X-----` of a text.
///
/// Text around the blocks (bag attributes, a byte order mark) and any white space inside one are skipped: secrets that
/// went through an environment variable often lost their line breaks.
struct PEMBlock {
    /// What stands after BEGIN, such as `CERTIFICATE`.
    let label: String
    /// The decoded bytes; nil when they are not base64.
    let der: [UInt8]?
    /// Whether a `Proc-Type: 4,ENCRYPTED` header stands before the bytes (a key in OpenSSL's traditional form).
    let isTraditionallyEncrypted: Bool
    /// The block as it stands, with its BEGIN and END lines.
    let text: String

    /// Whether the bytes look like PEM at all.
    static func isPEM(_ bytes: [UInt8]) -> Bool { bytes.firstRange(of: opening) != nil }

    /// All blocks of a text in their order; an opening without its end before the next makes a block without bytes.
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

    /// The block that `rest` starts with, and where the next may start.
    private static func first(in rest: ArraySlice<UInt8>) -> (PEMBlock, Int) {
        let labelStart = rest.startIndex + opening.count
        guard let labelEnd = rest[labelStart...].firstRange(of: dashes) else {
            return (PEMBlock(label: "", der: nil, isTraditionallyEncrypted: false, text: ""), rest.endIndex)
        }
        let label = String(decoding: rest[labelStart..<labelEnd.lowerBound], as: UTF8.self)
        let closing = Array("-----END \(label)-----".utf8)
        // Up to the next opening only: else openings without an end cost as the square of their number.
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
