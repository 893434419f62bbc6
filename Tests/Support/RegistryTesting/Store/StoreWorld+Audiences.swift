internal import Base
internal import DeviceRegistry
internal import Push

extension StoreWorld {
    private static let routes = [
        DeliveryRoute(profile: "shop", topic: "com.example.shop", isDefault: true),
        DeliveryRoute(profile: "driver", topic: "com.example.driver", isDefault: false),
    ]

    /// Devices of every kind: numbers below 100 are reached.
    private func registerAll() async throws {
        try await register(0..<5)
        try await register(5..<8, ["deviceProfile": "shop", "apnsTopic": "com.example.shop", "channels": ["news"]])
        try await register(8..<12, ["deviceProfile": "driver", "apnsTopic": "", "channels": ["news"]])
        try await fixture.register(
            [
                ["deviceType": "android", "installationId": "x", "channels": ["news"]],
                ["deviceType": "ios", "deviceToken": "no-token", "channels": ["news"]],
                ["deviceType": "ios", "deviceToken": "abc"],
            ], at: start)
        try await register([100, 101], ["valid": false, "channels": ["news"]])
        try await register([102], ["deviceProfile": "other"])
        try await register([103], ["apnsTopic": "com.example.driver", "channels": ["news"]])
        try await register([104], ["deviceProfile": "driver", "apnsTopic": "com.example.shop"])
        let stale: JSONValue = ["deviceType": "ios", "deviceToken": .string(Self.token(105))]
        try await fixture.register([stale], at: start.advanced(byDays: -91))
        // Another spelling of a token is no other device.
        let twin: JSONValue = ["deviceType": "ios", "deviceToken": .string(Self.token(7).uppercased())]
        try await fixture.register([twin], at: start)
    }

    func whatIsCountedIsFrozen() async throws {
        try await registerAll()
        let all = DeliveryAudience(selection: .condition([:]), routes: Self.routes)
        let figures = try await store.count(all, at: start)
        try expect(figures.devices, is: 12)
        try expect(
            figures.leftOut,
            is: [.android: 1, .otherPlatform: 2, .invalid: 2, .stale: 1, .otherProfile: 1, .otherTopic: 2])
        // One device of the list was seen 91 days ago.
        for (staleAfter, devices) in [(Duration.seconds(92 * 86_400), 13), (nil, 13), (.seconds(86_400), 12)] {
            var other = all
            other.staleAfter = staleAfter
            try expect(try await store.count(other, at: start).devices, is: devices)
            try expect(try await store.explain(other, at: start).devices, is: devices)
        }
        let frozen = try await store.freeze(Self.freeze(routes: Self.routes, batchSize: 3), under: lease)
        try expect(frozen.targets, is: 12)
        try expect(frozen.waiting, is: 12)
        try expect(frozen.leftOut, is: figures.leftOut)
        try expect(frozen.isFrozen && !frozen.isClosed && frozen.lastOutcomeAt == nil)
        try expect(try await self.figures(), is: frozen)
        try expect(Set(try await sendAll()), is: Set((0..<12).map(Self.token)))

        let news: DeliveryAudience.Selection = .condition(["channels": ["$in": ["news"]]])
        let some = try await store.count(DeliveryAudience(selection: news, routes: Self.routes), at: start)
        try expect(
            some, is: AudienceCount(devices: 7, leftOut: [.android: 1, .otherPlatform: 1, .invalid: 2, .otherTopic: 1]))
        let second = try await store.freeze(Self.freeze("second", news, routes: Self.routes), under: lease)
        try expect(second.targets, is: 7)
        // Without a default route, devices without a profile have none.
        let one = DeliveryAudience(selection: .condition([:]), routes: [Self.routes[1]])
        try expect(try await store.count(one, at: start).devices, is: 4)
        try await refused { _ = try await store.count(all.selecting(["$bad": 1]), at: start) }
    }

