extension RemoteReading {
    /// Reads everything a plan is made from: ledger, resources, lock and scheduled pushes, and then the answers to the
    /// questions that a plan of the state so far still needs answered, until there are no more. A state that is `known`
    /// is not read again.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried; a failed look-up of a delivery is not an error but
    ///   inconclusive evidence, and questions for a review only may stay unanswered.
    package func observe(
        from known: RemoteState? = nil, asking questions: (RemoteState) -> PlanQuestions
    ) async throws(RemoteError) -> RemoteState {
        var state: RemoteState
        if let known {
            state = known
        } else {
            let ledger = try await ledger()
            state = RemoteState(
                now: try await now(), ledger: ledger, ledgerStarted: try await isLedgerStarted(),
                resources: try await resources(), scheduled: try await scheduledPushes(), lock: try await lock())
            state.isBugleServer = isBugleServer
        }
        let gatherer = EvidenceGatherer(self, ledger: state.ledger, now: state.now)
        var declared: [String] = []
        // A look-up can show that a delivery must be sent, and its audience must then be counted: a few rounds suffice.
        for _ in 0..<4 {
            let asked = questions(state)
            if asked.isEmpty(beside: state) { return state }
            if asked.neighbours { state.neighbours = try await neighbours() }
            for id in asked.lookUps { state.evidence[id] = await gatherer.evidence(for: id) }
            for (digest, condition) in asked.counts.sorted(by: { $0.key < $1.key }) {
                state.audiences[digest] = try await count(condition)
            }
            if state.installations == nil {
                declared = asked.deviceProfiles
                state.installations = try await sampleInstallations(
                    channels: asked.channels, deviceProfiles: asked.deviceProfiles)
            }
            await review(asked, declared: declared, into: &state)
        }
        return state
    }

    /// Answers the questions for reviewers only: a plan is complete without them.
    private func review(_ asked: PlanQuestions, declared: [String], into state: inout RemoteState) async {
        let used = state.installations?.deviceProfiles.keys.sorted() ?? []
        let profiles = declared + state.resources.filter { $0.kind == .deviceProfile }.map(\.name) + used
        let conditions = [asked.explanations, asked.shared].flatMap { $0.sorted { $0.key < $1.key } }
        var silence: RemoteError?
        for (digest, condition) in conditions {
            do throws(RemoteError) {
                if let silence { throw silence }
                if asked.explanations[digest] != nil {
                    state.explanations[digest] = try await explain(condition, deviceProfiles: profiles)
                } else {
                    state.audiences[digest] = try await shared(condition)
                }
            } catch {
                state.unanswered[digest] = error.description
                // A refused question says nothing about the next; after any other failure no more are asked.
                silence = error.kind == .refused ? nil : error
            }
        }
    }
}

extension PlanQuestions {
    fileprivate func isEmpty(beside state: RemoteState) -> Bool {
        !neighbours && lookUps.isEmpty && counts.isEmpty && explanations.isEmpty && shared.isEmpty
            && state.installations != nil
    }
}
