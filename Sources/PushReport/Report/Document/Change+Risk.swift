internal import Base
internal import Push

extension Change {
    /// The risk of the change; `isWarned` is true if there is a diagnostic about its document.
    func risk(isWarned: Bool) -> Risk {
        if isBlocked { return .blocked }
        switch action {
        case .none: return .unknown
        case .send, .schedule, .reschedule:
            if audience?.isEveryone == true { return .everyone }
            if let devices = audience?.devices, devices >= Risk.largeAudience { return .large }
            if let audience, audience.devices == nil { return .uncounted }
            if isWarned { return .warned }
            return action == .send || delivery?.at == nil ? .now : .later
        case .resume: return isWarned ? .warned : .now
        case .cancel: return isWarned ? .warned : .later
        case .delete: return isWarned ? .warned : .removal
        case .create where occurrences != nil, .update where occurrences != nil:
            if audience?.isEveryone == true { return .everyone }
            if let devices = audience?.devices, devices >= Risk.largeAudience { return .large }
            return isWarned ? .warned : .later
        case .create, .update, .wait, .missed: return isWarned ? .warned : .routine
        }
    }
}

/// The documents of a plan with warnings.
struct WarnedDocuments {
    private var places: Set<ReportDocument.Place> = []

    /// Finds the documents that warnings and errors refer to.
    init(_ plan: Plan) {
        let ranges = plan.diagnostics.filter { $0.severity != .note }.compactMap(\.range)
        guard !ranges.isEmpty else { return }
        var starts: [String: [Int]] = [:]
        for place in plan.changes.compactMap(\.place) { starts[place.file, default: []].append(place.line) }
        for file in starts.keys { starts[file]?.sort() }
        for range in ranges {
            guard let (file, lines) = Self.file(of: range.file, in: starts),
                let line = Self.last(of: lines, upTo: range.start.line)
            else { continue }
            places.insert(ReportDocument.Place(file: file, line: line))
        }
    }

    /// True if a warning lies between the first line of a change's document and that of the next change.
    func contain(_ change: Change) -> Bool { change.place.map(places.contains) ?? false }

    /// The file of the changes that a diagnostic refers to: its path is relative to the current folder, theirs to the
    /// workspace.
    private static func file(of path: String, in starts: [String: [Int]]) -> (String, [Int])? {
        var rest = path[...]
        while true {
            if let lines = starts[String(rest)] { return (String(rest), lines) }
            guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            rest = rest[rest.utf8.index(after: slash)...]
        }
    }

    private static func last(of lines: [Int], upTo line: Int) -> Int? {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if lines[middle] <= line { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? lines[low - 1] : nil
    }
}

extension Change {
    /// The place of its declaration.
    var place: ReportDocument.Place? {
        guard let file, let line else { return nil }
        return ReportDocument.Place(file: file, line: line)
    }
}
