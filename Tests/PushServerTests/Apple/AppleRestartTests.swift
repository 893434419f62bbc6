import Base
import Delivery
import Foundation
import ProgramTesting
import Push
import PushServer
import RegistryTesting
import Synchronization
import Testing

@testable import APNsSimulator
@testable import DeviceRegistry

/// Pushes to Apple that outlive the server.
@Suite struct AppleRestartTests {
    @Test func aServerThatIsStoppedInTheMiddleIsGoneOnWithAndHoldsUpNothing() async throws {
        let count = 1200
        let registry = try await Registry.test()
        try await AppleWorld.fill(registry, count)
        try await AppleWorld.run(registry: registry) { (world) async throws in
            world.apple.acceptEveryToken()
            // Until the first answer a connection has one stream.
            try await world.push(
                ["device_type": "ios", "device_ids": ["bb"], "data": ["alert": "y"]], to: "/push/devices")
            // Not more than the streams of two connections are under way then.
            world.apple.holdAnswers()
            async let answer = world.server.call("POST", "/push", ["data": ["alert": "x"]])
            await world.apple.wait { $0.processed > 100 }
            try await world.server.device("aa")
            let page = try await world.server.consoleEvents(cookie: try await world.server.consoleCookie())
            async let ending = world.server.server.stop()
            // Open pages hear of the stop once deliveries have.
            while try await page.next() != nil {}
            await world.apple.release()
            let isComplete = await ending
            #expect(isComplete)
            let id = try #require(try await answer.body["objectId"]?.string)
            #expect(try await registry.applePush(objectID: id) != nil)
            let before = world.apple.statistics.processed
            #expect(before < count)
            let second = try await world.another(on: registry)
            try await world.expectEnd(of: id, at: second, on: registry, devices: count)
        }
    }

    @Test func aPushWaitsWhileAppleCannotBeReached() async throws {
        let outage = Outage()
        try await AppleWorld.run(configure: { outage.begin(in: &$0) }) { (world) async throws in
            let token = try await world.device(1)
            async let record = world.push(["data": ["alert": "x"]])
            await world.server.waitUntil { outage.tries > 2 }
            #expect(world.apple.deliveries(to: token) == 0)
            // Its record says so.
            let records = try await world.server.call("GET", "/notifications").body["results"]?.array
            #expect(records?.first?["status"] == "in-queue")
            #expect(records?.first?["waiting"]?.string?.isEmpty == false, "\(records ?? [])")
            #expect(records?.first?["waitingFor"] == "apns", "\(records ?? [])")
            outage.end()
            #expect(try await record["iosSuccesses"] == 1)
            #expect(try await record["waiting"] == nil)
            #expect(world.apple.deliveries(to: token) == 1)
        }
    }