    func audiencesAreExplained() async throws {
        try await registerAll()
        try await register([20], ["deviceType": "watchos", "timeZone": "Asia/Shanghai"])
        try await register([21], ["timeZone": "Asia/Shanghai", "deviceProfile": ""])
        let odd = "\u{1B}[31m\"\\ 上海"
        try await register([22], ["timeZone": .string(odd), "deviceProfile": "driver"])
        try await register([23], ["timeZone": .string(String(repeating: "\u{1}", count: 65))])
        try await register([106], ["timeZone": "Asia/Shanghai", "valid": false])
        let oppo: JSONValue = [
            "deviceType": "android", "installationId": "oppo1", "vendor": "OPPO", "registrationId": "r1",
        ]
        try await fixture.register([oppo], at: start)
        let all = DeliveryAudience(selection: .condition([:]), routes: Self.routes)
        let breakdown = try await store.explain(all, at: start)
        try expect(breakdown.noWay, is: ["": 1, "oppo": 1])
        try expect(breakdown.withoutBreakdown, is: try await store.count(all, at: start))
        try expect(breakdown.platforms, is: ["ios": 15, "watchos": 1])
        try expect(breakdown.deviceProfiles, is: ["shop": 3, "driver": 5, "": 8])
        try expect(breakdown.timeZones, is: ["": 12, "Asia/Shanghai": 2, odd: 1])
        let news = DeliveryAudience(selection: .condition(["channels": "news"]), routes: [Self.routes[1]])
        let some = try await store.explain(news, at: start)
        try expect(some.withoutBreakdown, is: try await store.count(news, at: start))
        try expect(some.deviceProfiles, is: ["driver": 4])
        let none = DeliveryAudience(selection: .condition(["channels": "none"]), routes: Self.routes)
        try expect(
            try await store.explain(none, at: start), is: AudienceCount(devices: 0))
        // Devices that share two audiences bear no profile, or one of both: the empty name is a route of its own.
        let unnamed = DeliveryAudience(
            selection: .condition([:]),
            routes: [DeliveryRoute(profile: "", topic: "com.example.shop", isDefault: false)])
        try expect(try await store.explain(unnamed, at: start).deviceProfiles, is: ["": 8])
        try expect(try await store.count(unnamed, at: start).devices, is: 8)
        let named = DeliveryAudience(
            selection: .tokens([Self.token(20), Self.token(22), "beef"]), routes: Self.routes)
        let listed = try await store.explain(named, at: start)
        try expect(listed.withoutBreakdown, is: try await store.count(named, at: start))
        try expect(listed.deviceProfiles, is: ["": 2, "driver": 1])
        try expect(listed.timeZones, is: ["": 1, "Asia/Shanghai": 1, odd: 1])
        try await refused { _ = try await store.explain(all.selecting(["$bad": 1]), at: start) }
    }

    func whatConditionsMayNameIsTold() async throws {
        try expect(try await store.names().fields, is: [])
        try await register(0..<2, ["scores": true])
        try await register([2], ["level": 3])
        let names = try await store.names()
        try expect(names.fields.isSuperset(of: ["scores", "level"]) && !names.fields.contains("scroes"))
        try expect(names.classes, is: ["_Installation", "_User"])
    }

    /// As many names as devices, and one that half of them bear.
    func aFrequentNameIsFoundAmongMany() async throws {
        let devices = 3000
        for first in stride(from: 0, to: devices, by: 1000) {
            try await fixture.register(
                (first..<first + 1000).map { index in
                    let zone = index % 2 == 0 ? "Asia/Shanghai" : "Zone/\(index)"
                    return [
                        "deviceType": "ios", "deviceToken": .string(Self.token(index)), "timeZone": .string(zone),
                    ]
                }, at: start)
        }
        let all = DeliveryAudience(selection: .condition([:]), routes: Self.routes)
        let breakdown = try await store.explain(all, at: start)
        try expect(breakdown.devices, is: devices)
        try expect(breakdown.timeZones["Asia/Shanghai"], is: devices / 2)
        try expect(breakdown.timeZones.values.reduce(0, +) <= devices)
    }

    func namedTokensAreReached() async throws {
        try await registerAll()
        let named =
            [3, 3, 9, 100, 102, 104, 105].map(Self.token) + [
                Self.token(5).uppercased(), Self.token(5), "beef", "BEEF", "no-token", "abc", "",
            ]
        let selection = DeliveryAudience.Selection.tokens(named)
        let figures = try await store.count(
            DeliveryAudience(selection: selection, routes: Self.routes), at: start)
        try expect(figures.devices, is: 6)
        try expect(figures.leftOut, is: [.otherPlatform: 3, .otherProfile: 1, .otherTopic: 1])
        let frozen = try await store.freeze(Self.freeze(Self.delivery, selection, routes: Self.routes), under: lease)
        try expect(frozen.targets, is: 6)
        try expect(frozen.leftOut, is: figures.leftOut)
        var profiles: [String: String] = [:]
        while case .batch(let batch) = try await store.claim(from: Self.delivery, by: "run-1", under: lease) {
            for target in batch.targets { profiles[target.token] = batch.profile }
            try await settle(batch)
        }
        try expect(
            profiles,
            is: [
                Self.token(3): "shop", Self.token(9): "driver", Self.token(100): "shop", Self.token(105): "shop",
                Self.token(5): "shop", "beef": "shop",
            ])
    }

