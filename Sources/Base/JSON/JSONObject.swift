/// The members of a JSON object, with unique names and in insertion order; the order does not affect equality.
public struct JSONObject: Sendable {
    private var members: [Member] = []
    /// The index of each name, once there are too many members for a linear search.
    private var places: NamePlaces?

    /// The largest number of members for a linear search, which is quicker than a table up to here and takes half the
    /// memory.
    static let few = 16

    /// A stored member: arrays of structures are copied faster than those of tuples.
    struct Member {
        var key: String
        var value: JSONValue
    }

    /// Creates an object from members; the first member of a name wins.
    public init(_ members: some Sequence<Element>) {
        self.init(members: members.map { Member(key: $0.key, value: $0.value) })
    }

    /// Creates an object from members; the first member of a name wins.
    init(members: [Member]) {
        self.members = members
        guard self.members.count <= Self.few else {
            index()
            return
        }
        for place in self.members.indices.dropFirst().reversed() {
            let name = self.members[place].key
            if self.members[..<place].contains(where: { $0.key == name }) { self.members.remove(at: place) }
        }
    }

    /// Builds the index, and drops later members of the same name.
    ///
    /// - Parameter more: the number of further names to reserve room for.
    private mutating func index(more: Int = 0) {
        var places = NamePlaces(count: members.count + more)
        var count = 0
        for place in members.indices where places.insert(members[place].key, at: count, in: members) {
            if count < place { members.swapAt(count, place) }
            count += 1
        }
        members.removeLast(members.count - count)
        self.places = places
    }

    private func place(of name: String) -> Int? {
        if let places { places.place(of: name, in: members) } else { members.firstIndex { $0.key == name } }
    }

    /// The value of a name; a new name is appended, and nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { place(of: name).map { members[$0].value } }
        set {
            switch (place(of: name), newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): remove(at: place)
            case (nil, let value?):
                members.append(Member(key: name, value: value))
                if places?.isFull ?? (members.count > Self.few) {
                    index(more: members.count)
                } else {
                    _ = places?.insert(name, at: members.count - 1, in: members)
                }
            case (nil, nil): break
            }
        }
    }

    /// Removes a member. In a large object the last member takes its place: shifting all of them would make removing
    /// every member quadratic.
    private mutating func remove(at place: Int) {
        guard places != nil else {
            members.remove(at: place)
            return
        }
        places?.remove(at: place, in: members)
        members.swapAt(place, members.count - 1)
        members.removeLast()
    }
}

extension JSONObject: RandomAccessCollection {
    /// A name and its value.
    public typealias Element = (key: String, value: JSONValue)

    /// The index of the first member.
    public var startIndex: Int { 0 }
    /// The index after the last member.
    public var endIndex: Int { members.count }
    /// The member at an index.
    public subscript(position: Int) -> Element { (members[position].key, members[position].value) }
}

// The dictionary-like members, with the names that `Dictionary` uses.
extension JSONObject {
    /// The names.
    public var keys: [String] { map(\.key) }

    /// The values of the members.
    public var values: [JSONValue] { map(\.value) }

    /// An object without members.
    public init() {}

    /// Removes a member and returns its value.
    @discardableResult public mutating func removeValue(forKey name: String) -> JSONValue? {
        defer { self[name] = nil }
        return self[name]
    }

    /// The members that satisfy a predicate.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        JSONObject(members: try members.filter { try isIncluded((key: $0.key, value: $0.value)) })
    }

    /// The same names with transformed values.
    public func mapValues<Failure: Error>(
        _ transform: (JSONValue) throws(Failure) -> JSONValue
    ) throws(Failure) -> JSONObject {
        var result = self
        for place in members.indices { result.members[place].value = try transform(members[place].value) }
        return result
    }

    /// Merges other members into these; `combine` resolves names that both have.
    public mutating func merge(_ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) -> JSONValue) {
        for (name, value) in other { self[name] = self[name].map { combine($0, value) } ?? value }
    }

    /// These members merged with others; `combine` resolves names that both have.
    public func merging(
        _ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) -> JSONValue
    ) -> JSONObject {
        var result = self
        result.merge(other, uniquingKeysWith: combine)
        return result
    }
}

extension JSONObject: Hashable {
    /// True if both have the same members, in whatever order.
    public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
        lhs.count == rhs.count && lhs.allSatisfy { rhs[$0.key] == $0.value }
    }

    /// The order of the members does not count.
    public func hash(into hasher: inout Hasher) {
        // A sum does not depend on the order.
        hasher.combine(
            reduce(into: 0) { sum, member in
                var hasher = Hasher()
                hasher.combine(member.key)
                hasher.combine(member.value)
                sum &+= hasher.finalize()
            })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object from its members.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members.lazy.map { (key: $0, value: $1) })
    }
}

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

    @inline(__always) private static func hash(_ name: String) -> UInt64 { hash(ofASCII: name) ?? hash(ofOther: name) }

    /// A folded multiplication per eight bytes (wyhash), at a third of the cost of the library's hash; nil for a name
    /// that is not ASCII.
    @inline(__always) private static func hash(ofASCII name: String) -> UInt64? {
        var copy = name
        return copy.withUTF8 { bytes -> UInt64? in
            var (state, seen) = (keys.0 ^ UInt64(bytes.count), UInt64(0))
            var start = 0
            while start < bytes.count {
                var word: UInt64 = 0
                if start + 8 <= bytes.count {
                    word = unsafe UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: start, as: UInt64.self)
                } else {
                    for place in start..<bytes.count { word = unsafe word << 8 | UInt64(bytes[place]) }
                }
                seen |= word
                state = fold(state ^ word)
                start += 8
            }
            return seen & 0x8080_8080_8080_8080 == 0 ? fold(state) : nil
        }
    }

    /// Strings that are not ASCII can be equal with different bytes, which the library's hash accounts for; one of
    /// ``twins`` only can be equal to an ASCII string, and must have its hash.
    private static func hash(ofOther name: String) -> UInt64 {
        let plain = String(String.UnicodeScalarView(name.unicodeScalars.map { twins[$0] ?? $0 }))
        return hash(ofASCII: plain) ?? UInt64(truncatingIfNeeded: plain.hashValue)
    }

    /// The characters beyond ASCII whose canonical form is ASCII. Source: the Unicode Character Database.
    private static let twins: [Unicode.Scalar: Unicode.Scalar] = ["\u{37E}": ";", "\u{1FEF}": "`", "\u{212A}": "K"]

    @inline(__always) private static func fold(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: keys.1)
        return product.high ^ product.low
    }
}
