import Base
import Push
import RemoteTesting
import Testing

/// Every field of a message, along every way that it goes.
@Suite struct ContentFieldTests {
    /// A property without a row would be in no file and in no hash.
    @Test func everyPropertyHasItsRow() {
        let properties = Mirror(reflecting: MessageContent()).children.compactMap(\.label)
        #expect(Set(properties) == Set(ContentField.allCases.map(\.rawValue)))
    }

    @Test(arguments: ContentField.allCases)
    func aFieldReadsBackWhatItSays(_ field: ContentField) {
        let content = MessageContent.saying(field)
        #expect(ContentField.allCases.filter { content.value(of: $0) != nil } == [field])
        let table = MessageContent.android
        #expect(table.record(of: table.values(of: content)) == content)
    }

    @Test(arguments: ContentField.allCases)
    func aPlatformsFieldGoesOverTheMessages(_ field: ContentField) {
        var other = MessageContent.saying(.title)
        other.body = .text("other")
        other.data = ["other": 1]
        let own = Message(common: other, ios: .saying(field)).content(for: .ios)
        if field == .data {
            #expect(own.data == ["game": 1, "other": 1], "it is merged key by key")
        } else {
            #expect(own.overridden(by: .saying(field)) == own)
            #expect(own.value(of: field) != nil && own.data == ["other": 1])
        }
    }

    /// An edit of a pending push that the hash does not tell would vanish.
    @Test(arguments: ContentField.allCases)
    func everyFieldIsInTheHash(_ field: ContentField) {
        func digest(_ message: Message) -> Digest {
            Sample.campaign("score") { $0.message = message }.contentDigest(segments: [:], profiles: [:])
        }
        let none = MessageContent()
        let messages = [
            Message(common: none), Message(common: .saying(field)), Message(common: none, ios: .saying(field)),
            Message(common: none, android: .saying(field)),
        ]
        #expect(Set(messages.map(digest)).count == messages.count)
        for other in ContentField.allCases where other != field {
            #expect(digest(Message(common: .saying(other))) != digest(Message(common: .saying(field))))
        }
    }
}
