/// The possible outcomes of a request that left, with their odds.
package struct Weather: Sendable {
    /// The outcome of one request.
    package enum Fate: Hashable, Sendable, CaseIterable {
        /// Acted on and answered.
        case accept
        /// Acted on; the answer is lost, or comes when nobody waits for it.
        case actInSilence
        /// Not answered in time, and acted on only then.
        case actLate
        /// Lost on the way.
        case lose
        /// Acted on, and something between answers with an error of its own.
        case actAndFail
        /// Not acted on, and something between answers with an error of its own.
        case fail
        /// The server refuses the stream.
        case refuseStream
        /// There is no connection.
        case neverSent
        /// Apple refuses the device.
        case refuse
        /// Apple puts the device off.
        case putOff
        /// Apple's servers have an error, and say so.
        case serverError
        /// The server is going away.
        case shutDown
        /// Apple wants nothing of this provider for a while.
        case tooManyTokens
        /// Apple does not take the provider.
        case refuseProvider
        /// Of the devices of one call some are served.
        case partly
        /// What the provider may send today is used up.
        case useUp
    }

    /// The share of each in a thousand; acceptance has the rest.
    private var rates: [(Fate, Int)] = []
    /// The times in a thousand jobs that a process dies, or is paused; and that a write fails.
    package var deaths = 0
    package var pauses = 0
    package var failures = 0
    /// The times in a thousand requests that there is a pause before one leaves.
    package var stalls = 50
    /// The times in a thousand pushes that a record has an undocumented status; true if lists and records are late.
    package var oddRecords = 0
    package var isLate = false

    /// Nothing happens.
    package static let calm = Weather()

    private init() {}

    /// Every request has this fate.
    package init(always fate: Fate) { rates = [(fate, 1000)] }

    /// Some of what can happen.
    package init(_ chance: inout Chance) {
        for _ in 0..<chance.number(in: 0...4) {
            rates.append((chance.one(of: Fate.allCases), chance.one(of: [30, 120, 400])))
        }
        deaths = chance.one(of: [0, 0, 3, 10, 30])
        pauses = chance.one(of: [0, 0, 2, 8])
        failures = chance.one(of: [0, 0, 0, 20, 100])
        stalls = chance.one(of: [0, 50, 300])
        oddRecords = chance.one(of: [0, 0, 200, 700])
        isLate = chance.happens(600)
    }

    /// Returns the outcome of the next request.
    package func fate(_ chance: inout Chance) -> Fate {
        var number = chance.number(below: 1000)
        for (fate, rate) in rates {
            if number < rate { return fate }
            number -= rate
        }
        return .accept
    }
}
