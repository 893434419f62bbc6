package import Base

/// A filter for the list of devices; `nil` matches anything.
package struct InstallationFilter: Hashable, Sendable {
    /// The kind of device: `ios`, `android`.
    package var deviceType: String?
    /// A channel that the device is in.
    package var channel: String?
    /// The name of the certificate for pushes to it.
    package var deviceProfile: String?
    /// The value of `valid`.
    package var isValid: Bool?
    /// A query condition. Source: docs/background/leancloud/objects.md#queries.
    package var condition: JSONValue?
    /// A part of a token or an id, or the `objectId` of the device's user.
    package var part: String?

    /// Creates a filter that matches every device.
    package init() {}
}

/// The last device of a page, after which the next page starts.
package struct InstallationCursor: Hashable, Sendable {
    /// The row.
    let row: Int64
    /// The number of matching devices up to this one.
    package let count: Int

    /// The position before the first device.
    static let start = InstallationCursor(row: .max, count: 0)

    init(row: Int64, count: Int) {
        self.row = row
        self.count = count
    }

    /// Parses the result of ``text``; `nil` when it is invalid.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let row = parts[0], row > 0, let count = parts[1].flatMap(Int.init(exactly:)),
            (0...Int(Int32.max)).contains(count)
        else { return nil }
        self.init(row: row, count: count)
    }

    /// The cursor in a URL.
    package var text: String { "\(row)-\(count)" }
}

/// A page of the devices that match a filter.
package struct InstallationPage: Hashable, Sendable {
    /// The devices, the last registered first.
    package let objects: [StoredObject]
    /// The start of the next page; `nil` when there are no more.
    package let next: InstallationCursor?
    /// The number of examined devices.
    package let examined: Int
    /// True if the search stopped before the page was full, because it reached the limit of examined devices.
    package let stoppedEarly: Bool

    /// A page without devices, for an invalid filter.
    package static let empty = InstallationPage(objects: [], next: nil, examined: 0, stoppedEarly: false)
}

/// The number of devices or pushes on all pages of a list.
package struct ListCount: Hashable, Sendable {
    /// The number, as far as it was counted.
    package let number: Int
    /// True if there may be more.
    package let isAtLeast: Bool

    package init(_ number: Int, isAtLeast: Bool = false) {
        self.number = number
        self.isAtLeast = isAtLeast
    }
}

extension InstallationPage {
    /// Creates the only page of devices that were found at once.
    package init(found objects: [StoredObject]) {
        self.init(objects: objects, next: nil, examined: objects.count, stoppedEarly: false)
    }
}
