import Base
import BaseTesting
import DeliveryTesting
import DeviceRegistry
import ProgramTesting
import Push
import Synchronization
import Testing

@testable import Delivery

@Suite struct AnswerTests {
    @Test func aDeadTokenIsMarkedAndTheOthersGoOn() async throws {
        let world = try await World(
            devices: 100,
            FakeApple { token, _ in token == World.token(3) ? .refuse(410, "Unregistered") : .accept })
        let figures = try #require(try await world.run().figures)
        #expect(figures.refused == ["Unregistered": 1])
        #expect(figures.accepted == 99)
        #expect(try await world.invalid == [World.token(3)])
    }

    @Test(arguments: [(400, "MoonPhase"), (410, "MoonPhase"), (429, "HTTP 429"), (200, "BadDeviceToken"), (204, "")])
    func anAnswerWithoutAReasonOfApplesProvesNothingAndTheTokenStays(status: Int, word: String) async throws {
        let world = try await World(
            devices: 10, FakeApple { token, _ in token == World.token(3) ? .refuse(status, word) : .accept })
        let figures = try #require(try await world.run().figures)
        #expect(figures.inDoubt == 1)
        #expect(figures.accepted == 9)
        #expect(world.apple.requests == 10)
        #expect(try await world.invalid.isEmpty)
    }

    @Test(arguments: [(500, ""), (500, "HTTP 500"), (503, "HTTP 503"), (504, "HTTP 504"), (500, "ServiceUnavailable")])
    func aServerErrorWithoutItsReasonMayHaveBeenActedOnAndIsNeverSentAgain(status: Int, word: String) async throws {
        let world = try await World(
            devices: 20,
            FakeApple { token, _ in token == World.token(3) ? .takenAndAnswered(status, word) : .accept })
        #expect(try await world.run().figures?.inDoubt == 1)
        #expect(try await world.run(run: "second").figures?.inDoubt == 1)
        world.clock.advance(.seconds(3000))
        #expect(try await world.run(run: "third").figures?.accepted == 19)
        #expect(world.apple.requests == 20)
        #expect(world.apple.received[World.token(3)] == 1)
    }

    @Test func aWrongEnvironmentStopsTheDeliveryAndWipesNothing() async throws {
        let world = try await World(devices: 5000, FakeApple { _, _ in .refuse(400, "BadDeviceToken") })
        #expect(try await world.run().stopBeforeSending?.kind == "wrongEnvironment")
        // What is under way when the judgement falls ends; nothing new starts.
        #expect(world.apple.requests <= 210)
        #expect(try await world.invalid.isEmpty)
    }

    @Test func whatIsCalledAWrongEnvironmentByTheLastAnswerHasEnded() async throws {
        // Of 238 answers 48 are more than a fifth; of 237, 47 are not.
        let world = try await World(
            devices: 238, FakeApple { _, request in request <= 190 ? .accept : .refuse(400, "BadDeviceToken") })
        let figures = try #require(try await world.run().figures)
        #expect(figures.accepted == 190 && figures.refused == ["BadDeviceToken": 48] && figures.isClosed)
        #expect(try await world.run(run: "second").figures?.accepted == 190)
        #expect(world.apple.requests == 238)
        #expect(try await world.invalid.isEmpty)
    }

    @Test func badTokensAreMarkedOnceTheEnvironmentIsKnownToBeRight() async throws {
        let world = try await World(
            devices: 3000,
            FakeApple { token, _ in token == World.token(2500) ? .refuse(400, "BadDeviceToken") : .accept })
        #expect(try await world.run().figures?.refused == ["BadDeviceToken": 1])
        #expect(try await world.invalid == [World.token(2500)])
    }

    @Test(arguments: ["InvalidProviderToken", "ExpiredProviderToken"])
    func aRefusalOfTheWholeDeliveryStopsItBeforeTheSecondDevice(reason: String) async throws {
        let world = try await World(devices: 2000, FakeApple { _, _ in .refuse(403, reason) })
        let known = try #require(APNsReason(word: reason))
        #expect(try await world.run() == .nothingSent(.refused(.apple(known))))
        #expect(world.apple.requests <= 2)
        #expect(try await world.figures?.waiting == 2000)
    }

