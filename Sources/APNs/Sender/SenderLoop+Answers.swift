internal import CurlHTTP
internal import Diagnostics
internal import PushModel

extension SenderLoop {
    /// Deals with an answer of Apple's.
    func settle(_ flight: Flight, _ status: Int, _ request: PumpRequest) {
        answered += 1
        connectFailures = 0
        trust.noteAnswer()
        flight.lane?.window.note(status: status)
        // Whatever else it is, the token or the certificate was looked at and taken.
        if status != 403 { flight.lane?.isProven = true }
        guard status != 200 else {
            // Apple echoes the header (apns.md, A3); servers that send none are not Apple's.
            let isOurs = request.echo != .other
            return flight.answer(isOurs ? .accepted : .unknown("the answer bears another apns-id"))
        }
        let refusal = Refusal(status: status, body: request.answer)
        switch refusal.reason {
        case "ExpiredProviderToken" where tokens != nil: settleExpired(flight, refusal)
        case "TooManyProviderTokenUpdates" where tokens != nil: settleTooMany(flight, refusal)
        case "Shutdown", "IdleTimeout":
            flight.lane?.connection.retire()
            repeatOrAnswer(flight, refusal.verdict)
        default: flight.answer(refusal.verdict)
        }
    }

    /// Deals with a request that has no answer.
    func settle(_ flight: Flight, _ error: TransportError, isFinal: Bool) {
        switch error.sent {
        case .possibly:
            flight.answer(.unknown(error.brief))
            if let lane = flight.lane, !lane.hasLost {
                lane.hasLost = true
                trust.noteLoss()
            }
            // Else each connection that ends so would leave another request in doubt.
            if let lane = flight.lane, !lane.isProven { failed(error, isFinal: false) }
        case .nothing:
            if let connection = flight.lane?.connection, !connection.hasStood {
                // It was to make the connection: that failed, and the request itself has not been tried.
                again.insert(flight, at: again.startIndex)
                failed(error, isFinal: isFinal)
            } else {
                repeatOrAnswer(flight, .notSent(.noBodyGiven(error.brief)))
            }
        }
    }

    /// The token has expired: the first time the request goes out with another, the second time on another connection,
    /// because one can get stuck in calling every token expired (apns.md, A2); then it is answered.
    private func settleExpired(_ flight: Flight, _ refusal: Refusal) {
        var flight = flight
        flight.expiries += 1
        guard flight.expiries <= 2, let tokens, let token else { return flight.answer(refusal.verdict) }
        if flight.generation == generation { use(tokens.renewedToken(insteadOf: token)) }
        let isRenewed = flight.generation != generation
        if flight.expiries == 2 || !isRenewed { flight.lane?.connection.retire() }
        again.append(flight)
    }

    /// Tokens change too often: the old one again, after a pause for all.
    private func settleTooMany(_ flight: Flight, _ refusal: Refusal) {
        if flight.generation == generation, let tokens, let token { use(tokens.earlierToken(insteadOf: token)) }
        let pause = configuration.retries.pause(after: flight.attempts + 1)
        heldUntil = max(heldUntil, .now + pause)
        repeatOrAnswer(flight, refusal.verdict)
    }

    /// Tries a request once more that left nothing behind, after a pause that grows, or answers it.
    private func repeatOrAnswer(_ flight: Flight, _ answer: Verdict) {
        var flight = flight
        flight.attempts += 1
        guard flight.attempts < configuration.retries.attempts else { return flight.answer(answer) }
        // The first time at once: another connection is the remedy.
        guard flight.attempts > 1 else { return again.append(flight) }
        later.append((.now + configuration.retries.pause(after: flight.attempts - 1), flight))
    }
}
