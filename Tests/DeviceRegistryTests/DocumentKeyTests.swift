import Testing

@testable import DeviceRegistry

@Suite struct DocumentKeyTests {
    private func text(_ document: String, longest: Int = 8) -> DocumentKey.Text {
        Array(document.utf8).withUnsafeBufferPointer { DocumentKey("timeZone").text(in: $0, longest: longest) }
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
        ] as [(String, DocumentKey.Text)])
    func theDocumentsOwnTextIsFound(_ document: String, _ expected: DocumentKey.Text) {
        #expect(text(document) == expected)
    }
}
