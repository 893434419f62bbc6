import Testing
import YAMLFormat

struct YAMLLayoutTests {
    @Test func aLayoutKnowsItsFile() { #expect(YAMLLayout(file: "a.yaml").file == "a.yaml") }
}