    @Test func aRefusalOfTheWholeDeliveryLeavesTheRestToTheNextRun() async throws {
        let world = try await World(
            devices: 2000,
            FakeApple { _, request in request == 1500 ? .refuse(403, "InvalidProviderToken") : .accept })
        #expect(try await world.run().stopWhileSending?.kind == "refused")
        #expect(try await world.run(run: "second").figures?.accepted == 2000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func whatNeverLeftIsSentAgain() async throws {
        let world = try await World(devices: 1000, FakeApple { _, request in request % 7 == 0 ? .neverSent : .accept })
        #expect(try await world.run().figures?.accepted == 1000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func anUnreachableServiceEndsItAfterTheRetries() async throws {
        let world = try await World(devices: 3000, FakeApple { _, _ in .neverSent })
        #expect(try await world.run() == .nothingSent(.unreachable("no connection")))
        #expect(try await world.figures?.waiting == 3000)
        #expect(world.clock.elapsed > .seconds(5))
    }

    @Test func aServiceThatVanishesLeavesTheRestToTheNextRun() async throws {
        let world = try await World(devices: 3000, FakeApple { _, request in request <= 1200 ? .accept : .neverSent })
        #expect(try await world.run() == .interrupted(.unreachable("no connection")))
        #expect(try await world.figures?.accepted == 1200)
        #expect(try await world.figures?.waiting == 1800)
    }

    @Test(arguments: [FakeApple.Fate.neverSent, .refuse(403, "InvalidProviderToken")])
    func aServiceThatSendsNothingKeepsNoWindowOpenHoweverOftenItIsTried(fault: FakeApple.Fate) async throws {
        let world = try await World(devices: 3000, FakeApple { _, request in request <= 1200 ? .accept : fault })
        // The window is an hour, and a runner tries every 20 minutes.
        for run in ["first", "second", "third"] {
            #expect(try await world.run(run: run).stopWhileSending != nil)
            #expect(try await world.figures?.waiting == 1800)
            world.clock.advance(.seconds(1201))
        }
        let figures = try #require(try await world.run(run: "last").figures)
        #expect(figures.accepted == 1200 && figures.missed == 1800 && figures.isClosed)
    }

    @Test func whoWasAskedToWaitUntilMidnightGetsItThoughTheServiceIsAwayThen() async throws {
        let fate = Mutex(FakeApple.Fate.usedUp)
        let world = try await World(devices: 100, FakeApple { _, _ in fate.withLock(\.self) })
        #expect(try await world.run().stopWhileSending?.kind == "postponed")
        // Hours after the end of the window that began with the delivery.
        let midnight = try #require(try await world.figures?.waitsUntil)
        world.clock.advance(midnight - world.clock.now + .seconds(60))
        fate.withLock { $0 = .neverSent }
        #expect(try await world.run(run: "second") == .nothingSent(.unreachable("no connection")))
        world.clock.advance(.seconds(1800))
        fate.withLock { $0 = .accept }
        #expect(try await world.run(run: "third").figures?.accepted == 100)
    }

    @Test func whoWasAskedToWaitHasItsWindowFromThenHoweverOftenItIsTriedInVain() async throws {
        let fate = Mutex(FakeApple.Fate.usedUp)
        let world = try await World(devices: 100, FakeApple { _, _ in fate.withLock(\.self) })
        _ = try await world.run()
        let midnight = try #require(try await world.figures?.waitsUntil)
        world.clock.advance(midnight - world.clock.now + .seconds(60))
        fate.withLock { $0 = .neverSent }
        // The window is an hour, and a runner tries every 20 minutes.
        for run in ["second", "third", "fourth"] {
            #expect(try await world.run(run: run) == .nothingSent(.unreachable("no connection")))
            #expect(try await world.figures?.waitsUntil == midnight)
            world.clock.advance(.seconds(1200))
        }
        fate.withLock { $0 = .accept }
        #expect(try await world.run(run: "last").stopBeforeSending?.kind == "over")
        #expect(world.apple.received.isEmpty)
    }

