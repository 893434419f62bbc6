/// A fixed text of the console, without placeholders that code fills.
///
/// Templates refer to a text by its raw value, and fill its placeholder if it has one.
package enum ConsoleLabel: String, Hashable, Sendable, CaseIterable {
    // Around every page.
    case consoleTitle, pages, overview, pushes, installations, logOut, serverClock, live, updatesEnded, connecting
    case allSimulated
    // The login.
    case logIn, whoMayLogIn, keyField, wrongKey, readOnly, onlyLooking, needsMasterKey
    // Pages with only a message.
    case goToOverview, noSuchPage, noSuchForm, leadsNowhere, noSuchPush, noSuchDevice, outOfDate, anotherSession
    case wasCancelledNow, waitsNoMore, didNotWork, wentWrong
    // The overview.
    case lockScreens, phonesNote, allPushes, scheduledPushes, scheduledNote, reachableGroup, androidGroup, staleGroup,
        otherGroup
    case countFailed, newestPush, newestFigures, noneYet, sendOne, news
    case byDay, shortCharts, longCharts, registrationsChart, deliveriesChart, refusalsChart, deadTokensChart
    case asTable, day, number
    case whatDevicesReported, countedNote, countedCaption, accepted, receivedShare, openedShare
    case dismissedShare
    // Lock screens.
    case noNotifications, onTheIcon, noBadge, noPhones, someDevice
    // Lists of pushes.
    case noPush, pushesCaption, messageHead, forWhom, status, successes, deadTokens, taken, morePushes, newest, older
    case placeInList, scheduledCaption, goesOut, action, cancelNamed, cancel, doNotSend, moreWait, expired
    case silentPush, ownChannel, huawei, xiaomi, meizu, honor
    case fromDay, toDay, noSuchDay, asFile, newestOnly, withoutCounts
    // The time zone.
    case timesIn, change, noSuchZone
    // A push.
    case matched, noWay, reportedInvalid, inDoubt, answerLost, leftOut, noWayToThem, isSimulated, successesOfDevices,
        someOf, noRecord, howItLooks, facts
    case scheduledFor, worthNothing, certificate, conditionJSON, someReached, deviceHead, token, lastSeen, contentJSON
    case record, recordNote, recordJSON
    case reasonsCaption, answerWasLost, timeWasOver, leftNotApple, leftInvalid, leftStale, leftProfile, leftTopic,
        leftTooLarge, leftHeldOut, leftCapped
    case revisionColumn, workspaceColumn, appliedBy, commitColumn, runColumn
    // The list of devices.
    case filter, state, channelField, profileField, conditionField, conditionHelp, seenRecently, fieldField
    case noField, noJSON, noCondition, showAll
    case noneFits, noneRegistered, devicesCaption, channels, profile, moreChannels, none, byDefault, stoppedSearch
    case moreDevices, firstPage, searchOn, nextPage, anyChoice, validChoice, invalidChoice, valid, notValid, notSaid
    // The search for a device.
    case find, findDevice, findHint, searchInside, reportedDead
    // A device.
    case registration, registeredAt, fields, lockScreenHeading, inbox, nothingReceived, inboxCaption, received, silent
    case notDelivered, notDeliveredCaption, outcomeHead, reasonColumn, pushedAt, refusedByApple, isRetried
    case isInDoubt, tokenIsDead
    // The test of a device.
    case sendTestHeading, testTitle, testText, production, development, sendTest, sendItNow, sendsForReal, noWayToDevice
    case isNotServed, testNeedsText, testWasTaken, testWasSentBefore
}
