internal import Apply
internal import Push

extension SimulatedWorld {
    /// The course that every remote must take: a delivery, one whose answers are lost, one that is cancelled; after each
    /// an empty plan.
    final func conform() async {
        await begin()
        desired.policy.quietHours = nil
        desired.campaigns[0].window = .seconds(86_400)
        desired.campaigns[0].expiration = .after(.seconds(7 * 86_400))
        desired.campaigns[0].inDoubt = .leave
        desired.campaigns[0].scheduledAt = nil
        let run = await applied()
        expect(run.isSettled && run.result?.outcome == .done, "a send ends as \(String(describing: run.result))")
        await expectNothingToDo(arrivals: 1, "a send")

        desired.campaigns[0].revision = 2
        service.weather = Weather(always: .actInSilence)
        _ = await applied()
        service.weather = .calm
        var last = await applied()
        for _ in 0..<5 where !last.isSettled {
            try? await scheduler.sleep(for: .seconds(960))
            last = await applied()
        }
        expect(last.isSettled, "a send whose answer was lost ends as \(String(describing: last.result))")
        await expectNothingToDo(arrivals: 2, "a send whose answer was lost")
        await concludeTwice()

        guard input(desired, RemoteState(now: now)).capabilities.canSchedule else { return }
        desired.campaigns[0].revision = 3
        desired.campaigns[0].scheduledAt = OffsetInstant(Instant(seconds: (now + .seconds(7200)).seconds))
        _ = await applied()
        expect((try? await reader(0).scheduledPushes().count) == 1, "a scheduled push is not in the list")
        desired.isHeld = true
        _ = await applied()
        expect((try? await reader(0).scheduledPushes().isEmpty) == true, "a cancelled push is in the list")
        try? await scheduler.sleep(for: .seconds(4 * 3600))
        await expectNothingToDo(arrivals: 2, "a cancel")
    }

    private func expectNothingToDo(arrivals: Int, _ act: String) async {
        let requests = service.requests
        let plan = await applied().outcome?.plan
        let entry = try? await reader(0).ledger().max { ($0.revision, $0.generation) < ($1.revision, $1.generation) }
        if let entry { checkPerson(of: entry) }
        // What is on hold, or waits for a person, stands in every plan.
        let changes = plan?.changes.filter { ![.wait, .none].contains($0.action) }
        expect(changes?.isEmpty == true, "after \(act) the plan is \(String(describing: changes))")
        expect(service.requests == requests, "after \(act) an apply sends")
        expect(
            self.arrivals == arrivals, "after \(act) somebody got it \(self.arrivals) times instead of \(arrivals)")
    }

    /// Ending a delivery once more gives the same figures, which add up to its audience.
    private func concludeTwice() async {
        let writer = writer(0, SimulatedRun("person", desired))
        guard let journaling = writer.journaling else { return }
        guard case .acquired(let lease)? = try? await writer.acquireLock(holder: "a person", run: "person"),
            let entry = try? await reader(0).ledger().max(by: { $1.outranks($0) || $0.revision < $1.revision }),
            let first = try? await journaling.conclude(entry, under: lease),
            let second = try? await journaling.conclude(entry, under: lease)
        else { return expect(false, "a delivery cannot be concluded") }
        expect(first == second, "concluded again it counts \(second) instead of \(first)")
        expect(
            first.successes + first.invalidTokens + first.inDoubt + first.missed == first.devices,
            "the figures do not add up: \(first)")
        try? await writer.release(lease, lastApplied: nil)
    }
}