    func aFrozenAudienceStays() async throws {
        try await register(0..<15)
        let frozen = try await store.freeze(Self.freeze(), under: lease)
        try await register(15..<30)
        try expect(try await store.freeze(Self.freeze(batchSize: 7), under: lease), is: frozen)
        // A device that has another token by now is sent to under the one it had.
        try await fixture.register(
            [["deviceType": "ios", "installationId": "i", "deviceToken": .string(Self.token(40))]], at: start)
        _ = try await store.freeze(Self.freeze("second"), under: lease)
        try await fixture.register(
            [["deviceType": "ios", "installationId": "i", "deviceToken": .string(Self.token(41))]], at: start)
        try expect(Set(try await sendAll()), is: Set((0..<15).map(Self.token)))
        try expect(Set(try await sendAll("second")), is: Set(((0..<30) + [40]).map(Self.token)))
        try await refused {
            var other = Self.freeze()
            other.workspace = "other"
            _ = try await store.freeze(other, under: nil)
        }
        for size in [0, 1001] {
            try await refused { _ = try await store.freeze(Self.freeze("third", batchSize: size), under: lease) }
        }
        try await refused { _ = try await store.claim(from: "never", by: "run-1", under: lease) }
        try expect(try await store.journal(of: "never") == nil)
    }

    func aCutFreezeIsCompleted() async throws {
        try await register(0..<300)
        let (store, lease) = (store, lease)
        for _ in 0..<4 {
            let cut = Task { try await store.freeze(Self.freeze(batchSize: 1), under: lease) }
            await Task.yield()
            cut.cancel()
            _ = try? await cut.value
            if let figures = try await store.journal(of: Self.delivery), !figures.isFrozen {
                try await refused { _ = try await store.claim(from: Self.delivery, by: "run-1", under: lease) }
            }
        }
        let frozen = try await store.freeze(Self.freeze(batchSize: 100), under: lease)
        try expect(frozen.targets, is: 300)
        try expect(frozen.isFrozen)
        try expect(try await sendAll().sorted(), is: (0..<300).map(Self.token).sorted())
    }

    func anAudienceOfAnotherSizeThanAllowedLeavesNothing() async throws {
        try await register(0..<300)
        try await register(300..<303, ["valid": false])
        for allowed in [0..<300, 0..<1, 301..<Int.max] {
            for size in [1, 100] {
                var freeze = Self.freeze(batchSize: size, raisesBadges: true)
                freeze.allowed = allowed
                freeze.events = EventRetention(keep: .seconds(60))
                let figures = try await store.freeze(freeze, under: lease)
                try expect(figures, is: JournalFigures(targets: 300, leftOut: [.invalid: 3], isFrozen: false))
                try await refused { _ = try await store.claim(from: Self.delivery, by: "run-1", under: lease) }
                try expect(try await store.journal(of: Self.delivery) == nil)
                try expect(try await store.events(of: Self.delivery) == nil)
            }
        }
        var freeze = Self.freeze(batchSize: 100)
        freeze.allowed = 300..<301
        try expect(try await store.freeze(freeze, under: lease).targets, is: 300)
        // What is frozen was checked when it was.
        freeze.allowed = 1..<2
        try expect(try await store.freeze(freeze, under: lease).targets, is: 300)
        try expect(try await sendAll().count, is: 300)
    }

    func batchesHaveOneTopic() async throws {
        try await register(0..<25, ["deviceProfile": "driver"])
        try await register(25..<50)
        _ = try await store.freeze(Self.freeze(routes: Self.routes), under: lease)
        var numbers: Set<Int> = []
        while case .batch(let batch) = try await store.claim(from: Self.delivery, by: "run-1", under: lease) {
            try expect(batch.targets.count <= 10 && !batch.targets.isEmpty)
            try expect(batch.number >= 1 && numbers.insert(batch.number).inserted)
            let drivers = Set((0..<25).map(Self.token))
            try expect(batch.targets.allSatisfy { drivers.contains($0.token) == (batch.profile == "driver") })
            try expect(batch.targets.allSatisfy { $0.badge == nil && $0.attempts == 0 })
            try await settle(batch)
        }
        try expect(try await figures().accepted, is: 50)
    }

    func installationsAreSurveyed() async throws {
        try await registerAll()
        let survey = try await store.survey(channels: ["news", "none"], profiles: ["driver", "none"])
        // Two spellings of a token may be two installations, or one.
        try expect([21, 22].contains(survey.size))
        try expect(
            survey,
            is: InstallationSample(
                size: survey.size, channels: ["news": 12], deviceProfiles: ["shop": 3, "driver": 5, "other": 1],
                subscribers: ["news": 12, "none": 0], bearers: ["driver": 5, "none": 0]))
    }
}

extension AudienceCount {
    /// The same without what only a breakdown tells.
    var withoutBreakdown: AudienceCount { AudienceCount(devices: devices, doubts: doubts, leftOut: leftOut) }
}

extension DeliveryAudience {
    /// The same routes for others.
    fileprivate func selecting(_ condition: JSONValue) -> DeliveryAudience {
        DeliveryAudience(selection: .condition(condition), routes: routes)
    }
}
