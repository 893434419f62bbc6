internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

/// The values of the filter's fields, and the problem with them.
struct FilterForm {
    var platform = ""
    var channel = ""
    var profile = ""
    var validity = ""
    /// `recent` or `stale`.
    var seen = ""
    /// A field and its value, as a person writes them.
    var field = ""
    /// The problem with the field; empty when it can be read.
    var fieldProblem = ""
    var condition = ""
    /// The text of the search box.
    var search = ""
    /// True to search for the text anywhere in tokens and ids.
    var isInside = false
    /// The problem with the condition; empty when it can be parsed.
    var problem = ""

    init(_ query: [String: String]) {
        platform = Self.field(query["platform"])
        channel = Self.field(query["channel"])
        profile = Self.field(query["profile"])
        validity = Self.field(query["valid"])
        seen = Self.field(query["seen"])
        field = Self.field(query["field"])
        condition = Self.field(query["where"])
        search = Self.field(query["q"])
        isInside = query["inside"] == "yes"
    }

    private static func field(_ text: String?) -> String {
        // Browsers send CR LF as line breaks.
        (text ?? "").replacing("\r\n", with: "\n")
    }

    /// Builds the filter from the fields; sets ``problem`` or ``fieldProblem`` if one of them cannot be read.
    mutating func filter(at now: Instant, in language: Language) -> InstallationFilter? {
        var filter = InstallationFilter()
        if !platform.isEmpty { filter.deviceType = platform }
        if !channel.isEmpty { filter.channel = channel }
        if !profile.isEmpty { filter.deviceProfile = profile }
        if validity == "yes" || validity == "no" { filter.isValid = validity == "yes" }
        if !search.allSatisfy(\.isWhitespace) {
            switch DeviceSearch(search) {
            case .text(let part): filter.part = part
            case .condition(let condition): filter.condition = condition
            }
        }
        if let bound = ["recent": "$gte", "stale": "$lt"][seen] {
            let start = now.advanced(byDays: -InstallationRules.freshnessInDays)
            filter.add(["updatedAt": [bound: ["__type": "Date", "iso": .string(start.isoText)]]])
        }
        if !field.allSatisfy(\.isWhitespace) {
            guard case .condition(let condition) = DeviceSearch(field) else {
                fieldProblem = language.say(.noField)
                return nil
            }
            filter.add(condition)
        }
        guard !condition.allSatisfy(\.isWhitespace) else { return filter }
        guard let value = try? JSONValue(parsing: condition, limits: ServerLimits.json) else {
            problem = language.say(.noJSON)
            return nil
        }
        guard value.object != nil || value.array != nil else {
            problem = language.say(.noCondition)
            return nil
        }
        filter.add(value)
        return filter
    }

    /// The address of the list with the same fields, continuing after a device.
    func address(after cursor: InstallationCursor?) -> String {
        address(of: "/console/installations", cursor)
    }

    /// The address of the same devices as a file.
    var fileAddress: String { address(of: "/console/installations.csv", nil) }

    private func address(of page: String, _ cursor: InstallationCursor?) -> String {
        let query =
            (fields + [("q", search), ("inside", isInside ? "yes" : ""), ("after", cursor?.text ?? "")]).filter {
                !$0.1.isEmpty
            }.map { $0.0 + "=" + $0.1.percentEncoded }
        return page + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The fields of the form, by their names in addresses.
    private var fields: [(String, String)] {
        [
            ("platform", platform), ("channel", channel), ("profile", profile), ("valid", validity), ("seen", seen),
            ("field", field), ("where", condition),
        ]
    }

    /// True if all fields are empty.
    var isEmpty: Bool { search.isEmpty && fields.allSatisfy(\.1.isEmpty) }

    /// True if there is nothing but a search, which indexes may answer.
    var isSearchOnly: Bool {
        !search.allSatisfy(\.isWhitespace) && !isInside && fields.allSatisfy(\.1.isEmpty)
    }

    /// The address of the same search anywhere in tokens and ids; empty when this is that search, or none.
    var insideAddress: String {
        guard isSearchOnly else { return "" }
        var form = self
        form.isInside = true
        return form.address(after: nil)
    }
}

extension InstallationFilter {
    /// Adds a condition that must hold as well.
    fileprivate mutating func add(_ other: JSONValue) {
        condition = condition.map { ["$and": [$0, other]] } ?? other
    }
}
