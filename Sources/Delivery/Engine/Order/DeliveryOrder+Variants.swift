internal import Base
internal import Push

/// The test of variants in a recorded request.
extension VariantTest {
    /// The test with the payloads of each variant; `languages` are the names of those after the first.
    func json(_ payloads: [[JSONValue]], _ languages: [String]) -> JSONValue {
        let arms = zip(arms, payloads).map { arm, payloads -> JSONValue in
            var json: JSONValue = [
                "name": .string(arm.name), "share": .string(arm.share.text), "payload": payloads[0],
            ]
            if !languages.isEmpty {
                json["languages"] = .object(JSONObject(zip(languages, payloads.dropFirst()).map { ($0, $1) }))
            }
            return json
        }
        var json: JSONValue = [
            "arms": .array(arms), "decideBy": .integer(decideBy.wholeSeconds), "otherwise": .string(otherwise.text),
            "window": .integer(window.wholeSeconds),
        ]
        json["winner"] = winner.map { .string($0) }
        return json
    }

    /// Reads the test, without payloads.
    init(_ reader: OrderReader) throws(DeliveryOrderError) {
        try reader.allow(["arms", "decideBy", "otherwise", "window", "winner"])
        var arms: [Arm] = []
        for arm in try reader.objects("arms") {
            try arm.allow(["name", "share", "payload", "languages"])
            guard let share = Share(try arm.string("share")), share.parts > 0 else {
                throw arm.error("share", "is not a share")
            }
            arms.append(Arm(name: try arm.string("name"), share: share))
        }
        let names = arms.map(\.name)
        guard names.count > 1, names == Set(names).sorted() else {
            throw reader.error("arms", "are not at least two, sorted by name")
        }
        guard let decideBy = reader.members["decideBy"]?.integer, decideBy >= 0 else {
            throw reader.error("decideBy", "is not a number of seconds")
        }
        guard let window = reader.members["window"]?.integer, window >= 0 else {
            throw reader.error("window", "is not a number of seconds")
        }
        self.init(
            arms: arms, decideBy: .seconds(decideBy), otherwise: Otherwise(try reader.string("otherwise")),
            winner: try reader.optionalString("winner"), window: .seconds(window))
        guard restShare.parts > 0 else { throw reader.error("arms", "leave nobody") }
        if case .arm(let name) = otherwise, index(of: name) == nil { throw reader.error("otherwise", "is no variant") }
        if let winner, index(of: winner) == nil { throw reader.error("winner", "is no variant") }
    }

    /// Reads the payloads of each variant.
    func payloads(_ reader: OrderReader, _ languages: [String]) throws(DeliveryOrderError) -> [[JSONValue]] {
        var payloads: [[JSONValue]] = []
        for arm in try reader.objects("arms") {
            var own = [try arm.payload("payload")]
            if !languages.isEmpty {
                let inner = try arm.object("languages")
                try inner.allow(Set(languages))
                for name in languages { own.append(try inner.payload(name)) }
            } else if arm.members["languages"] != nil {
                throw arm.error("languages", "are not those of the message")
            }
            payloads.append(own)
        }
        return payloads
    }
}
