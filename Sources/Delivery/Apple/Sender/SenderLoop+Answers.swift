internal import HTTP
internal import Base
internal import Push

extension SenderLoop {
    /// Handles an answer from Apple.
    func settle(_ flight: Flight, _ status: Int, _ request: HTTP2Request) {
        connectFailures = 0
        trust.noteAnswer()
        flight.lane?.window.note(status: status)
        // Whatever else the answer says, the token or certificate was checked and accepted.
        if status != 403 { flight.lane?.isProven = true }
        // Apple echoes the header (docs/background/apple/requests.md#answer); servers that send none are not Apple's.
        guard request.echo != .other else { return flight.answer(.unknown("the answer has a different apns-id")) }
        guard status != 200 else { return flight.answer(.accepted) }
        let refusal = Refusal(status: status, body: request.answer)
        switch refusal.knownReason {
        case .expiredProviderToken where tokens != nil: settleExpired(flight, refusal.verdict)
        case .tooManyProviderTokenUpdates where tokens != nil: settleTooMany(flight, refusal.verdict)
        case .shutdown, .idleTimeout:
            flight.lane?.connection.retire()
            repeatOrAnswer(flight, refusal.verdict)
        case _: flight.answer(refusal.verdict)
        }
    }

    /// Handles a request whose outcome is unknown.
    func lost(_ flight: Flight, _ why: String) {
        flight.answer(.unknown(why))
        guard let lane = flight.lane else { return }
        if !lane.hasLost {
            lane.hasLost = true
            trust.noteLoss()
        }
        // Otherwise each connection that ends this way would leave another request in doubt.
        if !lane.isProven { failed(why, isFinal: false) }
    }

    /// The token has expired: the first time the request is sent with another token, the second time on another
    /// connection, because a connection can get stuck calling every token expired
    /// (docs/background/apple/service.md#connections); then it is answered.
    private func settleExpired(_ flight: Flight, _ refusal: Verdict) {
        var flight = flight
        flight.expiries += 1
        guard flight.expiries <= 2, let tokens, let token else { return flight.answer(refusal) }
        if flight.generation == generation { use(tokens.renewedToken(insteadOf: token)) }
        let isRenewed = flight.generation != generation
        if flight.expiries == 2 || !isRenewed { flight.lane?.connection.retire() }
        again.append(flight)
    }

    /// Tokens change too often: go back to the previous one, after a pause for all requests.
    private func settleTooMany(_ flight: Flight, _ refusal: Verdict) {
        if flight.generation == generation, let tokens, let token { use(tokens.earlierToken(insteadOf: token)) }
        let pause = configuration.retries.pause(after: flight.attempts + 1)
        heldUntil = max(heldUntil, .now + pause)
        repeatOrAnswer(flight, refusal)
    }

    /// Retries a request that certainly left nothing behind, after a growing pause, or answers it.
    func repeatOrAnswer(_ flight: Flight, _ answer: Verdict) {
        var flight = flight
        flight.attempts += 1
        guard flight.attempts < configuration.retries.attempts else { return flight.answer(answer) }
        // The first retry is immediate: another connection is the remedy.
        guard flight.attempts > 1 else { return again.append(flight) }
        later.append((.now + configuration.retries.pause(after: flight.attempts - 1), flight))
    }
}
