import Base
import Foundation
import ProgramTesting
import Push
import PushServer
import Testing

/// `bugle stop` from another process, while an apply sends.
@Suite struct StopCommandTests {
    /// Held by a throttle until it is stopped.
    private static let slow = [
        "a.yaml": String.giants,
        "one.yaml": String.campaign("one", more: "expiration: {after: 7d}\nthrottle: {perSecond: 20}"),
    ]

    private func begun(_ world: AppleWorld) async throws {
        try await eventually { try await world.received().messages >= 10 }
    }

    @Test func aStopEndsTheApplyWithSevenAndNothingLeavesAfterItHasAnswered() async throws {
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.slow, on: simulator, devices: 400) { world in
                // Of almost every batch somebody is answered late: it lasts for minutes, whenever the stop comes.
                try await simulator.fault("delay", ["milliseconds": 30_000, "rate": 0.1])
                async let running = world.apply(expecting: 7)
                try await begun(world)
                let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
                #expect(stop.status == 0, "\(stop.everything)")
                #expect(stop.output.contains("one@1 is stopped: "), "\(stop.output)")
                #expect(
                    stop.output.contains("bugle resolve one@1 --as proceed|abandoned --reason TEXT"), "\(stop.output)")
                let sent = try await world.received()
                let applied = try await running
                #expect(applied.everything.contains("wrong link"), "\(applied.everything)")
                // A throttled batch is two seconds' worth, and two are open at most: what is left of them may leave
                // after the answer.
                #expect(try await world.received().messages <= sent.messages + 80)
                #expect(sent.messages < 400)
                let left = try await world.received().messages
                // Whatever is tried, it waits for a person.
                let plan = try await world.bugle("plan")
                #expect(plan.status == 7, "\(plan.everything)")
                let head = plan.output.split(separator: "\n").prefix(4).joined(separator: "\n")
                #expect(head.contains("one@1: stopped by ") && head.contains(": wrong link"), "\(plan.output)")
                _ = try await world.apply(expecting: 7)
                _ = try await world.apply("--due", expecting: 7)
                #expect(try await world.received().messages == left)
                let status = try await world.status("one")
                #expect(status["state"] == "halted", "\(status)")
                try world.write("one.yaml", .campaign("one", more: "expiration: {after: 7d}"))
                let proceed = try await world.bugle("resolve", "one", "--as", "proceed", "--reason", "mended")
                #expect(
                    proceed.status == 0 && proceed.output.contains("goes on with the rest"), "\(proceed.everything)")
                try await simulator.call("DELETE", "/faults")
                try await world.apply()
                #expect(try await world.received() == (400, 400, 0))
            }
        }
    }

    @Test func aStopHoldsThroughAKillOfTheSenderAndTheRestCanBeGivenUp() async throws {
        // So many that the delivery lasts for minutes, whenever the signal comes; the rest is given up.
        try await AppleWorld.run(Self.slow, devices: 4000) { world in
            let process = Promise<Int32>()
            async let running = world.apply(expecting: nil, started: process.fulfil)
            try await begun(world)
            kill(await process.value, SIGKILL)
            _ = try await running
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            #expect(stop.status == 0, "\(stop.everything)")
            let left = try await world.received().messages
            let locked = try await world.apply(expecting: nil)
            // On a slow machine the dead run's two minutes may be over.
            if locked.status != 7 { try await world.unlock(after: locked) }
            _ = try await world.apply(expecting: 7)
            #expect(try await world.received().messages == left)
            let refused = try await world.bugle("resolve", "one", "--as", "sent", "--reason", "x")
            #expect(refused.status == 64 && refused.errors.contains("proceed|abandoned"), "\(refused.everything)")
            let abandon = try await world.bugle("resolve", "one", "--as", "abandoned", "--reason", "too late")
            #expect(abandon.status == 0 && abandon.output.contains("recorded as sent"), "\(abandon.everything)")
            _ = try await world.apply(expecting: nil)
            let received = try await world.received()
            #expect(received.messages == left && received.duplicates == 0)
            #expect(try await world.status("one")["missed"]?.integer ?? 0 > 0)
        }
    }

    @Test func whatALedgerSaysCannotControlATerminal() async throws {
        let later = String.campaign("later", more: "schedule: {at: 2026-12-01T12:00:00Z}\nexpiration: {after: 7d}")
        let files = ["a.yaml": String.giants, "later.yaml": later]
        try await World.run(files) { world in
            try await world.devices(1)
            try await world.apply()
            let entry = try await world.call("GET", "/classes/BugleLedger")["results"]?.array?.first
            let id = try #require(entry?["objectId"]?.string)
            _ = try await world.call("PUT", "/classes/BugleLedger/\(id)", ["campaign": "late\u{1B}[2Jr"])
            let stop = try await world.bugle("stop", "--all", "--reason", "wrong link")
            #expect(stop.status == 0, "\(stop.everything)")
            #expect(stop.output.contains(#"late\u{1b}[2Jr@1 is stopped: "#), "\(stop.output)")
        }
    }

    @Test func everythingStoppedStartsNothingUntilItIsLifted() async throws {
        try await AppleWorld.run(["a.yaml": .giants, "one.yaml": .campaign("one")], devices: 5) { world in
            let stop = try await world.bugle("stop", "--all", "--reason", "page <down>")
            #expect(
                stop.status == 0 && stop.output.contains("nothing starts before 'bugle stop --lift'"),
                "\(stop.everything)")
            let plan = try await world.bugle("plan", "--format", "json")
            #expect(plan.status == 7, "\(plan.everything)")
            let document = try JSONValue(parsing: plan.output)
            #expect(document["stops"]?.array?.first?["delivery"] == "*", "\(plan.output)")
            _ = try await world.apply(expecting: 7)
            #expect(try await world.received().messages == 0)
            let status = try await world.bugle("status")
            #expect(status.output.contains("every delivery: stopped by "), "\(status.output)")
            let lift = try await world.bugle("stop", "--lift")
            #expect(lift.status == 0 && lift.output.contains("start again"), "\(lift.everything)")
            try await world.apply()
            #expect(try await world.received() == (5, 5, 0))
            let again = try await world.bugle("stop", "--lift")
            #expect(again.status == 0 && again.output.contains("nothing to lift"), "\(again.everything)")
        }
    }

    @Test func whatBakesIsStoppedUntilAPersonSaysGoOn() async throws {
        let rollout = "rollout: {stages: [10%, 100%], bake: 20m, stopWhen: {refused: 2%}, minimum: 20}"
        let files = [
            "a.yaml": String.giants, "one.yaml": String.campaign("one", more: "expiration: {after: 7d}\n" + rollout),
            "two.yaml": String.campaign("two", more: "expiration: {after: 7d}\nhold: true"),
        ]
        try await AppleWorld.run(files, app: "5ca1e077", devices: 400) { world in
            try await world.apply()
            let first = try await world.received().messages
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            #expect(stop.status == 0 && stop.output.contains("one@1 is stopped"), "\(stop.everything)")
            // Another campaign waits for nobody.
            #expect(try await world.bugle("status", "one").status == 7)
            #expect(try await world.bugle("status", "two").status == 0)
            #expect(try await world.bugle("plan", "--target", "Campaign/two").status == 0)
            let due = try await world.apply("--due", expecting: 7)
            #expect(due.everything.contains("wrong link"), "\(due.everything)")
            let proceed = try await world.bugle("resolve", "one", "--as", "proceed", "--reason", "mended")
            #expect(proceed.status == 0, "\(proceed.everything)")
            let goesOn = try await world.apply("--due")
            #expect(goesOn.everything.contains("stage 1"), "\(goesOn.everything)")
            #expect(try await world.received().messages == first)
        }
    }

    @Test func aStopOfWhatIsNotUnderWaySaysSo() async throws {
        try await AppleWorld.run(["a.yaml": .giants, "one.yaml": .campaign("one")], devices: 2) { world in
            try await world.apply()
            let done = try await world.bugle("stop", "one", "--reason", "x")
            #expect(done.status == 64 && done.errors.contains("nothing of one is under way"), "\(done.everything)")
            let unknown = try await world.bugle("stop", "two", "--reason", "x")
            #expect(unknown.status == 64 && unknown.errors.contains("'two'"), "\(unknown.everything)")
            for wrong in [
                ["one"], ["--all"], ["one", "--all", "--reason", "x"], ["--lift", "--all", "--reason", "x"], [],
            ] {
                let run = try await Program.run(["stop"] + wrong, environment: world.variables, folder: world.folder)
                #expect(run.status == 64, "\(wrong): \(run.everything)")
            }
        }
    }

    /// To be sent in two hours.
    private static let scheduled: [String: String] = {
        let at = Instant(milliseconds: World.noon.milliseconds + 7_200_000).isoText
        return [
            "c.yaml": "kind: Channel\nname: Giants\n",
            "one.yaml": String.campaign("one", more: "schedule: {at: \(at)}\nexpiration: {after: 7d}"),
        ]
    }()

    @Test func aPushWhoseTimeHasJustComeIsNotCalledCancelled() async throws {
        try await World.run(Self.scheduled, devices: 3) { world in
            try await world.apply()
            _ = try await world.call("POST", "/bugle/clock", ["advance": 7210])
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            #expect(stop.status == 0 && stop.output.contains("the service may have sent it"), "\(stop.everything)")
        }
    }

    /// The time of one may come while the others are looked at.
    @Test func everyPendingPushIsCancelledBeforeAnyIsLookedAtAgain() async throws {
        let at = Instant(milliseconds: World.noon.milliseconds + 3_600_000).isoText
        var files = Self.scheduled
        files["two.yaml"] = String.campaign("two", more: "schedule: {at: \(at)}\nexpiration: {after: 7d}")
        try await World.run(files, devices: 3) { world in
            try await world.apply()
            _ = world.takeSeen()
            let stop = try await world.bugle("stop", "--all", "--reason", "wrong link")
            #expect(stop.status == 0, "\(stop.everything)")
            let seen = world.takeSeen().filter { $0.path.hasPrefix("/1.1/scheduledPushMessages") }
            #expect(seen.map(\.method) == ["GET", "DELETE", "DELETE", "GET", "GET"], "\(seen)")
        }
    }

    /// An order for many deliveries takes its time.
    @Test func aPushWhoseTimeComesBeforeItIsCancelledIsNotCalledCancelled() async throws {
        try await World.run(Self.scheduled, devices: 3) { world in
            try await world.apply()
            let hasCome = Flag()
            world.onRequest { request, instant in
                guard request.path == "/1.1/scheduledPushMessages", instant == .beforeHandling, !hasCome.isRaised
                else { return }
                hasCome.raise()
                world.advance(.seconds(7210))
            }
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            world.onRequest(nil)
            #expect(hasCome.isRaised)
            #expect(stop.status == 0 && stop.output.contains("the service may have sent it"), "\(stop.everything)")
        }
    }

    /// As by a service that is late.
    @Test func thatAPushWhichIsKeptAfterItsTimeCannotBeStoppedIsSaid() async throws {
        try await World.run(Self.scheduled, devices: 3) { world in
            try await world.apply()
            let entry = try await world.call("GET", "/classes/BugleLedger")["results"]?.array?.first
            let id = try #require(entry?["objectId"]?.string)
            let past = Instant(milliseconds: World.noon.milliseconds - 600_000).isoText
            _ = try await world.call("PUT", "/classes/BugleLedger/\(id)", ["scheduledAt": .string(past)])
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            #expect(stop.status == 0 && stop.output.contains("one@1 cannot be stopped: "), "\(stop.everything)")
        }
    }

    /// Changes the only entry of the ledger.
    private static func change(_ members: JSONValue, in world: World) async throws {
        let entry = try await world.call("GET", "/classes/BugleLedger")["results"]?.array?.first
        let id = try #require(entry?["objectId"]?.string)
        _ = try await world.call("PUT", "/classes/BugleLedger/\(id)", members)
    }

    /// Takes the only push off the list of what waits.
    private static func hide(in world: World) async throws {
        let push = try await world.call("GET", "/scheduledPushMessages")["results"]?.array?.first
        let id = try #require(push?["id"]?.integer)
        _ = try await world.call("DELETE", "/scheduledPushMessages/\(id)")
    }

    /// As where the ledger was copied from a service that keeps the push.
    @Test func aPushThatNoListHasShownIsNotCalledCancelled() async throws {
        try await World.run(Self.scheduled, devices: 3) { world in
            try await world.apply()
            try await Self.hide(in: world)
            try await Self.change(["scheduledId": ["__op": "Delete"]], in: world)
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            #expect(stop.status == 0 && stop.output.contains("its push is in no list"), "\(stop.everything)")
            #expect(!stop.output.contains("pending push is cancelled"), "\(stop.output)")
        }
    }

    /// A list can be late.
    @Test func aPushThatAnEarlierListHasShownIsCancelledWhateverTheNextOneSays() async throws {
        try await World.run(Self.scheduled, devices: 3) { world in
            try await world.apply()
            try await Self.hide(in: world)
            _ = world.takeSeen()
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            #expect(stop.status == 0 && stop.output.contains("pending push is cancelled"), "\(stop.everything)")
            #expect(world.takeSeen().contains { $0.method == "DELETE" })
        }
    }

    /// As after an apply that was killed before it recorded the answer. For four minutes the next one may repeat it.
    @Test(arguments: [60, 700])
    func aPushThatWaitsIsCancelledAlsoWhereTheLedgerHasOnlyItsIntent(after seconds: Int) async throws {
        try await World.run(Self.scheduled, devices: 3) { world in
            try await world.apply()
            let nothing: JSONValue = ["__op": "Delete"]
            try await Self.change(["state": "sending", "scheduledId": nothing, "pushId": nothing], in: world)
            world.advance(.seconds(seconds))
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            let said = seconds < 240 ? "looks that up and cancels what waits" : "its pending push is cancelled"
            #expect(stop.status == 0 && stop.output.contains(said), "\(stop.everything)")
            _ = try await world.apply(expecting: 7)
            let left = try await world.call("GET", "/scheduledPushMessages")["results"]?.array
            #expect(left?.isEmpty == true, "\(String(describing: left))")
        }
    }

    /// As one that is given again after an apply has replaced the push that the first one names.
    @Test func aSecondOrderNamesThePushOfThenAndADecisionEndsBoth() async throws {
        try await World.run(Self.scheduled, devices: 3) { world in
            try await world.apply()
            for _ in 0..<2 {
                let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
                #expect(stop.status == 0, "\(stop.everything)")
                try await Self.change(["generation": 1, "notificationId": "nextgeneration00"], in: world)
            }
            let orders = try await world.call("GET", "/classes/BugleStop")["results"]?.array ?? []
            #expect(orders.contains { $0["delivery"] == "nextgeneration00" }, "\(orders)")
            let proceed = try await world.bugle("resolve", "one", "--as", "proceed", "--reason", "mended")
            #expect(proceed.status == 0, "\(proceed.everything)")
            let left = try await world.call("GET", "/classes/BugleStop")["results"]?.array
            #expect(left?.isEmpty == true, "\(String(describing: left))")
        }
    }

    @Test func aPushThatWaitsAtTheServiceIsCancelledAtOnce() async throws {
        try await World.run(Self.scheduled, devices: 3) { world in
            try await world.apply()
            let stop = try await world.bugle("stop", "one", "--reason", "wrong link")
            #expect(stop.status == 0 && stop.output.contains("pending push is cancelled"), "\(stop.everything)")
            let plan = try await world.bugle("plan")
            #expect(plan.status == 7 && plan.output.contains("wrong link"), "\(plan.everything)")
            _ = try await world.apply(expecting: 7)
            let abandon = try await world.bugle("resolve", "one", "--as", "abandoned", "--reason", "too late")
            #expect(abandon.status == 0, "\(abandon.everything)")
            let after = try await world.bugle("plan", "--detailed-exitcode")
            #expect(after.status == 0, "\(after.everything)")
        }
    }
}
