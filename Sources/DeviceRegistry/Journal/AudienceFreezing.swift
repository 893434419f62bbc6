internal import Base
package import Push

extension RegistryTransaction {
    /// Begins to write an audience; false when it is complete already.
    ///
    /// Nothing is sent before the audience is complete, so an interrupted attempt is started over: the audience is one
    /// snapshot. Once a later `attempt` has taken over, steps of an earlier one write nothing.
    package func beginFreezing(_ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?) throws -> Bool {
        try check(lease, of: freeze.workspace, .free)
        let isComplete = try journal(of: freeze.delivery, .free).map { $0.freezing == nil } ?? false
        if !isComplete, !freeze.audience.frequency.isEmpty { try holdFrequencyTurn() }
        let fresh = JournalRow(
            delivery: freeze.delivery, workspace: freeze.workspace, environment: freeze.environment,
            batchSize: freeze.batchSize, raisesBadges: freeze.raisesBadges, freezing: attempt)
        if try add(fresh) { return true }
        var known = try begun(freeze.delivery, .changing)
        guard known.workspace == freeze.workspace else {
            throw RegistryError(.valueTaken, "The delivery '\(freeze.delivery)' is another workspace's.")
        }
        guard known.freezing != nil else {
            try check(lease, of: freeze.workspace)
            return false
        }
        (known.environment, known.batchSize) = (freeze.environment, freeze.batchSize)
        (known.raisesBadges, known.freezing) = (freeze.raisesBadges, attempt)
        try write(known)
        return true
    }

    /// Removes part of an earlier attempt's batches; false when none were left.
    package func clearFreezing(_ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?) throws -> Bool {
        try removeBatches(of: try ours(freeze, attempt, lease, .free))
    }

    /// Writes batches.
    package func add(_ batches: [BatchRow], _ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?) throws {
        _ = try ours(freeze, attempt, lease, .free)
        try add(batches)
    }

    /// Removes part of an audience whose size is not allowed; false when nothing is left of it.
    package func abandonFreezing(_ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?) throws -> Bool {
        let journal = try ours(freeze, attempt, lease, .free)
        if try removeBatches(of: journal) { return true }
        try execute("DELETE FROM journal WHERE delivery = ?", [journal.delivery])
        return false
    }

    /// Marks the audience as complete.
    ///
    /// - Throws: ``FreezeOvertaken`` when it has to be frozen anew.
    package func finishFreezing(
        _ packer: AudiencePacker, _ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?
    ) throws {
        var journal = try ours(freeze, attempt, lease, .shared)
        try endTurn(packer.sieve)
        let audience = packer.figures
        (journal.freezing, journal.targets) = (nil, audience.devices)
        let leftOut = JSONObject(audience.leftOut.lazy.map { ($0.key.rawValue, JSONValue.integer(Int64($0.value))) })
        journal.leftOut = JSONValue.object(leftOut).canonicalText
        try add(packer.finder.parts.sorted { $0.number < $1.number }, to: journal)
        try write(journal)
        if let events = freeze.events { try addEventWindow(of: journal, events) }
    }

    private func ours(
        _ freeze: DeliveryFreeze, _ attempt: String, _ lease: Lease?, _ hold: RowHold
    ) throws -> JournalRow {
        try check(lease, of: freeze.workspace, hold)
        guard let journal = try journal(of: freeze.delivery, .changing), journal.freezing == attempt else {
            throw RegistryError(.noEffect, "Another sender freezes the audience of the delivery '\(freeze.delivery)'.")
        }
        return journal
    }
}

extension JournalRow {
    func leftOutByReason() throws -> [LeftOut: Int] {
        (try JSONValue(stored: leftOut).object ?? [:]).reduce(into: [:]) { counts, entry in
            guard let reason = LeftOut(rawValue: entry.key) else { return }
            counts[reason] = entry.value.integer.map { Int($0) }
        }
    }
}

