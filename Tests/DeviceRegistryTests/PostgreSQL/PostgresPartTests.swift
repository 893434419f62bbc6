import DeliveryTesting
import DeviceRegistry
import Push
import Testing

/// Kills of deliveries in parts over PostgreSQL, as over SQLite in `PartKillTests`.
@Suite(hasServer) struct PostgresPartTests {
    /// Devices of all zones in a registry.
    private func devices(_ count: Int, _ fixture: PostgresFixture) async throws -> [PartTrial.Device] {
        let devices = (0..<count).map { index in
            PartTrial.Device(
                token: "ab" + String(100_000 + index), objectID: "device\(index)",
                zone: PartTrial.zones[index % PartTrial.zones.count])
        }
        try await fixture.pool.use { session in
            for start in stride(from: 0, to: count, by: 10_000) {
                let some = devices[start..<min(start + 10_000, count)]
                try session.execute(
                    """
                    INSERT INTO installation (token, objectId, updatedAt, document)
                    SELECT token, id, $3::bigint, jsonb_strip_nulls(jsonb_build_object(
                      'deviceType', 'ios', 'deviceToken', token, 'deviceProfile', 'app', 'valid', true,
                      'timeZone', nullif(zone, '')))
                    FROM unnest($1::text[], $2::text[], $4::text[]) AS d(token, id, zone)
                    """,
                    [
                        .texts(some.map(\.token)), .texts(some.map(\.objectID)),
                        .integer(FakeClock.start.milliseconds), .texts(some.map { $0.zone ?? "" }),
                    ])
            }
            try session.execute("ANALYZE installation")
        }
        return devices
    }

    /// A registry with devices, on two connections of which one is the trial's.
    private func trial(_ count: Int, _ fixture: PostgresFixture) async throws -> PartTrial {
        try await PartTrial(try await devices(count, fixture)) { now in
            try await PostgresRegistry.open(fixture.address, width: 3, clock: now)
        }
    }

    @Test(arguments: [true, false])
    func tenDeliveriesThatAreKilledKeepTheirCaps(_ isInterleaved: Bool) async throws {
        let fixture = try await PostgresFixture.make()
        let trial = try await CapTrial(try await devices(40, fixture)) { now in
            try await PostgresRegistry.open(fixture.address, width: 3, clock: now)
        }
        for seed in isLong ? 1...5 : 1...1 {
            let found = try await trial.violations(interleaved: isInterleaved, batchSize: 5, seed: UInt64(seed))
            #expect(found == [])
        }
        await fixture.close()
    }

    @Test(arguments: PartTrial.Division.allCases)
    func aRunThatIsKilledAtAnyActIsGoneOnWith(_ division: PartTrial.Division) async throws {
        let fixture = try await PostgresFixture.make()
        let trial = try await trial(12, fixture)
        #expect(try await trial.violations(killing: division, every: isLong ? 1 : 7) == [])
        await fixture.close()
    }

    @Test(arguments: PartTrial.Division.allCases, isLong ? 1...5 : 1...1)
    func runsThatAreKilledJoinedAndLateReachNobodyTwice(_ division: PartTrial.Division, _ seed: UInt64) async throws {
        try await disturb(division, devices: isLong ? 20_000 : 300, batchSize: isLong ? 1000 : 20, seed: seed)
    }

    @Test(.enabled(if: isLong), arguments: PartTrial.Division.allCases)
    func aHundredThousandDevicesWhoseRunsAreKilledJoinedAndLateAreReachedOnce(
        _ division: PartTrial.Division
    ) async throws {
        try await disturb(division, devices: 100_000, batchSize: 1000, seed: 9)
    }

    private func disturb(_ division: PartTrial.Division, devices: Int, batchSize: Int, seed: UInt64) async throws {
        let fixture = try await PostgresFixture.make()
        let trial = try await trial(devices, fixture)
        #expect(try await trial.violations(disturbing: division, batchSize: batchSize, seed: seed) == [])
        await fixture.close()
    }
}