    @Test func pushesWhoseDevicesWaitForAnotherTryHoldUpNoOther() async throws {
        try await AppleWorld.run { (world) async throws in
            world.apple.add(Fault(.refuse(.serviceUnavailable), limit: 8))
            func request(to token: String) -> JSONValue {
                ["where": ["deviceToken": .string(token)], "data": ["alert": "x"]]
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    let members = request(to: try await world.device(number))
                    group.addTask { [server = world.server] in _ = try await server.call("POST", "/push", members) }
                }
                try await group.waitForAll()
            }
            try await eventually { world.apple.statistics.requests == 8 }
            let token = try await world.device(9)
            #expect(try await world.push(request(to: token))["status"] == "done")
            #expect(world.apple.deliveries(to: token) == 1)
            try await eventually {
                let records = try await world.server.call("GET", "/notifications").body["results"]?.array ?? []
                return records.count { $0["waiting"] != nil } == 8
            }
        }
    }

    @Test func aPushThatIsDamagedKeepsNoneBackThatHadBegun() async throws {
        try await AppleWorld.run(allowsFaults: true) { (world) async throws in
            let registry = world.server.registry
            let token = try await world.device(1)
            func accept(_ id: String, at fireAt: Instant?) async throws -> String {
                let order = PushOrder(
                    notificationID: id, requestID: nil, audience: .query([:]), data: ["alert": "x"],
                    environment: "prod", incrementsBadge: false, fireAt: fireAt, expiresAt: nil)
                return try await registry.accept(order, at: .system).objectID
            }
            _ = try await accept("damaged", at: Instant.system.advanced(bySeconds: 86_400))
            _ = try await registry.write { db in
                try db.execute("UPDATE push SET state = 'queued', request = '{'", [])
            }
            let begun = try await accept("begun", at: nil)
            try await registry.deliver(objectID: begun, by: .services([.apns]), at: .system)
            try await world.server.advance(1)
            try await eventually { try await registry.applePush(objectID: begun) == nil }
            #expect(world.apple.deliveries(to: token) == 1)
        }
    }

    @Test func aServiceThatIsRenewedWhileAPushWaitsSendsItOnce() async throws {
        let (outage, closed) = (Outage(), StopSignal())
        try await AppleWorld.run(
            configure: {
                outage.begin(in: &$0)
                $0.apple?.close = { closed.raise() }
            }
        ) { (world) async throws in
            let tokens = [try await world.device(1), try await world.device(2)]
            async let record = world.push(["data": ["alert": "x"]])
            await world.server.waitUntil { outage.tries > 2 }
            world.server.server.use(AppleService(profiles: world.profiles, senders: world.pool.senders()))
            let tries = outage.tries
            await world.server.waitUntil { outage.tries > tries }
            // The push still needs the one before.
            #expect(!closed.isRaised)
            outage.end()
            #expect(try await record["iosSuccesses"] == 2)
            await world.server.waitUntil { closed.isRaised }
            #expect(try await world.push(["data": ["alert": "y"]])["iosSuccesses"] == 2)
            for token in tokens { #expect(world.apple.deliveries(to: token) == 2) }
        }
    }

    @Test func kill9InTheMiddleSendsToNobodyTwiceAndForgetsNobody() async throws {
        let count = 15_000
        var configuration = SimulatorConfiguration()
        configuration.acceptsEveryToken = true
        configuration.recording = .counts
        try await APNsSimulator.with(configuration) { apple in
            try await inFolder { (folder) async throws in
                let data = folder.appending(path: "d.sqlite")
                let registry = try Registry.test(at: data.path)
                _ = try await registry.seed(devices: count, at: .system)
                registry.close()
                let options = try Self.workspace(in: folder, apple)
                apple.add(Fault(.delay(milliseconds: 40)))
                let first = try await Program.start(data: data, options)
                async let answer = first.call("POST", "/push", ["data": ["alert": "x"], "notification_id": "n1"])
                await apple.wait { $0.processed > 300 }
                first.kill()
                _ = try await first.ending
                _ = try? await answer
                let second = try await Program.start(data: data, options)
                defer { second.kill() }
                var record: JSONValue = [:]
                try await eventually {
                    record = try await second.call("GET", "/notifications/n1").body
                    return record["status"] == "done" || record["status"] == "error"
                }
                // At most two batches are in doubt.
                try KilledCopiesTests.expectOnce(record, apple, mostDoubtful: 2000)
            }
        }
    }

    /// The files of a workspace with one profile, and the options that name them.
    static func workspace(
        in folder: URL, _ apple: APNsSimulator, profile: String = "", key: String? = nil
    ) throws -> [String] {
        let signing = ProviderSigningKey()
        apple.register(signing.registered)
        // The key first: a server that looks in between must not find other profiles with the key before.
        let files = [
            ("key.p8", key ?? signing.pem), ("apple.pem", try apple.identity.authorityPEM),
            (
                "bugle.yaml",
                """
                kind: Workspace
                name: giants
                remotes:
                  here: {type: leancloud, url: 'http://127.0.0.1:1', appId: giants, masterKey: {env: BUGLE_SERVER_KEY}}

                """
            ),
            (
                "profiles.yaml",
                """
                kind: DeviceProfile
                name: app
                environment: production
                topic: com.example.app
                default: true
                token:
                  teamId: \(signing.team)
                  keyId: \(signing.id)
                  key: {file: key.p8}
                \(profile)
                """
            ),
        ]
        let workspace = folder.appending(path: "workspace")
        try FileManager.default.createDirectory(at: workspace, withIntermediateDirectories: true)
        for (name, text) in files {
            try Data(text.utf8).write(to: workspace.appending(path: name), options: .atomic)
        }
        return [
            "--workspace", workspace.path, "--apple-production", "127.0.0.1:\(apple.port)", "--apple-ca",
            workspace.appending(path: "apple.pem").path,
        ]
    }

    @Test func theWorkspaceIsReadAgainOnSIGHUPAndWhenAFileChanges() async throws {
        try await APNsSimulator.with { apple in
            try await inFolder { (folder) async throws in
                func more(_ name: String) -> String {
                    """
                    ---
                    kind: DeviceProfile
                    name: \(name)
                    environment: production
                    topic: com.example.\(name)
                    token: {teamId: ABCDE12345, keyId: F4K3K3Y1D0, key: {file: key.p8}}
                    """
                }
                let options = try Self.workspace(in: folder, apple)
                let log = folder.appending(path: "log")
                let program = try await Program.start(
                    data: folder.appending(path: "d.sqlite"), options, log: log.path)
                defer { program.kill() }
                func mistakes() throws -> Int {
                    try String(contentsOf: log, encoding: .utf8).split(separator: "the workspace stays as it was").count
                        - 1
                }
                func profiles() async throws -> JSONValue? {
                    try await program.call("GET", "/bugle/server").body["deviceProfiles"]
                }
                #expect(try await profiles() == ["app"])
                _ = try Self.workspace(in: folder, apple, profile: more("asked"))
                program.send(SIGHUP)
                try await eventually { try await profiles() == ["app", "asked"] }
                // Neither a mistake nor a credential that is gone changes anything.
                _ = try Self.workspace(in: folder, apple, profile: more("wrong"), key: "garbage")
                program.send(SIGHUP)
                try await eventually { try mistakes() > 0 }
                #expect(try await profiles() == ["app", "asked"])
                let before = try mistakes()
                try FileManager.default.removeItem(at: folder.appending(path: "workspace/key.p8"))
                program.send(SIGHUP)
                try await eventually { try mistakes() > before }
                #expect(try await profiles() == ["app", "asked"])
                _ = try Self.workspace(in: folder, apple, profile: more("noticed"))
                try await eventually { try await profiles() == ["app", "noticed"] }
                let token = AppleWorld.token(1)
                try apple.register(token: token, topic: "com.example.app")
                _ = try await program.call(
                    "POST", "/installations", ["deviceType": "ios", "deviceToken": .string(token)])
                _ = try await program.call("POST", "/push", ["data": ["alert": "x"]])
                try await eventually { apple.deliveries(to: token) > 0 }
            }
        }
    }

    @Test func aWorkspaceIsCheckedBeforeTheServerStarts() async throws {
        try await APNsSimulator.with { apple in
            try await inFolder { (folder) async throws in
                let data = folder.appending(path: "d.sqlite").path
                func check(_ options: [String]) async throws -> (status: Int32, output: String, errors: String) {
                    try await Program.run(["check", "--data", data, "--app-id", "giants"] + options)
                }
                let good = try await check(Self.workspace(in: folder, apple))
                #expect(good.status == 0, "\(good.errors)")
                #expect(good.errors.isEmpty)
                #expect(good.output.hasSuffix("reached by app; other devices are not reached\n"), "\(good.output)")
                let garbage = try await check(Self.workspace(in: folder, apple, key: "secret garbage"))
                #expect(garbage.status == 3)
                #expect(garbage.errors.contains("profiles.yaml:9:8"), "\(garbage.errors)")
                #expect(!garbage.errors.contains("garbage"))
                let absent = try await check(
                    Self.workspace(
                        in: folder, apple,
                        profile: """
                            ---
                            kind: DeviceProfile
                            name: absent
                            environment: development
                            topic: com.example.app
                            token: {teamId: ABCDE12345, keyId: F4K3K3Y1D0, key: {env: NOT_SET}}
                            """))
                #expect(absent.status == 0, "\(absent.errors)")
                #expect(absent.errors.contains("absent"))
                #expect(absent.errors.contains("NOT_SET"))
                let nowhere = try await check(["--workspace", folder.appending(path: "nowhere").path])
                #expect(nowhere.status == 3)
                #expect(nowhere.errors.contains("nowhere"))
            }
        }
    }
}

