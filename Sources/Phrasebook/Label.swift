/// A text without places to fill: headings, words of tables, buttons.
///
/// Templates name them by their raw values; where one has a place to fill, a template fills it.
package enum Label: String, Hashable, Sendable, CaseIterable {
    // Reports, by their kind.
    case planTitle, applyTitle, previewTitle, statusTitle, otherTitle
    // What is planned, scheduled and recorded.
    case deviceProfileKind, channelKind, segmentKind, campaignKind
    // Between words.
    case comma, colon
    // Severities of remarks.
    case error, warning, note
    // Audiences.
    case audience, alsoReachedBy, platform, environment, deviceProfile, timeZone, noProfile, notKnown
    case notKnownOrOthers, getsNothing, devicesColumn, share, skippedPlatform, skippedInvalid, skippedStale
    case skippedProfile, notCounted
    // The calendar.
    case calendar, sentAtColumn, campaignColumn, happensColumn, worthUntilColumn, localTimesColumn, notOurs, isBlocked
    case isPending, isSent, isScheduled, isRescheduled, isCancelled, isSettled, isWaiting, isMissed, isChanged
    case isUnknown
    // Certificates.
    case certificates, topicsColumn, fingerprintColumn, endsColumn, daysLeftColumn, campaignsColumn
    // What a change does.
    case sendsNow, now, settles, outcomeUnknown, audienceDetail, payloadDetail, reasonDetail, textDetail, nothing
    case looks, request, largestColumn, bytesColumn, simulated, cannotBeTakenBack
    // What is counted.
    case deliveries, toCreate, toUpdate, toDelete, toSend, toSchedule, toReschedule, toCancel, toResume, blocked
    case waiting, missed, unknown, done, failed, refused, skipped
    // Headings of groups.
    case created, updated, deleted, sentNow, scheduled, cancelled, settled, blockedGroup, waitingGroup, missedGroup
    case unknownGroup, doneGroup, failedGroup, skippedGroup, lookFirst, pushesGroup, restGroup, warnings
    case warningsHeading, notes
    // Why to look at something first.
    case heldBack, personLooks, reachesEveryone, largeAudience, uncounted, warned
    // What an apply did.
    case wasCreated, wasUpdated, wasDeleted, wasSent, wasScheduled, wasRescheduled, wasCancelled, wasSettled, findOut
    // What the ledger holds.
    case nothingDelivered, campaignHead, revisionHead, stateHead, atHead, devicesHead, successesHead, invalidHead
    case inDoubtHead, missedHead, simulatedHead, pushHead, commitHead, reasonHead, sendingState, scheduledState,
        sentState
    case refusedState, cancellingState, cancelledState, unsentState, unknownState
    // What is sent.
    case whatIsSent, everyDeviceGets, carriedOutFrom
    // What a device shows, in words.
    case badgeTaken, badgeMore
    // The page.
    case pageLanguage, skipToContent, contents, to, becomes, moreViews, worthUntil, legendSent, legendWorth
    case legendQuiet
    // The comment of a pull request.
    case tooLong, seeArtifact, nothingToApply, invalidConfiguration, whoeverApproves, aMerge, endedWell
    case endedWithChanges, endedFailed, endedInvalid, endedCredentials, endedLimited, endedBlocked, endedUnknown
    case endedPartial, endedStale, endedUnconfirmed, endedLocked, endedUsage, endedOtherwise
    // Drawings.
    case lockScreen, banner, expanded, shade, openShade, lockDate, shadeDate, internet, doNotDisturb, dotNow
    case addedQuietly, appNamesActions, timeSensitive, critical, liveActivity, localizedInApp, defaultSound
    case badgeRemoved, badgePlus, breaksFocus, breaksEverything, passive, goesToList, passiveEffect, nothingShown
    case silentEffect, callEffect, complicationEffect, fileEffect, mdmEffect, locationEffect, talkEffect, widgetEffect
    case controlEffect, badgeIsRemoved, badgeIsMore, noText, activityStarts, activityUpdates, activityEnds
    case activityDrawn
}