/// Packs the devices of an audience into batches with one route each.
package struct AudiencePacker {
    /// The size of the audience so far.
    package private(set) var figures = AudienceCount(devices: 0)
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
            if let choice, freeze.audience.words?.fits(choice, by: freeze.audience.routes[route]) == false {
                figures.leftOut[.tooLarge, default: 0] += 1
                return []
            }
            figures.devices += 1
            if figures.devices >= freeze.allowed.upperBound { return [] }
            let place = Place(part: finder.place(traits, token: token, arm: arm), form: choice?.form ?? 0, route: route)
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

/// The devices of one batch, in packed form.
///
/// Per device: two bytes with the length of its address, whose highest bit tells that it is a ``PushAddress`` rather than a
/// token; the bytes of the token or of that text; and the difference between its installation's row and the previous one
/// as a variable-length integer. 35 bytes for most of Apple's devices.
package struct TargetPack: Sendable {
    /// The packed bytes.
    package private(set) var bytes: [UInt8] = []
    /// The rows of the installations, 0 for unregistered devices.
    package private(set) var rows: [Int64] = []
    private var tokens: [Range<Int>] = []

    /// Creates an empty pack.
    package init(reserving devices: Int) {
        bytes.reserveCapacity(devices * 36)
        rows.reserveCapacity(devices)
        tokens.reserveCapacity(devices)
    }

    /// The number of devices.
    package var count: Int { rows.count }

    /// Adds a device; its token has an even number of hexadecimal digits, see ``isToken(_:)``, or is a ``PushAddress``.
    package mutating func append(token digits: [UInt8], row: Int64) {
        let isText = PushAddress.isOne(digits)
        let length = isText ? digits.count : digits.count / 2
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8) | (isText ? Self.textBit : 0))
        let start = bytes.count
        if isText {
            bytes.append(contentsOf: digits)
        } else {
            let isToken = unsafe digits.withUnsafeBytes { unsafe bytes.append(hexadecimal: $0) }
            // Nobody's: the pack stays whole.
            if !isToken { bytes.append(contentsOf: repeatElement(0, count: length)) }
        }
        tokens.append(start..<bytes.count)
        let difference = row &- (rows.last ?? 0)
        var rest = UInt64(bitPattern: difference << 1 ^ difference >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        rows.append(row)
    }

    /// Decodes packed bytes; nil when they are damaged.
    package init?(_ written: [UInt8]) {
        bytes = written
        rows.reserveCapacity(bytes.count / 34)
        tokens.reserveCapacity(bytes.count / 34)
        let isWhole = unsafe bytes.withUnsafeBufferPointer { bytes in
            var (position, row) = (0, Int64(0))
            while position < bytes.count {
                guard position + 2 <= bytes.count else { return false }
                let start = position + 2
                position = unsafe start + Int(bytes[position]) + Int(bytes[position + 1] & ~Self.textBit) << 8
                guard position < bytes.count else { return false }
                tokens.append(start..<position)
                var (rest, shift, isLast) = (UInt64(0), UInt64(0), false)
                while !isLast {
                    guard position < bytes.count, shift < 64 else { return false }
                    unsafe rest |= UInt64(bytes[position] & 0x7F) << shift
                    isLast = unsafe bytes[position] < 0x80
                    shift += 7
                    position += 1
                }
                row &+= Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
                rows.append(row)
            }
            return true
        }
        guard isWhole else { return nil }
    }

    /// The bit of a length's upper byte that tells of a text.
    private static let textBit: UInt8 = 0x80

    /// True if the device's address is a ``PushAddress``.
    package func isText(_ index: Int) -> Bool { bytes[tokens[index].lowerBound - 1] & Self.textBit != 0 }

    /// The devices with a ``PushAddress``.
    var texts: Set<Int> { Set((0..<count).filter(isText)) }

    /// The token of a device in lower-case hexadecimal, or its ``PushAddress``.
    package func token(_ index: Int) -> String {
        if isText(index) { return String(decoding: bytes[tokens[index]], as: UTF8.self) }
        return unsafe String(unsafeUninitializedCapacity: tokens[index].count * 2) { text in
            unsafe write(index, to: text, at: 0)
        }
    }

    /// The tokens, without texts, as a PostgreSQL array literal: `{00ff,01fe}`.
    package func list(except failed: Set<Int> = []) -> String {
        unsafe String(unsafeUninitializedCapacity: 2 * bytes.count + 2) { text in
            unsafe text[0] = UInt8(ascii: "{")
            var end = 1
            for index in tokens.indices where !failed.contains(index) && !isText(index) {
                if end > 1 {
                    unsafe text[end] = UInt8(ascii: ",")
                    end += 1
                }
                end = unsafe write(index, to: text, at: end)
            }
            unsafe text[end] = UInt8(ascii: "}")
            return end + 1
        }
    }

    /// Writes a token's digits, and returns where they end.
    private func write(_ index: Int, to text: UnsafeMutableBufferPointer<UInt8>, at place: Int) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            let token = unsafe UnsafeRawBufferPointer(rebasing: bytes[tokens[index]])
            if let start = text.baseAddress { unsafe token.writeHexadecimal(to: start + place) }
            return place + 2 * token.count
        }
    }

    /// True for a device token: an even number of hexadecimal digits.
    ///
    /// Source: docs/background/apple/requests.md#request.
    package static func isToken(_ text: [UInt8]) -> Bool {
        guard !text.isEmpty, text.count % 2 == 0, text.count / 2 <= Int16.max else { return false }
        return unsafe text.withUnsafeBytes { unsafe $0.isHexadecimal }
    }
}

/// The badges of a batch's devices, the number of attempts, whether they are sent to again for a lost answer, and when they
/// were due, in packed form: four bytes, two and eight.
struct TargetTries: Sendable {
    /// The packed bytes.
    private(set) var bytes: [UInt8] = []

    init() {}

    /// Decodes the packed bytes of `count` devices, nil for a first attempt without badges; fails when they are
    /// damaged.
    init?(_ written: [UInt8]?, count: Int) {
        guard let written else { return }
        guard written.count == count * Self.width else { return nil }
        bytes = written
    }

    private static let width = 14

    /// True for a first attempt without badges.
    var isEmpty: Bool { bytes.isEmpty }

    /// The bit beside the number of attempts that tells of a device that is sent to again.
    private static let resentBit: UInt16 = 0x8000

    /// Adds a device; the badge is 0 for none.
    mutating func append(badge: Int, attempts: Int, isResent: Bool = false, dueAt: Instant = TargetRow.atOnce) {
        let tried = UInt16(clamping: min(attempts, 0x7FFF)) | (isResent ? Self.resentBit : 0)
        unsafe withUnsafeBytes(of: UInt32(clamping: badge).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: tried.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: dueAt.milliseconds.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// A device's badge, 0 for none, its number of attempts, whether it is sent to again, and when it was due.
    subscript(index: Int) -> (badge: Int, attempts: Int, isResent: Bool, dueAt: Instant) {
        guard !bytes.isEmpty else { return (0, 0, false, TargetRow.atOnce) }
        return unsafe bytes.withUnsafeBytes { bytes in
            let start = index * Self.width
            let tried = unsafe UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self))
            let dueAt = unsafe Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 6, as: Int64.self))
            return unsafe (
                Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))),
                Int(tried & ~Self.resentBit), tried & Self.resentBit != 0, Instant(milliseconds: dueAt)
            )
        }
    }
}
