/// Why a text is not read as JSON, and where. It never quotes the text, which may hold secrets.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package let fault: Fault
    /// How many bytes stand before the place.
    package let offset: Int
    /// The place's line, from 1.
    package let line: Int
    /// The place's column in bytes, from 1.
    package let column: Int

    /// What may be wrong with a text.
    package enum Fault: String, Hashable, Sendable, CaseIterable {
        case endOfText = "the text ends too early"
        case textAfterValue = "there is more after the value"
        case value = "a value is expected"
        case name = "a name in quotation marks is expected"
        case colon = "':' is expected"
        case commaInList = "',' or ']' is expected"
        case commaInObject = "',' or '}' is expected"
        case word = "only true, false and null are words"
        case number = "this is no number"
        case controlCharacter = "a control character in a string must be escaped"
        case escape = "this is no escape"
        case surrogate = "this is half of a surrogate pair"
        case encoding = "this string is not UTF-8"
        case tooDeep = "it is nested too deep"
        case tooLong = "the text is too long"
        case numberTooLong = "the number has too many digits"
        case numberTooLarge = "the number is too large"
        case tooMuchMemory = "it holds too many values for its length"
    }

    /// Locates a fault.
    init(_ fault: Fault, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        self.fault = fault
        self.offset = offset
        let before = bytes.prefix(offset)
        let lineStart = (before.lastIndex(of: 0x0A) ?? -1) + 1
        line = 1 + before.count { $0 == 0x0A }
        column = offset - lineStart + 1
    }

    /// What and where, for people.
    package var description: String { "not JSON: line \(line), column \(column): \(fault.rawValue)" }
}