    @Test func aServiceThatNeverAnswersDoesNotPutTheWholeAudienceInDoubt() async throws {
        let world = try await World(devices: 10_000, FakeApple { _, _ in .lost })
        #expect(try await world.run() == .interrupted(.unreachable("no answer in time")))
        #expect((try await world.figures?.inDoubt ?? .max) <= 3000)
    }

    @Test func aDeliveryWhoseLastAnswersWereLostHasEnded() async throws {
        let world = try await World(devices: 4, FakeApple { _, _ in .lost })
        let figures = try #require(try await world.run(world.job(world.order { $0.throttle = 1 })).figures)
        #expect(figures.inDoubt == 4)
        #expect(figures.isClosed)
    }

    @Test func aDeviceThatNeverGetsThroughKeepsTheOthersFromNothing() async throws {
        let world = try await World(
            devices: 40, FakeApple { token, _ in token == World.token(3) ? .neverSent : .accept })
        let order = world.order { $0.target = .condition([:]) }
        let ending = try await world.run(world.job(order))
        // Alone in its batches it cannot be told from a service that is gone.
        #expect(ending == .interrupted(.unreachable("no connection")))
        #expect(try await world.figures?.accepted == 39)
    }

    @Test func whatNeverLeftIsNoTryOfTheDevice() async throws {
        let isAway = Mutex(true)
        let world = try await World(
            devices: 20,
            FakeApple { _, _ in isAway.withLock(\.self) ? .neverSent : .refuse(503, "ServiceUnavailable") })
        for run in ["first", "second", "third", "fourth"] {
            #expect(try await world.run(run: run) == .nothingSent(.unreachable("no connection")))
        }
        isAway.withLock { $0 = false }
        #expect(try await world.run(run: "fifth").stopWhileSending?.kind == "postponed")
        #expect(try await world.figures?.waiting == 20)
        #expect(try await world.figures?.refused == [:])
        // The first time that the service deferred them: the shortest pause.
        world.clock.advance(.seconds(901))
        isAway.withLock { $0 = true }
        #expect(try await world.run(run: "sixth") == .nothingSent(.unreachable("no connection")))
    }

