import Testing

@testable import Push

@Suite struct SecretLineTests {
    @Test(arguments: [
        "  masterKey: PLAIN\"SECRET", "local: {type: leancloud, masterKey: x, foo: 1}", "\"masterKey\" : x",
        "MASTERKEY: x",
        "passphrase: hunter2", "key: |", "postgres: postgresql://u:p@h/d", "url: https://user:pass@example.com",
        "devices: [ab, cd]", "  - 0123456789abcdef0123456789ABCDEF",
    ])
    func aLineThatMayHoldASecretIsNotShown(line: String) {
        #expect(SecretLine.isSuspected(line))
        #expect(SourceFiles(["a.yaml": Array("kind: x\n\(line)\n".utf8)]).shownLine(2, of: "a.yaml") == nil)
    }

    /// The words are those of the tables: a new field with a secret must be among them.
    @Test func everyFieldThatHoldsASecretIsKnownByItsName() {
        let names = FieldTableTests.places.map(\.field).filter { if case .secret = $0.type { true } else { false } }
            .map(\.name)
        #expect(Set(names).count >= 4)
        for name in names + ["devices"] { #expect(SecretLine.isSuspected("\(name): x"), "\(name)") }
    }

    @Test(arguments: [
        "kind: Campaign", "title: The key of the game", "body: \"Giants 4:2\"", "url: https://push.example.com",
        "to: a@b.com",
        "id: 0123456789abcdef", "",
    ])
    func anyOtherLineIsShown(line: String) {
        #expect(!SecretLine.isSuspected(line))
        #expect(SourceFiles(["a.yaml": Array("kind: x\n\(line)\n".utf8)]).shownLine(2, of: "a.yaml") == line)
    }

    @Test func theLineBelowALonelyKeyIsNotShown() {
        let files = SourceFiles(["a.yaml": Array("masterKey:\n  PLAIN\nkey: |-\n  MII\nname: x\ncity: y".utf8)])
        #expect((1...6).map { files.shownLine($0, of: "a.yaml") } == [nil, nil, nil, nil, "name: x", "city: y"])
    }
}