/// Apple is out of reach, and every other service.
final class Outage: Sendable {
    private let state = Mutex((isOver: false, tries: 0))

    var tries: Int { state.withLock { $0.tries } }

    /// Cuts a server off from Apple, which tries again at once.
    func begin(in configuration: inout PushServerConfiguration) {
        guard let service = configuration.apple else { return }
        configuration.apple?.senders = OutageSenders(senders: service.senders, outage: self)
        configuration.apple?.settings = DeliverySettings(retries: 0)
        configuration.apple?.retryPause = Backoff(first: .milliseconds(10), longest: .milliseconds(320))
    }

    func end() { state.withLock { $0.isOver = true } }

    /// Whether a batch gets through.
    func isOver() -> Bool {
        state.withLock { state in
            state.tries += 1
            return state.isOver
        }
    }
}

private struct OutageSenders: SenderProviding {
    let senders: any SenderProviding
    let outage: Outage

    func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
        OutageSender(sender: try await senders.sender(for: profile), outage: outage)
    }
}

private struct OutageSender: NotificationSending {
    let sender: any NotificationSending
    let outage: Outage

    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict] {
        guard !outage.isOver() else { return await sender.send(notification, to: targets, through: gate) }
        return targets.map { _ in .notSent(.noBodyGiven("no connection")) }
    }

    func close() async {}
}
