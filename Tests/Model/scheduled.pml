/*
 * How bugle cancels a push that a service keeps for its time, and schedules the next generation of it: never both alive.
 *
 * Sources/Apply/DeliveryWork+Cancelling.swift. What is taken for granted of the service: a list that has shown a push misses it
 * at most once in a row; one that never showed it may go on so. A cancel may be answered and have no effect.
 * docs/background/proof.md.
 */

#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef SILENT
#define SILENT 2   /* cancels without effect */
#endif
#ifndef STALE
#define STALE 2    /* lists that show what is gone */
#endif

#define L_SCHEDULED 0
#define L_CANCELLING 1
#define L_CANCELLED 2
#define L_NEXT_SENDING 3
#define L_NEXT_SCHEDULED 4
#define L_SENT 5
#define L_UNKNOWN 6
byte ledger;
bool named;          /* the ledger has the service's id of the push */

#define FAR 0
#define SOON 1       /* less than five minutes ahead */
#define DUE 2
byte time;
bool alive = true, fired, nextAlive, nextFired, hasRecord;
bool wasListed;
byte missed;

byte crashes = CRASHES, silent = SILENT, stale = STALE;

#define OFF 0
#define DROP 1
#define LIST 2
#define JUDGE 3
#define SCHEDULE 4
byte at, absences;
bool handle, toDrop, isListed;
#ifdef T_ONE_LOOK
#define ENOUGH 1
#else
#define ENOUGH 2
#endif

#define TRUTH \
    assert(!(alive && nextAlive) && !(fired && (nextFired || nextAlive))); \
    assert(ledger != L_CANCELLED || !alive && !fired); \
    assert(ledger != L_SENT || fired)

active proctype Apply() {
end:
    do
    /* PushWithdrawal: the first list, and the ids that the ledger knows. */
    :: atomic { at == OFF && (ledger == L_SCHEDULED && time == FAR || ledger == L_CANCELLING) ->
        ledger = L_CANCELLING; absences = 0; handle = named; toDrop = named; isListed = false; at = LIST }
    :: atomic { at == LIST && alive -> isListed = true; wasListed = true; missed = 0; at = DROP }
    :: atomic { at == LIST && !alive && stale > 0 && wasListed -> stale--; isListed = true; at = DROP }
    :: atomic { at == LIST && (!alive || !wasListed || missed < 1) ->
        isListed = false;
        if
        :: alive && wasListed -> missed++
        :: else
        fi;
        at = DROP }
    :: atomic { at == DROP ->
        if
        :: isListed -> handle = true; absences = 0; toDrop = true
        :: else -> absences++
        fi;
        if
        :: toDrop -> alive = false
        :: toDrop && silent > 0 && alive -> silent--
        :: !toDrop
        fi;
        toDrop = false;
        at = JUDGE }
    :: atomic { at == JUDGE && isListed -> at = LIST }
#ifdef T_NEXT_AT_ONCE
    :: atomic { at == JUDGE && isListed && time != DUE -> ledger = L_CANCELLED; at = SCHEDULE }
#endif
    :: atomic { at == JUDGE && !isListed ->
        if
        :: absences < (handle -> ENOUGH : 5) -> at = LIST
        :: absences >= (handle -> ENOUGH : 5) ->
            if
#ifdef T_TIME_IGNORED
            :: true ->
#else
            :: time == DUE ->
                /* Only a record tells what became of it. */
                if
                :: hasRecord -> ledger = L_SENT
                :: !hasRecord -> ledger = L_UNKNOWN
                fi;
                TRUTH; at = OFF
            :: time != DUE ->
#endif
                if
#ifdef T_NEVER_LISTED_IS_GONE
                :: true -> ledger = L_CANCELLED; TRUTH; at = SCHEDULE
#else
                :: handle -> ledger = L_CANCELLED; TRUTH; at = SCHEDULE
                :: !handle -> at = OFF
#endif
                fi
            fi
        fi }
    :: atomic { at == SCHEDULE && ledger == L_CANCELLED -> ledger = L_NEXT_SENDING }
    :: atomic { at == SCHEDULE && ledger == L_NEXT_SENDING -> nextAlive = true; TRUTH; ledger = L_NEXT_SCHEDULED; at = OFF }
    /* A later apply finds what an earlier one left; leancloud.pml has what becomes of a request without an answer. */
    :: atomic { at == OFF && (ledger == L_CANCELLED || ledger == L_NEXT_SENDING) && !nextAlive -> at = SCHEDULE }
    :: atomic { at != OFF && crashes > 0 -> crashes--; at = OFF; handle = false; toDrop = false; isListed = false; absences = 0 }
    od
}

active proctype World() {
end:
    do
    :: atomic { time < DUE -> time++ }
    :: atomic { time == DUE && alive -> alive = false; fired = true; TRUTH }
    :: atomic { fired && !hasRecord -> hasRecord = true }
    :: atomic { nextAlive && time == DUE -> nextAlive = false; nextFired = true; TRUTH }
    /* watchSchedule: a list has shown it. */
    :: atomic { !named && ledger == L_SCHEDULED && alive -> named = true; wasListed = true }
    od
}

active proctype End() {
    timeout -> assert(ledger == L_SCHEDULED && fired || ledger == L_NEXT_SCHEDULED && nextFired || ledger >= L_SENT)
}
