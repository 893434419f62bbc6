import LeanCloud
import Push
import RemoteTesting
import Testing

/// No field of a message is dropped without a word.
@Suite struct ContentFieldTests {
    @Test(arguments: ContentField.allCases)
    func everyFieldIsSentOrSaidToBeNone(_ field: ContentField) {
        let platforms: [Platform] = [field.isAndroidOnly ? .android : .ios]
        let without = LeanCloudEncoder().encode(draft(text("Hi"), platforms: platforms))
        let with = LeanCloudEncoder().encode(
            draft(text("Hi").overridden(by: .saying(field)), platforms: platforms))
        #expect(with.request.body != without.request.body || with.findings != without.findings)
    }
}
