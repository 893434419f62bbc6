extension Fact {
    private static let path = "POST /installations"
    private static let spellings = [
        "0A1B2C3D4E5F", "<0a1b2c3d 4e5f>", "<0A1B2C3D 4E5F>", " 0a1b2c3d4e5f ", "0a1b2c3d 4e5f",
    ]

    private static func apple(_ token: String, _ more: String = "") -> String {
        #"{"deviceType":"ios","deviceToken":"\#(token)"\#(more)}"#
    }

    /// Section 2.2: the spellings of one device's token, which old apps took from how the system shows its bytes.
    static let tokens: [Fact] =
        spellings.flatMap { spelling in
            [
                Fact(
                    "2.2", "the token '\(spelling)' is kept as SDKs send it",
                    Step(path, apple(spelling), as: .app, 201, has: #"{"objectId":"$id"}"#),
                    Step("GET /installations/$id", has: #"{"deviceToken":"0a1b2c3d4e5f"}"#),
                    Step(path, apple("0a1b2c3d4e5f", #","n":1"#), as: .app, has: #"{"objectId":"$id"}"#),
                    Step(path, apple(spelling, #","n":2"#), as: .app, has: #"{"objectId":"$id"}"#),
                    Step(path, #"{"deviceToken":"\#(spelling)","n":3}"#, as: .app, has: #"{"objectId":"$id"}"#),
                    Step("GET /installations?count=1", has: #"{"count":1,"results":[{"n":3}]}"#)),
                Fact(
                    "2.2", "the token '\(spelling)' is meant by a PUT, a where and a list",
                    Step(path, apple("t", #","installationId":"i""#), as: .app, 201, has: #"{"objectId":"$id"}"#),
                    Step(
                        "PUT /installations/$id?fetchWhenSave=true", #"{"deviceToken":"\#(spelling)"}"#, as: .app,
                        has: #"{"deviceToken":"0a1b2c3d4e5f"}"#),
                    Step(
                        #"GET /installations?where={"deviceToken":"\#(spelling)"}"#,
                        has: #"{"results":[{"objectId":"$id"}]}"#),
                    Step(
                        #"GET /installations?where={"deviceToken":{"$in":["x","\#(spelling)"]}}"#,
                        has: #"{"results":[{"objectId":"$id"}]}"#),
                    Step(
                        #"GET /installations?where={"deviceToken":{"$ne":"\#(spelling)"}}"#, has: #"{"results":[]}"#),
                    Step(
                        "POST /push/devices",
                        #"{"device_type":"ios","device_ids":["\#(spelling)","0a1b2c3d4e5f"],"data":{"alert":"x"}}"#),
                    .inbox("0a1b2c3d4e5f", #"{"alert":"x"}"#)),
            ]
        } + [
            Fact(
                "2.2", "what shows bytes and is no token is refused: 114",
                steps: ["<>", "<0a1b 2c3x>", "x y", "{length=32,bytes=0x0a1b2c3d...4e5f}"].map {
                    Step.refused(path, apple($0), as: .app, 400, code: 114)
                } + [Step("GET /installations", is: #"{"results":[]}"#)]),
            Fact(
                "2.2", "what is not hexadecimal stays as it is",
                Step(path, apple("Some-Token"), 201, has: #"{"objectId":"$id"}"#),
                Step("GET /installations/$id", has: #"{"deviceToken":"Some-Token"}"#)),
            Fact(
                "2.2", "other platforms' tokens stay as they are",
                Step(path, #"{"deviceType":"android","deviceToken":"ABCD"}"#, 201, has: #"{"objectId":"$id"}"#),
                Step("GET /installations/$id", has: #"{"deviceToken":"ABCD"}"#)),
            Fact(
                "2.2", "\(Self.inAFile)other platforms' tokens differ by their case",
                Step(path, #"{"deviceType":"android","deviceToken":"ABCD"}"#, 201),
                Step(path, #"{"deviceType":"android","deviceToken":"abcd"}"#, 201),
                Step("GET /installations?count=1&limit=0", has: #"{"count":2}"#)),
        ]
}
