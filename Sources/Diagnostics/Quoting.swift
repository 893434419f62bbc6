/// A text of a file in single quotes, fit for a message: characters that move text escaped, cut after 100.
package func quoted(_ text: String) -> String {
    var result = "'"
    for (count, scalar) in text.unicodeScalars.enumerated() {
        if count == 100 {
            result += "…"
            break
        }
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "'"
}
