import Testing

@testable import DeviceRegistry

@Suite struct DocumentKeyTests {
    /// What a document says.
    enum Said: Equatable {
        case none, tooLong
        case text(String)
    }

    private func text(_ document: String, longest: Int = 8) -> Said {
        Array(document.utf8).withUnsafeBufferPointer { bytes in
            switch DocumentKey("timeZone").text(in: bytes, longest: longest) {
            case .none: .none
            case .tooLong: .tooLong
            case .plain(let place): .text(String(decoding: bytes[place], as: UTF8.self))
            case .escaped(let text): .text(text)
            }
        }
    }

    @Test(
        arguments: [
            (#"{"timeZone":"UTC"}"#, .text("UTC")), (#"{"a":1,"timeZone":"","z":2}"#, .text("")),
            (#"{"a":{"timeZone":"no"},"timeZone":"yes"}"#, .text("yes")),
            (#"{"a":"\"timeZone\":\"no\"","timeZone":"上海"}"#, .text("上海")),
            (#"{"timeZone":"a\u001b\"b"}"#, .text("a\u{1B}\"b")),
            (#"{"timeZone":"123456789"}"#, .tooLong),
            (#"{"timeZone":"\u0001\u0001\u0001\u0001\u0001\u0001\u0001\u0001\u0001"}"#, .tooLong),
            (#"{"a":{"timeZone":"no"}}"#, .none), (#"{"timeZone":null}"#, .none), (#"{"timeZone":5}"#, .none),
            (#"{"timeZone":["UTC"]}"#, .none), (#"{"b":"timeZone"}"#, .none), (#"{"mytimeZone":"UTC"}"#, .none),
            ("{}", .none), ("", .none), (#"{"timeZone":"UT"#, .tooLong), (#"{"timeZone":"\"#, .tooLong),
            (#"{"a":"\\","timeZone":"UTC"}"#, .text("UTC")), (#"{"a":"\\\"","timeZone":"UTC"}"#, .text("UTC")),
            (#"{"a":"\\\",\"timeZone\":\"no\""}"#, .none), (#"{"timeZone":"a\\"}"#, .text("a\\")),
        ] as [(String, Said)])
    func theDocumentsOwnTextIsFound(_ document: String, _ expected: Said) {
        #expect(text(document) == expected)
    }
}
