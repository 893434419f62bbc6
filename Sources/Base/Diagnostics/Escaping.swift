/// Escapes text from a file or a response for a line of output.
///
/// Control characters, bidi controls, line breaks and other invisible characters become `\n`, `\u{1b}` and so on. The
/// result can neither begin a workflow command (`::error`) nor contain one (`##[error]`, `##vso[…]`), wherever the line
/// begins.
package func escaped(_ text: String) -> String {
    if commandColon(in: text) == nil, HiddenCharacters.areCertainlyAbsent(from: text) { return text }
    var bytes: [UInt8] = []
    appendEscaped(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

/// Appends the result of ``escaped(_:)``.
package func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
    guard let colon = commandColon(in: text) else {
        HiddenCharacters.append(text, to: &bytes, replacingWith: appendVisibleEscape)
        return
    }
    HiddenCharacters.append(String(text[..<colon]), to: &bytes, replacingWith: appendVisibleEscape)
    appendVisibleEscape(":", to: &bytes)
    let rest = text.unicodeScalars[text.unicodeScalars.index(after: colon)...]
    HiddenCharacters.append(String(rest), to: &bytes, replacingWith: appendVisibleEscape)
}

/// The colon that could begin `::` at the start of a line, even after leading white space.
private func commandColon(in text: String) -> String.Index? {
    guard let first = text.utf8.first, first == UInt8(ascii: ":") || first == UInt8(ascii: " ") || first >= 0x80,
        let index = text.unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
        text.unicodeScalars[index] == ":"
    else { return nil }
    let next = text.unicodeScalars[index...].dropFirst().first
    return next == nil || next == ":" ? index : nil
}

/// Appends the escape of an invisible character: `\n`, `\u{1b}`.
package func appendVisibleEscape(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "\n": bytes.append(contentsOf: "\\n".utf8)
    case "\r": bytes.append(contentsOf: "\\r".utf8)
    case "\t": bytes.append(contentsOf: "\\t".utf8)
    default: bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
    }
}
