internal import Foundation
internal import GRDB
internal import JSONValue

/// Packs the devices of an audience into batches, from one snapshot of the database.
struct AudienceFreezer {
    /// What is frozen.
    let freeze: DeliveryFreeze
    /// When.
    let now: Timestamp

    /// Batches that one transaction writes down, so that other writers do not wait long: about a megabyte.
    private static let batchesAtOnce = 32
    /// Devices that one transaction writes down at least, however small the batches are.
    private static let fewestAtOnce = 1000

    /// A batch that is to be written down.
    struct Batch: Sendable {
        /// The route's profile.
        let profile: String
        /// How many devices it has.
        let devices: Int
        /// The devices: a ``TargetPack``.
        let pack: Data
    }

    /// Gives the batches in steps, then what was left out.
    ///
    /// - Parameter write: writes one step down; what it throws ends this.
    /// - Throws: ``RegistryError`` with code 154 when there are more devices than may be; all are counted then.
    func run(
        in db: Database, write: ([Batch]) throws -> Void
    ) throws -> [AudienceFigures.LeftOut: Int] {
        let routes = freeze.audience.routes
        var leftOut: [AudienceFigures.LeftOut: Int] = [:]
        var packs = routes.map { _ in TargetPack(reserving: freeze.batchSize) }
        var (ready, devices, reached): ([Batch], Int, Int) = ([], 0, 0)
        func finish(_ route: Int) {
            let pack = packs[route]
            ready.append(Batch(profile: routes[route].profile, devices: pack.count, pack: Data(pack.bytes)))
            devices += pack.count
            packs[route] = TargetPack(reserving: freeze.batchSize)
        }
        func step() throws {
            try write(ready)
            (ready, devices) = ([], 0)
        }
        try AudienceSQL(audience: freeze.audience, now: now).each(in: db) { fate, token, row in
            switch fate {
            case .leftOut(let reason): leftOut[reason, default: 0] += 1
            case .reached(let route):
                reached += 1
                if let most = freeze.mostDevices, reached > most { return }
                packs[route].append(token: token, row: row)
                guard packs[route].count >= freeze.batchSize else { return }
                finish(route)
                if ready.count >= Self.batchesAtOnce, devices >= Self.fewestAtOnce { try step() }
            }
        }
        try freeze.check(devices: reached)
        for route in routes.indices where packs[route].count > 0 { finish(route) }
        if !ready.isEmpty { try step() }
        return leftOut
    }
}
