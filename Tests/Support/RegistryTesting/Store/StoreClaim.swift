import DeviceRegistry

/// The contract of every store; each claim runs on an empty database of its own.
package enum StoreClaim: String, CaseIterable, Sendable {
    case aLockIsTakenOnce
    case aLockIsRenewedAndFreed
    case anExpiredLockIsTakenOver
    case aLockIsFreedByItsFence
    case recordsAreKept
    case aLostLockWritesNothing
    case whatIsCountedIsFrozen
    case audiencesAreExplained
    case whatConditionsMayNameIsTold
    case aFrequentNameIsFoundAmongMany
    case namedTokensAreReached
    case aClaimLeavesProfilesAside
    case aFrozenAudienceStays
    case aCutFreezeIsCompleted
    case anAudienceOfAnotherSizeThanAllowedLeavesNothing
    case batchesHaveOneTopic
    case claimsAreDisjoint
    case aCrashLeavesItsBatchInDoubt
    case whatWasGivenUpIsNotSettled
    case onlyEarlierClaimsAreGivenUp
    case doubtfulTokensAreReopened
    case retriesWaitForTheirTime
    case closingCountsWhatWasMissed
    case aPartIsClosedAlone
    case aPersonsAnswerOpensWhatWasClosed
    case whoeverIsSentToAgainIsInDoubtUntilItIsAnswered
    case pastItsWindowOnlyWhoeverWasAskedToWaitIsLeft
    case aStageOpensOnceNothingIsLeftOfTheOneBefore
    case aHaltHoldsBackTheRestOfItsStage
    case whatIsDoneToADeliveryLeavesTheOthersAlone
    case badgesAreRaisedOnce
    case deadTokensAreMarked
    case onlyProvenTokensAreMarked
    case installationsAreSurveyed
    case figuresAddUp
    case wordsAreFrozenWithTheirDevices
    case theReachedSetIsWhatWasSent
    case reachedInstallationsAreCountedByDelivery
    case closingKeepsTheReachedSet
    case whatWasReachedLongAgoIsForgotten
    case aHoldoutGetsNothing
    case whoWasReachedIsCapped
    case whatMayStillBeSentCounts
    case whoIsNotRegisteredIsCapped
    case whoMayHaveBeenReachedLongAgoIsNotReached
    case ofTwoFreezesUnderARuleOneSeesTheOther
    case onlyReachedDevicesAreHeard
    case eventsAreCountedByPartAndFolded
    case whatIsOpenIsHeardAfterItsExpiration
    case aDeviceInDoubtIsHeard

    /// Tests it.
    ///
    /// - Throws: ``StoreMismatch`` when it does not hold.
    package func test(_ fixture: any StoreFixture) async throws {
        let world = try await StoreWorld(fixture)
        switch self {
        case .aLockIsTakenOnce: try await world.aLockIsTakenOnce()
        case .aLockIsRenewedAndFreed: try await world.aLockIsRenewedAndFreed()
        case .anExpiredLockIsTakenOver: try await world.anExpiredLockIsTakenOver()
        case .aLockIsFreedByItsFence: try await world.aLockIsFreedByItsFence()
        case .recordsAreKept: try await world.recordsAreKept()
        case .aLostLockWritesNothing: try await world.aLostLockWritesNothing()
        case .whatIsCountedIsFrozen: try await world.whatIsCountedIsFrozen()
        case .audiencesAreExplained: try await world.audiencesAreExplained()
        case .whatConditionsMayNameIsTold: try await world.whatConditionsMayNameIsTold()
        case .aFrequentNameIsFoundAmongMany: try await world.aFrequentNameIsFoundAmongMany()
        case .aClaimLeavesProfilesAside: try await world.aClaimLeavesProfilesAside()
        case .namedTokensAreReached: try await world.namedTokensAreReached()
        case .aFrozenAudienceStays: try await world.aFrozenAudienceStays()
        case .aCutFreezeIsCompleted: try await world.aCutFreezeIsCompleted()
        case .anAudienceOfAnotherSizeThanAllowedLeavesNothing:
            try await world.anAudienceOfAnotherSizeThanAllowedLeavesNothing()
        case .batchesHaveOneTopic: try await world.batchesHaveOneTopic()
        case .claimsAreDisjoint: try await world.claimsAreDisjoint()
        case .aCrashLeavesItsBatchInDoubt: try await world.aCrashLeavesItsBatchInDoubt()
        case .whatWasGivenUpIsNotSettled: try await world.whatWasGivenUpIsNotSettled()
        case .onlyEarlierClaimsAreGivenUp: try await world.onlyEarlierClaimsAreGivenUp()
        case .doubtfulTokensAreReopened: try await world.doubtfulTokensAreReopened()
        case .retriesWaitForTheirTime: try await world.retriesWaitForTheirTime()
        case .closingCountsWhatWasMissed: try await world.closingCountsWhatWasMissed()
        case .aPartIsClosedAlone: try await world.aPartIsClosedAlone()
        case .aPersonsAnswerOpensWhatWasClosed: try await world.aPersonsAnswerOpensWhatWasClosed()
        case .whoeverIsSentToAgainIsInDoubtUntilItIsAnswered:
            try await world.whoeverIsSentToAgainIsInDoubtUntilItIsAnswered()
        case .pastItsWindowOnlyWhoeverWasAskedToWaitIsLeft:
            try await world.pastItsWindowOnlyWhoeverWasAskedToWaitIsLeft()
        case .aStageOpensOnceNothingIsLeftOfTheOneBefore: try await world.aStageOpensOnceNothingIsLeftOfTheOneBefore()
        case .aHaltHoldsBackTheRestOfItsStage: try await world.aHaltHoldsBackTheRestOfItsStage()
        case .whatIsDoneToADeliveryLeavesTheOthersAlone: try await world.whatIsDoneToADeliveryLeavesTheOthersAlone()
        case .badgesAreRaisedOnce: try await world.badgesAreRaisedOnce()
        case .deadTokensAreMarked: try await world.deadTokensAreMarked()
        case .onlyProvenTokensAreMarked: try await world.onlyProvenTokensAreMarked()
        case .installationsAreSurveyed: try await world.installationsAreSurveyed()
        case .figuresAddUp: try await world.figuresAddUp()
        case .wordsAreFrozenWithTheirDevices: try await world.wordsAreFrozenWithTheirDevices()
        case .theReachedSetIsWhatWasSent: try await world.theReachedSetIsWhatWasSent()
        case .reachedInstallationsAreCountedByDelivery: try await world.reachedInstallationsAreCountedByDelivery()
        case .closingKeepsTheReachedSet: try await world.closingKeepsTheReachedSet()
        case .whatWasReachedLongAgoIsForgotten: try await world.whatWasReachedLongAgoIsForgotten()
        case .aHoldoutGetsNothing: try await world.aHoldoutGetsNothing()
        case .whoWasReachedIsCapped: try await world.whoWasReachedIsCapped()
        case .whatMayStillBeSentCounts: try await world.whatMayStillBeSentCounts()
        case .whoIsNotRegisteredIsCapped: try await world.whoIsNotRegisteredIsCapped()
        case .whoMayHaveBeenReachedLongAgoIsNotReached: try await world.whoMayHaveBeenReachedLongAgoIsNotReached()
        case .ofTwoFreezesUnderARuleOneSeesTheOther: try await world.ofTwoFreezesUnderARuleOneSeesTheOther()
        case .onlyReachedDevicesAreHeard: try await world.onlyReachedDevicesAreHeard()
        case .eventsAreCountedByPartAndFolded: try await world.eventsAreCountedByPartAndFolded()
        case .whatIsOpenIsHeardAfterItsExpiration: try await world.whatIsOpenIsHeardAfterItsExpiration()
        case .aDeviceInDoubtIsHeard: try await world.aDeviceInDoubtIsHeard()
        }
        await world.store.close()
    }
}