    @Test func aServerErrorIsTriedAgainLaterAndTheRunDoesNotWaitForIt() async throws {
        let world = try await World(
            devices: 20, FakeApple { _, request in request == 4 ? .refuse(503, "ServiceUnavailable") : .accept })
        let due = FakeClock.start + .seconds(900)
        #expect(
            try await world.run()
                == .interrupted(.postponed("its devices wait for a retry", until: due)))
        #expect(world.clock.elapsed < .seconds(60))
        #expect(try await world.figures?.waiting == 1)
        // Too early it ends the same way, and sends nothing.
        #expect(try await world.run(run: "second").stopWhileSending?.kind == "postponed")
        #expect(world.apple.requests == 20)
        world.clock.advance(.seconds(900))
        #expect(try await world.run(run: "third").figures?.accepted == 20)
        #expect(world.apple.requests == 21)
    }

    @Test func aRunThatHoldsNoLockWaitsForTheNextTryItself() async throws {
        let world = try await World(
            devices: 20, FakeApple { _, request in request == 4 ? .refuse(503, "ServiceUnavailable") : .accept })
        let ending = await world.engine(settings: DeliverySettings(longestWait: nil)).run(
            world.job(), under: DeliveryPermit(run: "run", lease: nil))
        #expect(ending.figures?.accepted == 20)
        #expect(world.clock.elapsed >= .seconds(900))
    }

    @Test func whenAppleWantsNothingForMinutesTheRunEnds() async throws {
        let world = try await World(
            devices: 3000,
            FakeApple { _, request in
                request > 1 && request < 6 ? .refuse(429, "TooManyProviderTokenUpdates") : .accept
            })
        var runs = 0
        while case .interrupted(.postponed(_, let until?)) = try await world.run(run: "run\(runs)"), runs < 9 {
            runs += 1
            world.clock.advance(.milliseconds(until.milliseconds - world.clock.now.milliseconds))
        }
        #expect(runs > 0)
        #expect(try await world.figures?.accepted == 3000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func aServiceThatAsksToWaitHoldsUpItsOwnDevicesOnly() async throws {
        // Devices are of the two profiles in turn, and the service of one wants nothing for a while.
        @Sendable func isOfBeta(_ token: String) -> Bool {
            token.last.flatMap(\.hexDigitValue).map { $0 % 2 == 1 } ?? false
        }
        let isBusy = Flag()
        let last = Mutex(Duration.zero)
        isBusy.raise()
        let world = try await World(
            devices: 6000, profiles: ["app", "beta"],
            FakeApple { token, _ in
                isOfBeta(token) && isBusy.isRaised ? .refuse(429, "TooManyProviderTokenUpdates") : .accept
            })
        let job = world.job(world.order(profiles: ["app", "beta"]))
        let ending = try await world.run(
            job,
            beforeRequest: { [clock = world.clock] target in
                if !isOfBeta(target.token) { last.withLock { $0 = clock.elapsed } }
            })
        let until = try #require(ending.stopWhileSending?.until)
        #expect(ending == .interrupted(.postponed("Apple asked to wait", until: until)))
        // The others had all got theirs before the first wait was over.
        #expect(last.withLock { $0 } < .seconds(30))
        let figures = try #require(try await world.figures)
        #expect(figures.accepted == 3000 && figures.waiting == 3000 && figures.inDoubt == 0)
        isBusy.lower()
        world.clock.advance(until - world.clock.now + .seconds(1))
        let ended = try #require(try await world.run(job, run: "second").figures)
        #expect(ended.accepted == 6000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 } && world.apple.received.count == 6000)
    }

    /// Runs a job whose service's wait ends while it looks for what else there is.
    ///
    /// What is open is given up, the batch is claimed, nothing else is found. Then the batch is settled, and the next
    /// answer, of what is left of the other profile, takes longer than the wait.
    private func figuresOfWaitEndingMeanwhile(
        _ world: World, _ job: DeliveryJob, _ lease: Lease
    ) async throws -> JournalFigures {
        let (writes, isAsked) = (Counter(), Gate())
        let ending = await world.engine(
            beforeRequest: { _ in await isAsked.pass() },
            fault: { [clock = world.clock] moment throws(RegistryError) in
                guard moment == .afterWrite else { return }
                let count = writes.next()
                if count == 3 { isAsked.open() }
                if count == 5 { clock.advance(.seconds(61)) }
            }
        ).run(job, under: DeliveryPermit(run: "run", lease: lease))
        return try #require(ending.figures)
    }

    @Test func aServiceWhoseWaitEndsWhileNothingElseIsFoundGetsItsDevices() async throws {
        let world = try await World(
            devices: 10, profiles: ["beta"],
            FakeApple { _, n in n == 1 ? .refuse(429, "TooManyProviderTokenUpdates") : .accept })
        let job = world.job(world.order(profiles: ["app", "beta"]))
        let figures = try await figuresOfWaitEndingMeanwhile(world, job, try await world.lease("run"))
        #expect(figures.accepted == 10 && figures.missed == 0)
    }

    @Test func aServiceWhoseWaitEndsWhileOnlyARetryIsFoundThatComesTooLateGetsItsDevices() async throws {
        let world = try await World(
            devices: 2, profiles: ["app", "beta"],
            FakeApple { _, n in n == 1 ? .refuse(429, "TooManyProviderTokenUpdates") : .accept })
        let (lease, store) = (try await world.lease("run"), world.journal)
        let job = world.job(world.order(profiles: ["app", "beta"]), expiresAt: FakeClock.start + .seconds(600))
        _ = try await store.freeze(try #require(job.freeze), under: lease)
        let claim = try await store.claim(from: World.delivery, by: "earlier", besides: ["beta"], under: lease)
        guard case .batch(let batch) = claim else {
            Issue.record("nothing is left to claim")
            return
        }
        let late = TargetFailure(
            index: 0, ending: .again(after: FakeClock.start + .seconds(900)), reason: "ServiceUnavailable")
        #expect(try await store.settle(batch, [late], under: lease))
        let figures = try await figuresOfWaitEndingMeanwhile(world, job, lease)
        #expect(figures.accepted == 1 && figures.missed == 1)
    }

    @Test func aCredentialThatCannotBeUsedStopsItBeforeAnythingIsFrozen() async throws {
        let world = try await World(devices: 20)
        let error = SenderError("the passphrase does not open the file")
        let ending = await world.engine(failing: ["app": error]).run(
            world.job(), under: DeliveryPermit(run: "run", lease: try await world.lease("run")))
        #expect(ending == .nothingSent(.credential(profile: "app", error)))
        #expect(try await world.figures == nil)
    }

    @Test func aServiceThatGivesNoTokenForTheMomentHoldsUpItsOwnDevicesOnly() async throws {
        // Devices are of the two profiles in turn.
        let world = try await World(devices: 20, profiles: ["app", "beta"])
        let job = world.job(world.order(profiles: ["app", "beta"]))
        let absence = SenderError("no access token: it answered 503", isTransient: true)
        let ending = await world.engine(failing: ["beta": absence]).run(
            job, under: DeliveryPermit(run: "first", lease: try await world.lease("first")))
        #expect(ending == .interrupted(.unreachable(absence.description)))
        let figures = try #require(try await world.figures)
        #expect(figures.accepted == 10 && figures.waiting == 10)
        #expect(try await world.run(job, run: "second").figures?.accepted == 20)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func aCredentialThatCannotBeUsedKeepsAPushOfTheServerFromItsOwnDevicesOnly() async throws {
        let error = SenderError("check appId and clientSecret")
        for (workspace, accepted) in [(DeliveryFreeze.ofServer, 10), (World.workspace, nil)] as [(String, Int?)] {
            let world = try await World(devices: 20, profiles: ["app", "beta"])
            var job = world.job(world.order(profiles: ["app", "beta"]))
            job.workspace = workspace
            let ending = await world.engine(failing: ["beta": error]).run(
                job, under: DeliveryPermit(run: "run", lease: nil))
            let stop = DeliveryStop.credential(profile: "beta", error)
            let expected: DeliveryEnding = accepted == nil ? .nothingSent(stop) : .interrupted(stop)
            #expect(ending == expected)
            #expect(try await world.figures?.accepted == accepted)
        }
    }

    @Test func whereNoServiceGivesATokenNothingIsFrozen() async throws {
        let world = try await World(devices: 20, profiles: ["app", "beta"])
        let absence = SenderError("no access token: it answered 503", isTransient: true)
        let ending = await world.engine(failing: ["app": absence, "beta": absence]).run(
            world.job(world.order(profiles: ["app", "beta"])),
            under: DeliveryPermit(run: "run", lease: try await world.lease("run")))
        #expect(ending == .nothingSent(.unreachable(absence.description)))
        #expect(try await world.figures == nil)
    }

    @Test func aMachineWithoutAThreadForASenderIsNotAWrongCredential() async throws {
        let world = try await World(devices: 20)
        let error = SenderError("no thread could be started", isOfTheMachine: true)
        let ending = await world.engine(failing: ["app": error]).run(
            world.job(), under: DeliveryPermit(run: "run", lease: try await world.lease("run")))
        #expect(ending == .nothingSent(.machine("no thread could be started")))
        #expect(try await world.figures == nil)
    }

    @Test func aServiceThatHasHadEnoughForTodayIsNotCalledAgainBeforeTomorrow() async throws {
        let isOver = Mutex(true)
        let world = try await World(
            devices: 5000, FakeApple { _, n in n > 100 && isOver.withLock { $0 } ? .usedUp : .accept })
        // The usual window, an hour: who was asked to wait has it from then.
        let job = world.job()
        let until = try #require(try await world.run(job).stopWhileSending?.until)
        // A minute past its midnight, in China.
        #expect((until.seconds + 8 * 3600) % 86_400 == 60 && until > world.clock.now)
        // What was on its way in two batches, and nothing afterwards: neither fresh devices nor in the next run.
        let requests = world.apple.requests
        #expect(requests <= 102)
        _ = try await world.run(job)
        #expect(world.apple.requests == requests)
        isOver.withLock { $0 = false }
        world.clock.advance(until - world.clock.now + .seconds(1))
        let figures = try #require(try await world.run(job).figures)
        #expect(figures.accepted == 5000 && figures.inDoubt == 0)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    /// What can end the deliveries of one profile only.
    private static let faults: [(FakeApple.Fate, word: String)] = [
        (.refuse(403, "InvalidProviderToken"), "InvalidProviderToken"), (.neverSent, "no connection"),
    ]

    @Test(arguments: faults)
    func whatOneProfileIsRefusedStopsItsOwnRestOnly(_ fault: FakeApple.Fate, word: String) async throws {
        // Devices are of the two profiles in turn.
        let isMended = Mutex(false)
        let apple = FakeApple { token, _ in
            let isOfBeta = token.last.flatMap(\.hexDigitValue).map { $0 % 2 == 1 } ?? false
            return isOfBeta && !isMended.withLock { $0 } ? fault : .accept
        }
        let world = try await World(devices: 3000, profiles: ["app", "beta"], apple)
        let job = world.job(world.order(profiles: ["app", "beta"]))
        let stop = try #require(try await world.run(job).stopWhileSending)
        #expect("\(stop)".contains(word))
        var figures = try #require(try await world.figures)
        #expect(figures.accepted == 1500 && figures.waiting == 1500 && figures.inDoubt == 0)
        #expect(try await world.invalid.isEmpty)
        isMended.withLock { $0 = true }
        figures = try #require(try await world.run(job, run: "second").figures)
        #expect(figures.accepted == 3000)
        #expect(world.apple.received.count == 3000 && world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func aPushOfTheServerTriesAServiceThatWasAwayBeforeAnothersDevicesAreDue() async throws {
        // Devices are of the two profiles in turn.
        let apple = FakeApple { token, _ in
            let isOfBeta = token.last.flatMap(\.hexDigitValue).map { $0 % 2 == 1 } ?? false
            return isOfBeta ? .neverSent : token == World.token(4) ? .refuse(503, "ServiceUnavailable") : .accept
        }
        let world = try await World(devices: 20, profiles: ["app", "beta"], apple)
        var job = world.job(world.order(profiles: ["app", "beta"]))
        job.workspace = DeliveryFreeze.ofServer
        let ending = await world.engine().run(job, under: DeliveryPermit(run: "run", lease: nil))
        #expect(ending.stopWhileSending?.kind == "unreachable")
        #expect(try await world.figures?.accepted == 9)
    }

    @Test(arguments: faults)
    func aRetryThatComesTooLateEndsNothingForAnotherProfile(_ fault: FakeApple.Fate, word: String) async throws {
        // Devices are of the two profiles in turn.
        let isMended = Flag()
        let apple = FakeApple { token, _ in
            let isOfBeta = token.last.flatMap(\.hexDigitValue).map { $0 % 2 == 1 } ?? false
            if isOfBeta { return isMended.isRaised ? .accept : fault }
            return token == World.token(4) ? .refuse(503, "ServiceUnavailable") : .accept
        }
        let world = try await World(devices: 20, profiles: ["app", "beta"], apple)
        // The one device is tried again after a quarter of an hour.
        let job = world.job(world.order(profiles: ["app", "beta"]), expiresAt: FakeClock.start + .seconds(800))
        let stop = try #require(try await world.run(job).stopWhileSending)
        #expect("\(stop)".contains(word))
        isMended.raise()
        let figures = try #require(try await world.run(job, run: "second").figures)
        #expect(figures.accepted == 19 && figures.missed == 1)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: [(DeliveryFreeze.ofServer, "postponed"), (World.workspace, "refused")])
    func whatOneProfileIsRefusedEndsNoPushOfTheServerWhileAnothersDevicesWait(
        workspace: String, stop: String
    ) async throws {
        // Devices are of the two profiles in turn; the service of the first has no time for one of them at first.
        let isBusy = Flag()
        isBusy.raise()
        let apple = FakeApple { token, _ in
            let isOfBeta = token.last.flatMap(\.hexDigitValue).map { $0 % 2 == 1 } ?? false
            if isOfBeta { return .refuse(403, "InvalidProviderToken") }
            return token == World.token(4) && isBusy.isRaised ? .refuse(503, "ServiceUnavailable") : .accept
        }
        let world = try await World(devices: 20, profiles: ["app", "beta"], apple)
        var job = world.job(world.order(profiles: ["app", "beta"]))
        job.workspace = workspace
        let first = await world.engine().run(job, under: DeliveryPermit(run: "first", lease: nil))
        #expect(first.stopWhileSending?.kind == stop)
        isBusy.lower()
        world.clock.advance(.seconds(1800))
        let second = await world.engine().run(job, under: DeliveryPermit(run: "second", lease: nil))
        // Nothing else waits any more.
        #expect(second.stopWhileSending?.kind == "refused")
        let figures = try #require(try await world.figures)
        #expect(figures.accepted == 10 && figures.waiting == 10 && figures.inDoubt == 0)
    }

    @Test func aDeliveryWhoseProfilesAreAllRefusedEndsAtOnce() async throws {
        let world = try await World(
            devices: 3000, profiles: ["app", "beta"], FakeApple { _, _ in .refuse(403, "InvalidProviderToken") })
        let ending = try await world.run(world.job(world.order(profiles: ["app", "beta"])))
        #expect(ending.stopBeforeSending?.kind == "refused")
        #expect(world.apple.requests <= 4)
        #expect(try await world.figures?.waiting == 3000)
    }

    @Test func pastItsWindowOnlyThoseWhoWereAskedToWaitGetIt() async throws {
        // Devices are of the two profiles in turn; the run is stopped before all of them were tried.
        let world = try await World(
            devices: 6000, profiles: ["app", "beta"],
            FakeApple { token, _ in
                (token.last?.hexDigitValue).map { $0 % 2 == 1 } ?? false ? .usedUp : .accept
            })
        let job = world.job(world.order(profiles: ["app", "beta"]))
        let count = Mutex(0)
        _ = try await world.run(
            job,
            beforeRequest: { [stop = world.stop] _ in
                count.withLock {
                    $0 += 1
                    if $0 == 1500 { stop.raise() }
                }
            })
        world.stop.lower()
        let sent = world.apple.received
        let waits = try #require(try await world.figures?.waitsUntil)
        world.clock.advance(waits - world.clock.now + .seconds(1))
        _ = try await world.run(job, run: "second")
        // Of the other profile nobody gets it so late.
        #expect(world.apple.received == sent)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func devicesOfAProfileThatTheRequestDoesNotNameKeepTheOthersFromNothing() async throws {
        // Devices are of the two profiles in turn, and batches of two.
        let world = try await World(devices: 20, profiles: ["app", "beta"])
        let frozen = world.job(world.order(profiles: ["app", "beta"]) { $0.throttle = 1 })
        _ = try await world.journal.freeze(try #require(frozen.freeze), under: try await world.lease("earlier"))
        let ending = try await world.run(world.job(world.order(profiles: ["app"]) { $0.throttle = 1 }))
        #expect(ending.stopWhileSending?.kind == "mismatch")
        let figures = try #require(try await world.figures)
        #expect(figures.accepted == 10 && figures.waiting == 10 && figures.inDoubt == 0)
    }

    @Test func devicesOfAProfileThatTheRequestDoesNotNameAreLeftAlone() async throws {
        let world = try await World(devices: 20)
        _ = try await world.journal.freeze(
            try #require(world.job().freeze), under: try await world.lease("earlier"))
        let ending = try await world.run(world.job(world.order(profiles: ["other"])))
        #expect(ending.stopBeforeSending?.kind == "mismatch")
        #expect(world.apple.requests == 0)
        #expect(try await world.figures?.waiting == 20)
    }
}
