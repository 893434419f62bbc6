/// The devices that reported events of a delivery.
package struct EventFigures: Hashable, Sendable {
    /// The parts of the delivery that reported anything, in their order; together they are the delivery.
    package var parts: [Part]

    /// The devices of one part and form of the message.
    package struct Part: Hashable, Sendable {
        /// The part; 0 for an undivided audience.
        package var number: Int
        /// The form of the message: 0 for the message itself, else the number of a language.
        package var form: Int
        /// The devices on which the notification arrived.
        package var received = 0
        /// The devices whose app was opened by it.
        package var opened = 0
        /// The devices on which it was removed.
        package var dismissed = 0

        package init(number: Int, form: Int, received: Int = 0, opened: Int = 0, dismissed: Int = 0) {
            self.number = number
            self.form = form
            self.received = received
            self.opened = opened
            self.dismissed = dismissed
        }
    }

    package init(parts: [Part] = []) { self.parts = parts }

    /// The devices on which the notification arrived.
    package var received: Int { parts.reduce(0) { $0 + $1.received } }
    /// The devices whose app was opened by it.
    package var opened: Int { parts.reduce(0) { $0 + $1.opened } }
    /// The devices of a part whose app was opened by it.
    package func opened(inPart number: Int) -> Int { parts.reduce(0) { $0 + ($1.number == number ? $1.opened : 0) } }
    /// The devices on which it was removed.
    package var dismissed: Int { parts.reduce(0) { $0 + $1.dismissed } }
}
