/// The members of a JSON object, each name once, in the order in which they came; what it means does not hang on the order.
package struct JSONObject: Sendable {
    private var members: [Member] = []
    /// Where each name stands, once there are too many to look through.
    private var places: NamePlaces?

    /// So many are looked through, which is quicker than a table and takes half the memory.
    static let few = 16

    /// A member as it is kept: arrays of structures are copied faster than those of tuples.
    struct Member {
        var key: String
        var value: JSONValue
    }

    /// Makes an object of members; of those of one name the first counts.
    package init(_ members: some Sequence<Element>) {
        self.init(members: members.map { Member(key: $0.key, value: $0.value) })
    }

    /// Makes an object of members; of those of one name the first counts.
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

    /// Notes where each name stands, and leaves out what stands under a name again.
    ///
    /// - Parameter more: how many names are to have room beside them.
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

    /// The value under a name; a new name stands last, and nil removes it.
    package subscript(name: String) -> JSONValue? {
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

    /// Of many members the last takes the place: to move all of them would make the removal of all quadratic.
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
    /// A name and what stands under it.
    package typealias Element = (key: String, value: JSONValue)

    package var startIndex: Int { 0 }
    package var endIndex: Int { members.count }
    package subscript(position: Int) -> Element { (members[position].key, members[position].value) }
}

// What a dictionary has, by the same names.
extension JSONObject {
    /// The names.
    package var keys: [String] { map(\.key) }

    /// What stands under the names.
    package var values: [JSONValue] { map(\.value) }

    /// An object without members.
    package init() {}

    /// Removes a name, and returns what stood under it.
    @discardableResult package mutating func removeValue(forKey name: String) -> JSONValue? {
        defer { self[name] = nil }
        return self[name]
    }

    /// The members that a test lets through.
    package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        JSONObject(try lazy.map { $0 }.filter(isIncluded))
    }

    /// The same names with other values.
    package func mapValues<Failure: Error>(
        _ transform: (JSONValue) throws(Failure) -> JSONValue
    ) throws(Failure) -> JSONObject {
        var result = self
        for place in members.indices { result.members[place].value = try transform(members[place].value) }
        return result
    }

    /// Takes other members in; `combine` chooses where both have a name.
    package mutating func merge(_ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) -> JSONValue) {
        for (name, value) in other { self[name] = self[name].map { combine($0, value) } ?? value }
    }

    /// These members and others; `combine` chooses where both have a name.
    package func merging(
        _ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) -> JSONValue
    ) -> JSONObject {
        var result = self
        result.merge(other, uniquingKeysWith: combine)
        return result
    }
}

extension JSONObject: Hashable {
    package static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
        lhs.count == rhs.count && lhs.allSatisfy { rhs[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        // A sum, which no order changes.
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
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members.lazy.map { (key: $0, value: $1) })
    }
}
