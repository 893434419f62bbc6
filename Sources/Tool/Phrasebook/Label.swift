/// A fixed text without placeholders that code fills: headings, table words, buttons.
///
/// Templates refer to a text by its raw value, and fill its placeholder if it has one.
package enum Label: String, Hashable, Sendable, CaseIterable {
    // Reports, by their kind.
    case planTitle, applyTitle, previewTitle, statusTitle, historyTitle, otherTitle
    // Kinds of resources.
    case deviceProfileKind, channelKind, segmentKind, campaignKind
    // Between words.
    case comma, colon
    // Severities of remarks.
    case error, warning, note
    // Audiences.
    case audience, alsoReachedBy, platform, environment, deviceProfile, timeZone, noProfile, notKnown
    case notKnownOrOthers, devicesColumn, share
    case holdoutDetail, approvalsDetail, notCounted, languagesDetail
    case languageColumn, noLanguage, valueColumn
    // Variants.
    case variantsDetail, variantHead, variantAnswers, whenChosen
    // The calendar.
    case calendar, sentAtColumn, campaignColumn, happensColumn, worthUntilColumn, localTimesColumn, notOurs, isBlocked
    case isPending, isSent, isScheduled, isRescheduled, isCancelled, isSettled, isWaiting, isMissed, isChanged
    case isUnknown, stagesAreEstimates, collisionsHeading
    // The table of pushes.
    case pushColumn, whenColumn, whomColumn, lookOutColumn, eachPush
    // Certificates.
    case certificates, topicsColumn, fingerprintColumn, endsColumn, daysLeftColumn, campaignsColumn
    // Effects of a change.
    case sendsNow, now, settles, outcomeUnknown, audienceDetail, leftOutDetail, payloadDetail, reasonDetail, nothing
    case nextDetail, followingDetail, absentDetail, mustRunDetail
    case looks, request, largestColumn, bytesColumn, simulated, lastGoodPlan, cannotBeTakenBack
    // What a merge does, and the rules that block.
    case sendsNothing, nothingBlocked, uncountedDevices, ruleQuietHours, ruleCertificate, rulePayload, ruleProtected
    case ruleInnerQuery, ruleTooLate, ruleNewLedger, ruleRenamed, ruleNotCounted, ruleWinner, ruleMissed, ruleApprovals
    // Counts.
    case toCreate, toUpdate, toDelete, toSend, toSchedule, toReschedule, toCancel, toResume, blocked
    case waiting, missed, unknown, done, ongoing, partly, failed, refused, skipped
    // Headings of groups.
    case created, updated, deleted, sentNow, scheduled, cancelled, settled, blockedGroup, waitingGroup, missedGroup
    case unknownGroup, doneGroup, ongoingGroup, partlyGroup, failedGroup, skippedGroup
    case restGroup, warnings, warningsHeading, notes
    // Reasons to look at something first.
    case heldBack, personLooks, reachesEveryone, largeAudience, uncounted, warned
    // Results of an apply.
    case wasCreated, wasUpdated, wasDeleted, wasSent, wasScheduled, wasRescheduled, wasCancelled, wasSettled, findOut
    // The ledger.
    case resolveCommand, whatColumn, resultColumn
    case nothingDelivered, nothingApplied, campaignHead, revisionHead, occurrenceHead, stateHead, atHead, devicesHead,
        successesHead,
        invalidHead, receivedHead, openedHead, dismissedHead
    case inDoubtHead, missedHead, tooLargeHead, heldOutHead, cappedHead, pushHead, appliedHead, actorHead, runHead,
        commitHead,
        reasonHead, sendingState,
        scheduledState,
        sentState
    case refusedState, cancellingState, cancelledState, heldState, unsentState, unknownState, haltedState
    case holdingState, part, rolloutDetail, localTimeDetail, wavesDetail, whenItIsSent, firstWave, lastWave
    case verdicts, stageHead, verdictHead, refusedHead, goVerdict, haltVerdict, holdVerdict, proceedVerdict
    // The content of a push.
    case whatIsSent, everyDeviceGets, carriedOutFrom
    // Effects on a device, in words.
    case badgeTaken, badgeMore
    // The page.
    case pageLanguage, skipToContent, contents, to, becomes, moreViews, legendSent, legendWorth
    case legendQuiet, legendNow, legendClose, toThePush
    // The comment of a pull request.
    case reviewedPlan, tooLong, seeArtifact, nothingToApply, invalidConfiguration, whoeverApproves, aMerge, endedWell
    case endedWithChanges, endedFailed, endedInvalid, endedCredentials, endedLimited, endedBlocked, endedUnknown
    case endedPartial, endedStale, endedUnconfirmed, endedLocked, endedUsage, endedOtherwise
    // Drawings.
    case lockScreen, banner, expanded, shade, openShade, lockDate, shadeDate, internet, doNotDisturb
    case addedQuietly, appNamesActions, timeSensitive, critical, liveActivity, localizedInApp, defaultSound
    case badgeRemoved, badgePlus, breaksFocus, breaksEverything, passive, goesToList, passiveEffect, nothingShown
    case silentEffect, callEffect, complicationEffect, fileEffect, mdmEffect, locationEffect, talkEffect, widgetEffect
    case controlEffect, badgeIsRemoved, badgeIsMore, noText, activityStarts, activityUpdates, activityEnds
    case activityDrawn
}
