package import JSONValue

/// Which devices a list shows; what is `nil` does not matter.
package struct InstallationFilter: Hashable, Sendable {
    /// The kind of device: `ios`, `android`.
    package var deviceType: String?
    /// A channel that the device is in.
    package var channel: String?
    /// The name of the certificate that pushes to it are made with.
    package var deviceProfile: String?
    /// Whether `valid` is true, or false.
    package var isValid: Bool?
    /// A condition as of a query. Source: <doc:/PushModel/LeanCloudObjects#Queries>.
    package var condition: JSONValue?

    /// A filter that lets every device through.
    package init() {}
}

/// The last device of a page, after which the next page goes on.
package struct InstallationCursor: Hashable, Sendable {
    /// Its row.
    let row: Int64

    /// Before the first device.
    static let start = InstallationCursor(row: .max)

    init(row: Int64) {
        self.row = row
    }

    /// Reads what ``text`` wrote; `nil` when it is none.
    package init?(_ text: String) {
        guard let row = Int64(text), row > 0 else { return nil }
        self.init(row: row)
    }

    /// The cursor as it stands in an address.
    package var text: String { String(row) }
}

/// Some of the devices that a filter lets through.
package struct InstallationPage: Hashable, Sendable {
    /// The devices, those registered last first.
    package let objects: [StoredObject]
    /// Where the next page begins; `nil` when there are no more.
    package let next: InstallationCursor?
    /// How many devices were looked at.
    package let examined: Int
    /// Whether the search stopped before the page was full, because it had looked at as many as one page may.
    package let stoppedEarly: Bool

    /// A page without devices, for a filter that cannot be read.
    package static let empty = InstallationPage(objects: [], next: nil, examined: 0, stoppedEarly: false)
}
