internal import Base

/// The members of one object of a recorded request, read strictly.
struct OrderReader {
    /// The object's members.
    let members: JSONObject
    private let path: String

    /// Reads the object at `path`; the outermost is `body`.
    init(_ value: JSONValue, _ path: String) throws(DeliveryOrderError) {
        guard let members = value.object else { throw DeliveryOrderError(path, "is not an object") }
        self.members = members
        self.path = path
    }

    func error(_ name: String, _ problem: String) -> DeliveryOrderError {
        DeliveryOrderError(path == "body" ? name : "\(path).\(name)", problem)
    }

    /// Throws when there is a member with another name.
    func allow(_ names: Set<String>) throws(DeliveryOrderError) {
        if let unknown = members.keys.filter({ !names.contains($0) }).min() { throw error(unknown, "is not known") }
    }

    /// A non-empty string.
    func string(_ name: String) throws(DeliveryOrderError) -> String {
        guard let text = members[name]?.string, !text.isEmpty else { throw error(name, "is not a string") }
        return text
    }

    func optionalString(_ name: String) throws(DeliveryOrderError) -> String? {
        members[name] == nil ? nil : try string(name)
    }

    func strings(_ name: String) throws(DeliveryOrderError) -> [String] {
        guard let elements = members[name]?.array else { throw error(name, "is not a list") }
        let texts = elements.compactMap(\.string).filter { !$0.isEmpty }
        guard texts.count == elements.count else { throw error(name, "is not a list of strings") }
        return texts
    }

    /// One of an enumeration's raw values.
    func choice<Value: RawRepresentable<String>>(_ name: String) throws(DeliveryOrderError) -> Value {
        guard let value = Value(rawValue: try string(name)) else { throw error(name, "has an unknown value") }
        return value
    }

    /// A positive integer.
    func optionalCount(_ name: String) throws(DeliveryOrderError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.integer, number > 0, let count = Int(exactly: number) else {
            throw error(name, "is not a positive number")
        }
        return count
    }

    /// True when a member that allows a single value is present.
    func mark(_ name: String, _ only: JSONValue) throws(DeliveryOrderError) -> Bool {
        guard let value = members[name] else { return false }
        guard value == only else { throw error(name, "is not \(only.canonicalText)") }
        return true
    }

    /// An object, as it is sent.
    func payload(_ name: String) throws(DeliveryOrderError) -> JSONValue {
        guard let payload = members[name], payload.object != nil else { throw error(name, "is not an object") }
        return payload
    }

    func object(_ name: String) throws(DeliveryOrderError) -> OrderReader {
        guard let value = members[name] else { throw error(name, "is missing") }
        return try OrderReader(value, path == "body" ? name : "\(path).\(name)")
    }

    func objects(_ name: String) throws(DeliveryOrderError) -> [OrderReader] {
        guard let elements = members[name]?.array else { throw error(name, "is not a list") }
        var readers: [OrderReader] = []
        for element in elements { readers.append(try OrderReader(element, name)) }
        return readers
    }
}
