extension JSONValue: Decodable {
    /// Takes the value that stands there; only ``decoded(as:)`` has one.
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ValueDecoder else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not JSON"))
        }
        self = decoder.value
    }

    /// Makes of this value what a type says of itself.
    ///
    /// - Throws: `DecodingError` with the path of the member that is missing or has the wrong type.
    package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try Value(from: ValueDecoder(value: self))
    }
}

/// Decodes one value.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    /// The path of what it is in, and its name there.
    var parent: [any CodingKey] = []
    var key: (any CodingKey)?

    var codingPath: [any CodingKey] { parent + (key.map { [$0] } ?? []) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.object else { throw mismatch(JSONObject.self) }
        return KeyedDecodingContainer(MemberDecoder(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.array else { throw mismatch([JSONValue].self) }
        return ElementDecoder(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "another type is expected")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func integer<Integer: FixedWidthInteger>() throws -> Integer {
        guard value.double != nil else { throw mismatch(Integer.self) }
        guard let integer = value.integer.flatMap({ Integer(exactly: $0) }) else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "it does not fit"))
        }
        return integer
    }

    func decodeNil() -> Bool { value.isNull }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let flag = value.bool else { throw mismatch(type) }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.string else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = value.double else { throw mismatch(type) }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
}

/// Decodes the members of an object.
private struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: JSONObject
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func member(_ key: Key) throws -> ValueDecoder {
        guard let value = members[key.stringValue] else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "it is missing")
            throw DecodingError.keyNotFound(key, context)
        }
        return ValueDecoder(value: value, parent: codingPath, key: key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decode(type) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).integer() }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).integer() }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).integer() }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).integer() }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).integer() }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).integer() }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).integer() }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).integer() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).integer() }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).integer() }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { ValueDecoder(value: .object(members), parent: codingPath) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

/// Decodes the elements of a list, one after the other.
private struct ElementDecoder: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    private struct Index: CodingKey {
        var intValue: Int?
        var stringValue: String { "" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    /// Steps over an element that could be decoded.
    private mutating func next<Value>(_ decode: (ValueDecoder) throws -> Value) throws -> Value {
        let key = Index(intValue: currentIndex)
        guard !isAtEnd else {
            let context = DecodingError.Context(codingPath: codingPath + [key], debugDescription: "it is missing")
            throw DecodingError.valueNotFound(Value.self, context)
        }
        let value = try decode(ValueDecoder(value: elements[currentIndex], parent: codingPath, key: key))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer() } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer() } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer() } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer() } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer() } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer() } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer() } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer() } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer() } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer() } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
