/// Packs the devices of an audience into batches with one route each.
package struct AudiencePacker {
    /// The size of the audience so far.
    package private(set) var figures = AudienceFigures(devices: 0)
    private let freeze: DeliveryFreeze
    private var packs: [TargetPack]
    private var ready: [BatchRow] = []
    private var (number, readyDevices) = (0, 0)

    /// The number of batches written at a time: about a megabyte.
    private static let batchesAtOnce = 32
    /// The minimum number of devices written at a time, however small the batches are.
    private static let fewestAtOnce = 1000

    package init(_ freeze: DeliveryFreeze) {
        self.freeze = freeze
        packs = freeze.audience.routes.map { _ in TargetPack(reserving: freeze.batchSize) }
    }

    /// Adds a selected device, with the digits of its token and its row; returns the batches to write now.
    package mutating func take(_ fate: AudienceFate, token: [UInt8], row: Int64) -> [BatchRow] {
        switch fate {
        case .leftOut(let reason): figures.leftOut[reason, default: 0] += 1
        case .reached(let route):
            figures.devices += 1
            if let most = freeze.mostDevices, figures.devices > most { return [] }
            packs[route].append(token: token, row: row)
            guard packs[route].count >= freeze.batchSize else { return [] }
            end(route)
            if ready.count >= Self.batchesAtOnce, readyDevices >= Self.fewestAtOnce { return step() }
        }
        return []
    }

    /// Returns the remaining batches.
    ///
    /// - Throws: ``RegistryError`` with code 154 when there are more devices than allowed; all have been counted by
    ///   then.
    package mutating func finish() throws -> [BatchRow] {
        try freeze.check(devices: figures.devices)
        for route in packs.indices where packs[route].count > 0 { end(route) }
        return step()
    }

    private mutating func end(_ route: Int) {
        number += 1
        readyDevices += packs[route].count
        ready.append(
            BatchRow(
                delivery: freeze.delivery, number: number, profile: freeze.audience.routes[route].profile,
                targets: packs[route]))
        packs[route] = TargetPack(reserving: freeze.batchSize)
    }

    private mutating func step() -> [BatchRow] {
        defer { (ready, readyDevices) = ([], 0) }
        return ready
    }
}
