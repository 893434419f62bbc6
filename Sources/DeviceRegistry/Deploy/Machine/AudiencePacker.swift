/// What becomes of one selected device.
enum AudienceFate: Hashable {
    /// It is reached by the route of this index.
    case reached(Int)
    /// It is left out.
    case leftOut(AudienceFigures.LeftOut)

    /// Reads the number that a statement gave: a route's index, or what ``code(_:)`` says.
    init(_ code: Int64) {
        self = code >= 0 ? .reached(Int(code)) : .leftOut(AudienceFigures.LeftOut.allCases[Int(-1 - code)])
    }

    /// The number that stands for a reason in statements.
    static func code(_ reason: AudienceFigures.LeftOut) -> Int {
        -1 - (AudienceFigures.LeftOut.allCases.firstIndex(of: reason) ?? 0)
    }
}

/// Packs the devices of an audience into batches of one route each.
struct AudiencePacker {
    /// What the audience has so far.
    private(set) var figures = AudienceFigures(devices: 0)
    private let freeze: DeliveryFreeze
    private var packs: [TargetPack]
    private var ready: [BatchRow] = []
    private var (number, readyDevices) = (0, 0)

    /// Batches that are written down at a time: about a megabyte.
    private static let batchesAtOnce = 32
    /// Devices that are written down at a time at least, however small the batches are.
    private static let fewestAtOnce = 1000

    init(_ freeze: DeliveryFreeze) {
        self.freeze = freeze
        packs = freeze.audience.routes.map { _ in TargetPack(reserving: freeze.batchSize) }
    }

    /// Takes a selected device, with the digits of its token and its row; the batches that are to be written down now.
    mutating func take(_ fate: AudienceFate, token: [UInt8], row: Int64) -> [BatchRow] {
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

    /// The batches that are left.
    ///
    /// - Throws: ``RegistryError`` with code 154 when there are more devices than may be; all are counted then.
    mutating func finish() throws -> [BatchRow] {
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
