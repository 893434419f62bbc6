import Base
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

extension Instant {
    /// Noon of a day that tests begin at.
    static let noon = Instant(milliseconds: 1_795_262_400_000)
}

/// A registry in memory with four notes, two users and three devices.
struct Samples {
    let registry: Registry
    let user: [String: String]

    init() async throws {
        registry = try await Registry.test()
        user = [
            "U1": try await Self.add(
                registry, "_User",
                #"{"name":"u1","city":"alpha","location":{"__type":"GeoPoint","latitude":39.99,"longitude":116.31}}"#),
            "U2": try await Self.add(
                registry, "_User",
                #"{"name":"u2","city":"omega","location":{"__type":"GeoPoint","latitude":31.2,"longitude":121.4}}"#),
        ]
        for note in Self.notes { _ = try await Self.add(registry, "Note", replaced(note)) }
        for device in Self.devices { _ = try await Self.add(registry, "_Installation", replaced(device)) }
    }

    /// The names of the objects that fit a condition, in the order of the answer.
    func names(in className: String, where condition: String, order: [String] = []) async throws -> String {
        let condition = try JSONValue(parsing: replaced(condition), limits: JSONLimits(depth: 512))
        let query = ObjectQuery(where: condition, order: order)
        let found = try await registry.find(query, in: try ClassName(className), as: .master)
        return found.results.map { $0["name"]?.string ?? "?" }.joined(separator: " ")
    }

    private func replaced(_ text: String) -> String {
        user.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }

    private static func add(_ registry: Registry, _ className: String, _ text: String) async throws -> String {
        let members = try #require(try JSONValue(parsing: text).object)
        let written = try await registry.create(members, in: try ClassName(className), as: .master, at: .noon)
        return written.object.objectID
    }

    private static let notes = [
        #"""
        {"name":"a","n":1,"s":"alpha","tags":["x","y"],"on":true,"when":{"__type":"Date","iso":"2020-01-01T00:00:00Z"},
         "at":{"__type":"GeoPoint","latitude":39.9869,"longitude":116.3059},
         "who":{"__type":"Pointer","className":"_User","objectId":"U1"},
         "deep":{"k":5,"m":{"z":"q"}},"mixed":[1,"1",{"b":2,"a":1},{"__type":"Pointer","className":"_User","objectId":"U2"}]}
        """#,
        #"""
        {"name":"b","n":2.5,"s":"beta","tags":["y"],"on":false,
         "when":{"__type":"Date","iso":"2021-06-01T08:00:00.5+08:00"},
         "at":{"__type":"GeoPoint","latitude":40.0,"longitude":116.3},
         "who":{"__type":"Pointer","className":"_User","objectId":"U2"},"deep":{"k":7}}
        """#,
        #"""
        {"name":"c","n":10,"s":"Gamma\nray","tags":[],"none":null,
         "at":{"__type":"GeoPoint","latitude":-17.0,"longitude":179.5}}
        """#,
        #"{"name":"d","n":"1"}"#,
    ]

    private static let devices = [
        #"""
        {"name":"i","deviceType":"ios","deviceToken":"aa","channels":["Giants","Mets"],"scores":true,
         "deviceProfile":"driver","owner":{"__type":"Pointer","className":"_User","objectId":"U1"}}
        """#,
        #"""
        {"name":"j","deviceType":"ios","deviceToken":"bb","channels":["Mets"],"scores":false,"valid":false,
         "owner":{"__type":"Pointer","className":"_User","objectId":"U2"}}
        """#,
        #"{"name":"k","deviceType":"android","installationId":"cc","channels":["新闻"],"deviceProfile":"passenger"}"#,
    ]
}

extension DeliveryAudience {
    /// The devices that match a condition, which all get one topic.
    static func devices(where condition: JSONValue = [:], profile: String = "p", topic: String = "t") -> Self {
        Self(
            selection: .condition(condition), routes: [DeliveryRoute(profile: profile, topic: topic, isDefault: true)])
    }
}

extension PushOrder {
    /// A push to everybody at once, where nothing else is said.
    init(
        to audience: Audience = .query([:]), id: String? = nil, requestID: String? = nil,
        data: JSONValue = ["alert": "x"], environment: String = "prod", incrementsBadge: Bool = false,
        fireAt: Instant? = nil, expiresAt: Instant? = nil
    ) {
        self.init(
            notificationID: id, requestID: requestID, audience: audience, data: data, environment: environment,
            incrementsBadge: incrementsBadge, fireAt: fireAt, expiresAt: expiresAt)
    }
}

extension Journal {
    /// The lease of a lock that nobody else holds.
    func lease(on workspace: String, holder: String = "h", run: String = "r") async throws -> Lease {
        let attempt = try await acquireLock(of: workspace, holder: holder, run: run)
        guard case .acquired(let lease) = attempt else { throw ServerFailure(description: "no lock but \(attempt)") }
        return lease
    }

    /// The next batch of a delivery, which has one.
    func batch(of delivery: String, by claimant: String = "r", under lease: Lease? = nil) async throws -> JournalBatch {
        let next = try await claim(from: delivery, by: claimant, under: lease)
        guard case .batch(let batch) = next else { throw ServerFailure(description: "no batch but \(next)") }
        return batch
    }
}

extension Registry {
    /// Registers an iPhone.
    @discardableResult
    func register(_ token: String, _ fields: JSONObject = [:]) async throws -> StoredObject {
        let device: JSONObject = ["deviceType": "ios", "deviceToken": .string(token)]
        let members = device.merging(fields) { $1 }
        return try await create(members, in: .installation, as: .master, at: .noon).object
    }

    /// Adds valid devices, their tokens a prefix and a number, with a channel `x`.
    func fill(_ count: Int, _ prefix: String, seenAt: Instant) async throws {
        try await write { db in
            let rows = (1...count).map { number -> [any SQLBindable] in
                let token = "\(prefix)\(number)"
                let document =
                    #"{"channels":["x"],"deviceToken":"\#(token)","deviceType":"ios","valid":true}"#
                return (db.dialect == .sqlite ? [] : [token]) + [token, seenAt, seenAt, document]
            }
            let key = db.dialect == .sqlite ? "" : "token, "
            try db.add(rows, to: "installation(\(key)objectId, createdAt, updatedAt, document)")
        }
    }
}
