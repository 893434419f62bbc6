package import Push

/// Packs the devices of an audience into batches with one route each.
package struct AudiencePacker {
    /// The size of the audience so far.
    package private(set) var figures = AudienceFigures(devices: 0)
    /// The parts of the devices so far.
    package private(set) var finder: PartFinder
    /// The rules that leave out devices.
    let sieve: AudienceSieve
    private let freeze: DeliveryFreeze
    private var packs: [Place: TargetPack] = [:]
    private var texts: [Place: [[String]]] = [:]
    private var ready: [BatchRow] = []
    private var (number, readyDevices) = (0, 0)

    /// The number of batches written at a time: about a megabyte.
    private static let batchesAtOnce = 32
    /// The minimum number of devices written at a time, however small the batches are.
    private static let fewestAtOnce = 1000

    /// The devices of one batch have one part, one form and one route.
    private struct Place: Hashable {
        let part, form, route: Int
    }

    /// Packs the audience of a delivery that is frozen at `now`, without those whom `sieve` leaves out.
    ///
    /// - Throws: ``RegistryError`` when it is not known any more how often devices were reached.
    package init(_ freeze: DeliveryFreeze, through sieve: AudienceSieve, at now: Instant) throws(RegistryError) {
        if let forgotten = sieve.forgotten {
            throw RegistryError(
                .noEffect,
                "which devices were reached up to \(forgotten.isoText) is forgotten, and policy.frequency looks back further"
            )
        }
        self.freeze = freeze
        self.sieve = sieve
        finder = PartFinder(freeze.division, openedAt: now)
    }

    /// Adds a selected device, with the digits of its token, its row, and what decides on its part and words; returns the
    /// batches to write now.
    package mutating func take(_ fate: AudienceFate, token: [UInt8], row: Int64, traits: DeviceTraits) -> [BatchRow] {
        switch sieve.fate(fate, traits, number: row, token: token) {
        case .leftOut(let reason): figures.leftOut[reason, default: 0] += 1
        case .reached(let route):
            let arm = finder.arm(traits, token: token)
            let choice = freeze.audience.words?.choice(traits.values, arm: arm)
            if let choice, choice.bytes > freeze.audience.words?.limit ?? .max {
                figures.leftOut[.tooLarge, default: 0] += 1
                return []
            }
            figures.devices += 1
            if figures.devices >= freeze.allowed.upperBound { return [] }
            let place = Place(
                part: finder.place(traits, token: token, arm: arm), form: choice?.form ?? 0, route: route)
            guard pack(token, row, choice?.texts ?? [], at: place) >= freeze.batchSize else { return [] }
            end(place)
            if ready.count >= Self.batchesAtOnce, readyDevices >= Self.fewestAtOnce { return step() }
        }
        return []
    }

    /// True if the whole audience has an allowed size.
    package var isAllowed: Bool { freeze.allowed.contains(figures.devices) }

    /// Returns the remaining batches; none when the size of the audience is not allowed.
    package mutating func finish() -> [BatchRow] {
        guard isAllowed else { return [] }
        for place in packs.keys.sorted(by: { ($0.part, $0.form, $0.route) < ($1.part, $1.form, $1.route) }) {
            end(place)
        }
        return step()
    }

    /// Adds a device to the batch of its place; returns the batch's size.
    private mutating func pack(_ token: [UInt8], _ row: Int64, _ own: [String], at place: Place) -> Int {
        if !own.isEmpty { texts[place, default: []].append(own) }
        // In place: a copy of the pack for each device would be most of the work.
        func add(_ pack: inout TargetPack) -> Int {
            pack.append(token: token, row: row)
            return pack.count
        }
        return add(&packs[place, default: TargetPack(reserving: freeze.batchSize)])
    }

    private mutating func end(_ place: Place) {
        guard let pack = packs.removeValue(forKey: place) else { return }
        number += 1
        readyDevices += pack.count
        ready.append(
            BatchRow(
                delivery: freeze.delivery, number: number, part: place.part, form: place.form,
                profile: freeze.audience.routes[place.route].profile, targets: pack,
                texts: texts.removeValue(forKey: place) ?? []))
    }

    private mutating func step() -> [BatchRow] {
        defer { (ready, readyDevices) = ([], 0) }
        return ready
    }
}
