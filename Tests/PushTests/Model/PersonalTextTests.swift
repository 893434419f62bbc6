import Base
import Push
import Testing

@Suite struct PersonalTextTests {
    @Test func aTextIsWordsAndValuesInTheirOrder() throws {
        let text = try PersonalText("Hello {{firstName|there}}, {{city|}}!")
        #expect(
            text.pieces == [
                .words("Hello "), .value(PersonalValue(field: "firstName", default: "there")), .words(", "),
                .value(PersonalValue(field: "city", default: "")), .words("!"),
            ])
        #expect(try PersonalText("{x} }} {").pieces == [.words("{x} }} {")])
        #expect(try PersonalText("{{a|b|c}}").values == [PersonalValue(field: "a", default: "b|c")])
    }

    @Test(arguments: [
        "{{firstName}}", "{{}}", "{{|there}}", "{{first name|x}}", "{{1a|x}}", "{{a.b|x}}", "{{a|x", "{{ a|x}}",
        "{{{a|x}}",
    ])
    func whatIsNoFieldWithADefaultIsAMistake(_ text: String) {
        #expect(throws: PersonalText.Mistake.self) { try PersonalText(text) }
    }

    @Test(
        arguments: [
            (.string("Anna"), "Anna"), (.integer(7), "7"), (.number(2.5), "2.5"), (.string(""), nil),
            (.string(" \n\u{3000}"), nil),
            (.null, nil), (.bool(true), nil), (["a"], nil), (["a": 1], nil), (nil, nil),
        ] as [(JSONValue?, String?)])
    func onlyATextOrANumberIsAValue(_ value: JSONValue?, _ words: String?) {
        #expect(PersonalValue.words(of: value) == words)
    }
}
