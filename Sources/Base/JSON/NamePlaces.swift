/// The index of a large object: a hash table from names to positions, a third of it free.
struct NamePlaces: Sendable {
    /// Per slot the upper half of the name's hash and the position counted from 1, or ``free`` or ``gone``. The last
    /// element counts the taken slots: an object is to stay two words long.
    private var slots: [UInt64]

    private static let free: UInt64 = 0
    private static let gone: UInt64 = 0xFFFF_FFFF

    /// Creates an empty table for `count` names.
    init(count: Int) {
        slots = Array(repeating: Self.free, count: count * 3 / 2 + 2)
    }

    /// The position of a name.
    func place(of name: String, in members: [JSONObject.Member]) -> Int? {
        let entry = slots[slot(of: name, in: members).slot]
        return entry == Self.free ? nil : Self.place(entry)
    }

    /// Inserts the position of a name that is among the members or comes next; false when the name is present already.
    mutating func insert(_ name: String, at place: Int, in members: [JSONObject.Member]) -> Bool {
        let (slot, tag) = slot(of: name, in: members)
        guard slots[slot] == Self.free else { return false }
        slots[slot] = tag | UInt64(place + 1)
        slots[size] += 1
        return true
    }

    /// True if another name would leave too few free slots.
    var isFull: Bool { Int(slots[size]) * 3 >= size * 2 }

    private var size: Int { slots.count - 1 }

    /// Removes a name whose place the last member is about to take.
    mutating func remove(at place: Int, in members: [JSONObject.Member]) {
        let (last, tag) = slot(of: members[members.count - 1].key, in: members)
        let removed = slot(of: members[place].key, in: members).slot
        slots[last] = tag | UInt64(place + 1)
        slots[removed] = Self.gone
    }

    private static func place(_ entry: UInt64) -> Int { Int(entry & 0xFFFF_FFFF) - 1 }

    /// The slot of a name, or the free slot that it would take, and the name's part of the entry.
    @inline(__always)
    private func slot(of name: String, in members: [JSONObject.Member]) -> (slot: Int, tag: UInt64) {
        let hash = Self.hash(name)
        let tag = hash & ~0xFFFF_FFFF
        var slot = Int(((hash & 0xFFFF_FFFF) * UInt64(size)) >> 32)
        while slots[slot] != Self.free {
            let entry = slots[slot]
            if entry & ~0xFFFF_FFFF == tag, entry != Self.gone, members[Self.place(entry)].key == name { break }
            slot = slot + 1 == size ? 0 : slot + 1
        }
        return (slot, tag)
    }

    /// Random for each run, so that untrusted names cannot be made to collide.
    private static let keys = (UInt64.random(in: 1 ... .max), UInt64.random(in: 1 ... .max))

    /// A folded multiplication per eight bytes (wyhash), at a third of the cost of the library's hash.
    @inline(__always) private static func hash(_ name: String) -> UInt64 {
        var copy = name
        let hash = copy.withUTF8 { bytes -> UInt64? in
            var (state, seen) = (keys.0 ^ UInt64(bytes.count), UInt64(0))
            var start = 0
            while start < bytes.count {
                var word: UInt64 = 0
                if start + 8 <= bytes.count {
                    word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: start, as: UInt64.self)
                } else {
                    for byte in bytes[start...] { word = word << 8 | UInt64(byte) }
                }
                seen |= word
                state = fold(state ^ word)
                start += 8
            }
            return seen & 0x8080_8080_8080_8080 == 0 ? fold(state) : nil
        }
        // Strings that are not ASCII can be equal with different bytes, which the library's hash accounts for.
        return hash ?? UInt64(truncatingIfNeeded: name.hashValue)
    }

    @inline(__always) private static func fold(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: keys.1)
        return product.high ^ product.low
    }
}
