import Push
import RemoteTesting
import Testing

/// No field of a message is dropped without a word.
@Suite struct ContentFieldTests {
    @Test(arguments: ContentField.allCases)
    func everyFieldIsSentOrSaidToBeNone(_ field: ContentField) {
        let without = Sample.alert { _ in }
        let with = Sample.alert { $0.content = $0.content.overridden(by: .saying(field)) }
        // What is Android's alone means nothing to Apple.
        #expect((with.body != without.body || with.findings != without.findings) == !field.isAndroidOnly)
    }
}
