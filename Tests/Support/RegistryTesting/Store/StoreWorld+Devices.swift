internal import Base
internal import DeviceRegistry
internal import Push

extension StoreWorld {
    func badgesAreRaisedOnce() async throws {
        try await register(0..<2, ["badge": 6])
        try await register([2])
        let tokens = (0..<4).map(Self.token)
        _ = try await store.freeze(
            Self.freeze(Self.delivery, .tokens(tokens), raisesBadges: true), under: lease)
        try expect(try await fixture.device(tokens[0])?["badge"], is: 6)
        let first = try await claim()
        func badges(_ batch: JournalBatch) -> [String: Int?] {
            Dictionary(uniqueKeysWithValues: batch.targets.map { ($0.token, $0.badge) })
        }
        let raised = [tokens[0]: 7, tokens[1]: 7, tokens[2]: 1, tokens[3]: 1]
        try expect(badges(first), is: raised.mapValues { $0 })
        let seen = try await fixture.lastSeen(tokens[0])
        try expect(seen, is: start)
        try expect(try await fixture.device(tokens[0])?["badge"], is: 7)
        try await settle(
            first,
            first.targets.indices.map { TargetFailure(index: $0, ending: .again(after: start), reason: "Shutdown") })
        // Each was answered: nobody may have got it.
        try expect(try await figures().resent, is: 0)
        let second = try await claim()
        try expect(badges(second), is: raised.mapValues { $0 })
        try await store.giveUp(Self.delivery, claimedBefore: start.advanced(byDays: 1), under: lease)
        try await store.reopenDoubtful(Self.delivery, under: lease)
        let third = try await claim()
        try expect(badges(third), is: raised.mapValues { $0 })
        try expect(third.targets.map(\.attempts), is: [1, 1, 1, 1])
        try await settle(third)
        try expect(try await fixture.device(tokens[1])?["badge"], is: 7)
        _ = try await store.freeze(Self.freeze("second", raisesBadges: true), under: lease)
        try expect(badges(try await claim("second"))[tokens[0]], is: 8)
    }

    func deadTokensAreMarked() async throws {
        try await fixture.register(
            (0..<5).map {
                [
                    "deviceType": "ios", "installationId": .string("i\($0)"), "deviceToken": .string(Self.token($0)),
                    "badge": 3,
                ]
            }, at: start)
        let tokens = (0..<5).map(Self.token)
        // Nobody says that one of them is valid, and it is reached all the same.
        let silent: JSONValue = ["deviceType": "ios", "installationId": "i1", "valid": ["__op": "Delete"]]
        try await fixture.register([silent], at: start)
        try expect(try await fixture.device(tokens[1])?["valid"] == nil)
        _ = try await store.freeze(Self.freeze(Self.delivery, .tokens(tokens)), under: lease)
        let batch = try await claim()
        // One device gets another token meanwhile.
        try await fixture.register(
            [["deviceType": "ios", "installationId": "i4", "deviceToken": .string(Self.token(9))]], at: start)
        let endings: [String: TargetFailure.Ending] = [
            tokens[0]: .dead(since: start.advanced(bySeconds: 5)), tokens[1]: .dead(since: nil),
            tokens[2]: .dead(since: start.advanced(bySeconds: -5)), tokens[3]: .refused, tokens[4]: .dead(since: nil),
        ]
        try await settle(
            batch,
            try batch.targets.indices.map {
                TargetFailure(
                    index: $0, ending: try require(endings[batch.targets[$0].token]), reason: "Unregistered")
            })
        try expect(try await figures().refused, is: ["Unregistered": 5])
        let valid: [Bool?] = try await [
            tokens[0], tokens[1], tokens[2], tokens[3], Self.token(9),
        ].mapEach { try await fixture.device($0)?["valid"]?.bool }
        try expect(valid, is: [false, false, true, true, true])
        try expect(try await fixture.device(tokens[0])?["badge"], is: 3)
        try expect(try await fixture.lastSeen(tokens[0]), is: start)
        let all = DeliveryAudience(selection: .condition([:]), routes: [Self.route])
        try expect(
            try await store.count(all, at: start), is: AudienceCount(devices: 3, leftOut: [.invalid: 2]))
        // Apple gave the app another token: the device is alive.
        try await fixture.register(
            [["deviceType": "ios", "installationId": "i0", "deviceToken": .string(Self.token(10))]], at: start)
        try expect(try await fixture.device(Self.token(10))?["valid"], is: true)
        // As is one whose app comes with the same token anew; an app that says nothing of its token proves nothing.
        for (members, valid) in [([:], false), (["deviceToken": .string(tokens[1])], true)] as [(JSONValue, Bool)] {
            var device: JSONValue = ["deviceType": "ios", "installationId": "i1"]
            for (key, value) in members.object ?? [:] { device[key] = value }
            try await fixture.register([device], at: start)
            try expect(try await fixture.device(tokens[1])?["valid"]?.bool, is: valid)
        }
        try expect(
            try await store.count(all, at: start), is: AudienceCount(devices: 5, leftOut: [:]))
    }

    func onlyProvenTokensAreMarked() async throws {
        let tokens = (0..<4).map(Self.token)
        try await fixture.register(
            (0..<4).map {
                ["deviceType": "ios", "installationId": .string("i\($0)"), "deviceToken": .string(tokens[$0])]
            }, at: start)
        func bad(_ delivery: String, _ environment: String) async throws -> [Bool?] {
            _ = try await store.freeze(Self.freeze(delivery, environment: environment), under: lease)
            let batch = try await claim(delivery)
            try await settle(
                batch,
                batch.targets.indices.map {
                    TargetFailure(index: $0, ending: .deadIfProven, reason: "BadDeviceToken")
                })
            return try await tokens.mapEach { try await fixture.device($0)?["valid"]?.bool }
        }
        try expect(try await bad("first", "production"), is: [true, true, true, true])
        // All but one are accepted.
        _ = try await store.freeze(Self.freeze("second"), under: lease)
        let batch = try await claim("second")
        let place = try require(batch.targets.firstIndex { $0.token == tokens[3] })
        try await settle(batch, [TargetFailure(index: place, ending: .refused, reason: "BadTopic")])
        try expect(try await bad("third", "development"), is: [true, true, true, true])
        // One of the proven devices has another token since, which is not proven.
        try await fixture.register(
            [["deviceType": "ios", "installationId": "i1", "deviceToken": .string(Self.token(9))]], at: start)
        try expect(try await bad("fourth", "production"), is: [false, nil, false, true])
        try expect(try await fixture.device(Self.token(9))?["valid"], is: true)
        // Now the new one is proven, too.
        _ = try await store.freeze(Self.freeze("fifth"), under: lease)
        _ = try await sendAll("fifth")
        _ = try await bad("sixth", "production")
        try expect(try await fixture.device(Self.token(9))?["valid"], is: false)
        try expect(try await fixture.device(tokens[3])?["valid"], is: false)
    }
}

extension Array {
    /// The results of asking for each, one after the other.
    fileprivate func mapEach<Result>(_ body: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
