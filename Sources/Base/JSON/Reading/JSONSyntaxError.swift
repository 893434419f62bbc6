/// A JSON parse error and its position. It never quotes the text, which may hold secrets.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package let fault: Fault
    /// The number of bytes before the error.
    package let offset: Int
    /// The line, from 1.
    package let line: Int
    /// The column in bytes, from 1.
    package let column: Int

    /// The kinds of parse errors, with their messages.
    package enum Fault: String, Hashable, Sendable, CaseIterable {
        case endOfText = "the text ends too early"
        case textAfterValue = "unexpected text after the value"
        case value = "a value is expected"
        case name = "a name in quotation marks is expected"
        case colon = "':' is expected"
        case commaInList = "',' or ']' is expected"
        case commaInObject = "',' or '}' is expected"
        case word = "only true, false and null may be without quotation marks"
        case number = "this is not a number"
        case controlCharacter = "a control character in a string must be escaped"
        case escape = "this is not a valid escape"
        case surrogate = "this is half of a surrogate pair"
        case encoding = "this string is not UTF-8"
        case repeatedName = "the object that ends here has a name twice"
        case tooDeep = "it is nested too deeply"
        case tooLong = "the text is too long"
        case numberTooLong = "the number has too many digits"
        case numberTooLarge = "the number is too large"
        case tooMuchMemory = "it holds too many values for its length"
    }

    /// Locates a fault in a text.
    init(_ fault: Fault, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        self.fault = fault
        self.offset = offset
        let before = bytes.prefix(offset)
        let lineStart = (before.lastIndex(of: 0x0A) ?? -1) + 1
        line = 1 + before.count { $0 == 0x0A }
        column = offset - lineStart + 1
    }

    /// The message with line and column, for people.
    package var description: String { "not JSON: line \(line), column \(column): \(fault.rawValue)" }
}
