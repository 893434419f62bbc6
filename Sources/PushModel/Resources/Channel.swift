package import JSONValue

/// A name that devices subscribe to.
package struct Channel: Sendable {
    /// The name, as installations bear it.
    package var name: String
    /// Where it was declared.
    package var origin: Origin
    /// What it is for.
    package var description: String?
    /// Set when it is an Apple broadcast channel.
    package var broadcast: Broadcast?

    /// An Apple broadcast channel.
    package struct Broadcast: Hashable, Sendable {
        /// The app's bundle id.
        package var topic: String
        /// What Apple keeps for devices that are not connected.
        package var storage: Storage

        /// What Apple keeps for devices that are not connected.
        package enum Storage: String, Hashable, Sendable, CaseIterable {
            /// Nothing.
            case none
            /// The most recent message.
            case mostRecent
        }

        /// Joins the two.
        package init(topic: String, storage: Storage) {
            self.topic = topic
            self.storage = storage
        }
    }

    /// Makes a channel.
    package init(name: String, origin: Origin, description: String? = nil, broadcast: Broadcast? = nil) {
        self.name = name
        self.origin = origin
        self.description = description
        self.broadcast = broadcast
    }
}

/// A named condition on installations.
package struct Segment: Sendable {
    /// Its name.
    package var name: String
    /// Where it was declared.
    package var origin: Origin
    /// What it is for.
    package var description: String?
    /// The condition, in LeanCloud's query language; always an object.
    package var condition: JSONValue

    /// Makes a segment.
    package init(name: String, origin: Origin, description: String? = nil, condition: JSONValue) {
        self.name = name
        self.origin = origin
        self.description = description
        self.condition = condition
    }
}
