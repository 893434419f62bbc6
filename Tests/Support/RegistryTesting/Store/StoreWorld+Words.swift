internal import Base
internal import DeviceRegistry
internal import Push

/// Devices of one delivery that get different words.
extension StoreWorld {
    private static let words = AudienceWords(
        languageField: "language", languages: ["ar", "zh-Hans"],
        forms: [
            AudienceWords.Form(bytes: 50, values: [PersonalValue(field: "firstName", default: "there")]),
            AudienceWords.Form(bytes: 60, values: []),
            AudienceWords.Form(
                bytes: 40,
                values: [
                    PersonalValue(field: "firstName", default: "您"), PersonalValue(field: "points", default: "0"),
                    PersonalValue(field: "story", default: ""),
                ], payloadValues: 2),
        ], limit: 100)

    /// A value that only other services' messages have: Apple's payload does not grow by it.
    private static let story = String(repeating: "y", count: 90)

    func wordsAreFrozenWithTheirDevices() async throws {
        try await register([0], ["language": "en-US", "firstName": "Anna\"\u{202E}"])
        try await register([1], ["language": "zh_CN", "firstName": 7, "points": 2.5, "story": .string(Self.story)])
        try await register([2], ["language": "ar", "firstName": "Anna"])
        try await register([3], ["language": ["zh-Hans"], "firstName": " "])
        try await register([4], ["firstName": .string(String(repeating: "x", count: 60))])
        try await register([5])
        var freeze = Self.freeze()
        freeze.audience.words = Self.words
        let breakdown = try await store.explain(freeze.audience, at: try await store.now())
        try expect([breakdown.devices, breakdown.leftOut[.tooLarge] ?? 0], is: [5, 1])
        let words = try require(breakdown.words)
        try expect(words.fallback, is: 3)
        try expect(words.languages, is: ["ar": 1, "zh-Hans": 1])
        try expect(words.values, is: ["firstName": 3, "points": 1, "story": 1])
        try expect(breakdown.excess, is: 110)
        _ = try await store.freeze(freeze, under: lease)
        try expect(try await figures().leftOut[.tooLarge], is: 1)
        // What a device says of itself later does not count.
        try await register(0..<6, ["language": "ar", "firstName": "Zoe"])
        let expected: [String: (form: Int, texts: [String])] = [
            Self.token(0): (0, ["Anna\"\u{202E}"]), Self.token(1): (2, ["7", "2.5", Self.story]),
            Self.token(2): (1, []),
            Self.token(3): (0, ["there"]), Self.token(5): (0, ["there"]),
        ]
        let soon = try await store.now().advanced(bySeconds: 60)
        for attempt in 0..<2 {
            var seen = 0
            while case .batch(let batch) = try await store.claim(from: Self.delivery, by: "run-1", under: lease) {
                for target in batch.targets {
                    let device = try require(expected[target.token])
                    try expect(batch.form, is: device.form)
                    try expect(target.texts, is: device.texts)
                    seen += 1
                }
                let again = batch.targets.indices.map {
                    TargetFailure(index: $0, ending: .again(after: soon), reason: "TooManyRequests")
                }
                try await settle(batch, attempt == 0 ? again : [])
            }
            try expect(seen, is: expected.count)
            try await fixture.advance(seconds: 90)
        }
        try expect(try await figures().accepted, is: 5)
    }
}
