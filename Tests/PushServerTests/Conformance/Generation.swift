/// What an SDK shows in each of its requests, as its source or a capture has it.
struct Generation: Sendable {
    /// Its name and version.
    let name: String
    /// The headers.
    let headers: [(String, String)]

    /// The documented signature of the App Key: of a client's, any age is taken.
    ///
    /// Source: docs/background/leancloud/transport.md#signatures.
    static let sign = "d5bcbb897e19b2f6633c716dfdfaf9be,1453014943466"
    private static let id = ("X-LC-Id", "giants")
    private static let json = ("Accept", "application/json")

    private init(_ name: String, _ headers: (String, String)...) {
        self.name = name
        self.headers = headers
    }

    /// A call of this SDK's.
    func sends(
        _ line: String, _ body: String? = nil, _ status: Int = 200, is exact: String? = nil, has members: String? = nil
    ) -> Step {
        Step(line, body, as: .none, headers: headers, status, is: exact, has: members)
    }

    /// What a user of this SDK sees.
    func fact(_ section: String, _ claim: String, _ steps: Step...) -> Fact {
        Fact(section, "\(name): \(claim)", steps: steps)
    }

    private static func avosIOS(_ version: String) -> Generation {
        Generation(
            "Objective-C \(version)", id, ("X-LC-Sign", sign), ("X-LC-Prod", "1"), json,
            ("User-Agent", "AVOS Cloud iOS-v\(version) SDK"), ("Content-Type", "application/json; charset=utf-8"),
            ("Accept-Encoding", "gzip"))
    }

    private static func objectiveC(_ version: String) -> Generation {
        Generation(
            "Objective-C \(version)", id, ("X-LC-Sign", sign), ("X-LC-Prod", "1"), json,
            ("User-Agent", "LeanCloud-Objc-SDK/\(version)"), ("Content-Type", "application/json; charset=utf-8"),
            ("Accept-Language", "zh-Hans-CN;q=1, en-CN;q=0.9"), ("Accept-Encoding", "gzip"))
    }

    private static func swift(_ version: String) -> Generation {
        Generation(
            "Swift \(version)", id, ("X-LC-Sign", sign), ("X-LC-Prod", "1"), json,
            ("User-Agent", "LeanCloud-Swift-SDK/\(version)"), ("Content-Type", "application/json;charset=UTF-8"))
    }

    private static func android(_ version: String) -> Generation {
        Generation(
            "Android \(version)", ("X-LC-Prod", "1"), ("X-LC-Session", ""), id, json, ("X-LC-Sign", sign),
            ("User-Agent", "AVOS Cloud android-v\(version) SDK"), ("X-Android-RS", "1"),
            ("Content-Type", "application/json; charset=utf-8"))
    }

    /// Before 12, AVInstallation under the AVOS name; 3.4 has what 11.3 has.
    static let oldObjectiveC = [avosIOS("3.4.0"), avosIOS("11.3.0")]
    /// 12 has a name of its own for itself, 13 and 14 the classes named LC.
    static let newObjectiveC = [objectiveC("12.3.0"), objectiveC("13.0.0"), objectiveC("14.0.0")]
    static let swifts = [swift("15.0.0"), swift("17.3.0")]
    static let oldAndroids = [
        Generation(
            "Android 3.12", ("X-avoscloud-Application-Production", "1"), ("X-avoscloud-Application-Id", "giants"),
            ("X-avoscloud-Session-Token", ""), json, ("Content-Type", "application/json"),
            ("User-Agent", "AVOS Cloud android-v3.12 SDK"), ("x-avoscloud-request-sign", sign)),
        android("3.16.4"), android("4.6.4"),
    ]
    static let java = Generation(
        "Java and Android 5 to 8", ("X-LC-Prod", "1"), id, json, ("X-LC-Sign", sign),
        ("Content-Type", "application/json"), ("User-Agent", "AVOS Cloud Android-5.0.0 SDK"))
    static let cSharp = Generation(
        "C#", id, json, ("X-LC-Sign", sign), ("User-Agent", "LeanCloud-CSharp-SDK/0.4.0"),
        ("Content-Type", "application/json"))
    /// Its credentials stand in the body.
    static let oldJavaScript = Generation(
        "JavaScript 0.6", ("Content-Type", "text/plain"), ("Origin", "https://a.example"))
    static let javaScripts = [
        Generation(
            "JavaScript 1.5", id, ("X-LC-Sign", sign), ("X-LC-UA", "AV/1.5.0"),
            ("Content-Type", "application/json;charset=UTF-8"), ("Origin", "https://a.example")),
        Generation(
            "JavaScript 3.15", id, ("X-LC-Sign", sign), ("X-LC-UA", "LeanCloud-JS-SDK/3.15.0 (Browser)"),
            ("Content-Type", "application/json;charset=UTF-8"), ("Origin", "https://a.example")),
        Generation(
            "JavaScript 4.15", id, ("X-LC-Sign", sign), ("X-LC-UA", "LeanCloud-JS-SDK/4.15.0 (Browser)"),
            ("Content-Type", "application/json;charset=UTF-8"), ("Origin", "https://a.example")),
    ]
    /// Signs with seconds, of the instant that the tests begin at.
    static let php = Generation(
        "PHP", id, ("Content-Type", "application/json;charset=utf-8"), ("User-Agent", "LeanCloud PHP SDK 0.2.0"),
        ("X-LC-Prod", "1"), ("X-LC-Sign", "1ba712d781ff43d5b63e359832e862e2,1795262400"))
    static let go = Generation(
        "Go", id, ("X-LC-Key", TestServer.masterKey + ",master"),
        ("User-Agent", "LeanCloud-Golang-SDK/0.1.0 linux/go1.16"))
    static let pythons = [
        Generation(
            "Python 1.0", ("Content-Type", "application/json;charset=utf-8"), ("X-AVOSCloud-Application-Id", "giants"),
            ("X-AVOSCloud-Application-Production", "1"), ("User-Agent", "AVOS Cloud python-1.0.0 SDK"),
            ("X-AVOSCloud-Master-Key", TestServer.masterKey)),
        Generation(
            "Python 2.9", ("Content-Type", "application/json;charset=utf-8"), id, ("X-LC-Prod", "1"),
            ("User-Agent", "AVOS Cloud python-2.9.12 SDK (3.9)"), ("X-LC-Key", TestServer.masterKey + ",master")),
    ]
}
