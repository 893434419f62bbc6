internal import Foundation

/// What an app knows of its device, and what the server does not know yet; on disk.
struct DeviceState: Codable, Sendable {
    /// The id that this installation of the app gave itself.
    var installationID = UUID().uuidString.lowercased()
    /// The id that the server gave it; nil until it is registered.
    var objectID: String?
    /// Apple's token, in lower-case hexadecimal digits.
    var token: String?
    /// The changes that the server does not have.
    var changes = Changes()
    /// What the server has of the device itself, as it was last sent.
    var registered: [String: String] = [:]
    /// The time when the server last took it.
    var registeredAt: Date?

    /// Changes to a device; a later one of a field or channel replaces an earlier one.
    struct Changes: Codable, Hashable, Sendable {
        /// Fields with their new values; nil removes one.
        var fields: [String: FieldValue?] = [:]
        /// Channels: true subscribes, false unsubscribes.
        var channels: [String: Bool] = [:]

        var isEmpty: Bool { fields.isEmpty && channels.isEmpty }

        /// Forgets what was sent, except where something else is wanted by now.
        mutating func remove(_ sent: Changes) {
            fields = fields.filter { name, value in sent.fields[name] != .some(value) }
            channels = channels.filter { name, isWanted in sent.channels[name] != isWanted }
        }

        /// Adds others, which replace those of the same fields and channels.
        mutating func add(_ others: Changes) {
            fields.merge(others.fields) { $1 }
            channels.merge(others.channels) { $1 }
        }

        /// The changes of one request, without some: a list takes either additions or removals.
        func next(besides refused: Changes) -> Changes {
            var rest = self
            rest.remove(refused)
            let isAdding = rest.channels.values.contains(true)
            return Changes(fields: rest.fields, channels: rest.channels.filter { $0.value == isAdding })
        }

        /// One of the changes, if there is one.
        var first: Changes {
            if let (name, value) = fields.first { return Changes(fields: [name: value]) }
            return Changes(channels: channels.first.map { [$0.key: $0.value] } ?? [:])
        }
    }
}

/// The file in which the state is kept.
struct DeviceStateFile: Sendable {
    private let file: URL

    init(folder: URL) { file = folder.appendingPathComponent("device.json") }

    /// Reads the state; a new one when there is none, or it is damaged.
    ///
    /// - Throws: when there is one that cannot be read now, as before a device is unlocked for the first time.
    func read() throws -> DeviceState {
        guard FileManager.default.fileExists(atPath: file.path) else { return DeviceState() }
        let data = try Data(contentsOf: file)
        return (try? JSONDecoder().decode(DeviceState.self, from: data)) ?? DeviceState()
    }

    /// Writes the state, whole or not at all.
    func write(_ state: DeviceState) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try JSONEncoder().encode(state).write(to: file, options: .atomic)
    }
}

/// A value of one of the app's own fields of its device, such as `userId` or `favoriteTeam`.
public enum FieldValue: Codable, Hashable, Sendable {
    /// A text.
    case text(String)
    /// A whole number.
    case integer(Int)
    /// A number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// A list of texts.
    case texts([String])

    /// The value as `JSONSerialization` takes it.
    var json: Any {
        switch self {
        case .text(let text): text
        case .integer(let number): number
        case .number(let number): number
        case .flag(let flag): flag
        case .texts(let texts): texts
        }
    }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}
