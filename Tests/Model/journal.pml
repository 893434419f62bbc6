/*
 * How bugle sends straight to Apple and Android's services: lock, ledger and journal, and what can go wrong between them.
 *
 * A transaction of the registry is one atomic step. Between any two steps others act, time passes, or a process dies. What
 * a transaction may do to a device is the table transitions.txt, from which `run` makes transitions.h; the rest is read
 * from the sources named beside it. Each batch has one device. Time is what is left of a lease.
 *
 * docs/background/proof.md says what is proven with it, and what is not. Each macro T_... breaks a rule: that twin must be
 * caught.
 */

#define DEVICES 2
#define GENERATIONS 2
#define SENDERS 2

/* A lease lasts 3 units. A run that renewed it starts requests for 2; a helper, which cannot renew it, for 1. */
#define LEASE 3

/* How much may go wrong in one history; `run` sets it for each claim. */
#ifndef CRASHES
#define CRASHES 0  /* processes that die, or are asked to stop */
#endif
#ifndef SLOW
#define SLOW 0     /* units of time that pass while the holder of the lock lives */
#endif
#ifndef JUMPS
#define JUMPS 0    /* the database's clock is put on or back, or a person frees the lock */
#endif
#ifndef DEFERS
#define DEFERS 0   /* requests that provably had no effect, and are due again */
#endif
#ifndef HALTS
#define HALTS 0    /* refusals of the whole delivery */
#endif
#ifndef JOINS
#define JOINS 0    /* helpers */
#endif
#ifndef STOPS
#define STOPS 0    /* orders of a person to stop */
#endif
#ifndef ANSWERS
#define ANSWERS 0  /* answers of a person about what is in doubt */
#endif
#ifndef ENDS
#define ENDS 0     /* 1: the time of the delivery ends at some moment */
#endif

byte crashes = CRASHES, slow = SLOW, jumps = JUMPS, defers = DEFERS, halts = HALTS, joins = JOINS, stops = STOPS,
    answers = ANSWERS, ends = ENDS;

/* The registry: everything that outlives a process. */
#define AT(generation, device) ((generation) * DEVICES + (device))
byte state[4];        /* of each device in each generation's journal */
byte claimant[4];
byte claimFence[4];
byte journal[GENERATIONS];
byte lockRun;         /* 0: free */
byte lockFence;
byte lease;           /* what is left of it by the database's clock */
bool stopped;         /* a person's order */

/* Sources/Push/Model/Remote/LedgerEntry.swift */
#define L_NONE 0
#define L_SENDING 1
#define L_SENT 2
#define L_DOUBTFUL 3  /* sent, some are in doubt: a person is asked */
#define L_UNSENT 4    /* the next apply delivers anew, with another journal */
#define L_MISSED 5
byte ledger, ledgerFence, generation;

/* Each sender. */
byte at[SENDERS];
byte fence[SENDERS];
byte starts[SENDERS]; /* how long requests may yet start, by its own clock */
byte job[SENDERS];    /* the generation that it sends */
byte note[SENDERS];   /* what it is about to write into the ledger */
bool halting[SENDERS], missing[SENDERS];

/* Its batches, one for each device: what it knows of the request. */
#define MINE(device) (me * DEVICES + (device))
#define NOTHING 0
#define TO_SEND 1
#define SAYS_ACCEPTED 2
#define SAYS_REFUSED 3
#define SAYS_AGAIN 4  /* provably without effect */
#define SAYS_NOTHING 5 /* the answer is lost, or late, or the request was */
byte batch[4];
bool stale[4];        /* claimed before a person had the device sent to again */
bool permit[SENDERS]; /* it was permitted to claim a batch, a while ago */

/* What happened, for the claims. */
byte live[DEVICES];   /* requests that may have had an effect, since a person last had the device sent to again */
bool over;            /* the time of the delivery has ended */
bool disturbed;       /* the lock may be lost before its time */

/* What a transaction asks for, by the words of the table: under a fence, about a generation. */
#define IS_fence(f, g) (lockRun != 0 && lockFence == (f))
#define IS_held(f, g) IS_fence(f, g)
#define IS_running(f, g) (journal[g] == RUNNING)
#define IS_over(f, g) (journal[g] == CLOSED)
#define IS_unstopped(f, g) (!stopped)
#include "transitions.h"

#ifdef T_CLAIM_WITHOUT_FENCE
#undef MAY_claim
#define MAY_claim(f, g) (IS_running(f, g) && IS_unstopped(f, g))
#endif
#ifdef T_STOP_OUTSIDE
#undef MAY_claim
#define MAY_claim(f, g) (IS_fence(f, g) && IS_running(f, g))
#endif

#define FENCED IS_fence(fence[me], 0)
#define HERE(device) state[AT(job[me], device)]
#define UNSENT(s) (s == FRESH || s == WAITS)
#define HANDS_FREE (batch[MINE(0)] == NOTHING && batch[MINE(1)] == NOTHING)
#define CLAIMABLE (UNSENT(HERE(0)) || UNSENT(HERE(1)))
#define OPEN_IN(g) (state[AT(g, 0)] == OPEN || state[AT(g, 1)] == OPEN)
#define HAS(g, s) (state[AT(g, 0)] == s || state[AT(g, 1)] == s)
#ifdef T_OPEN_IS_UNSENT
#define HAS_SENT(g) (HAS(g, ACCEPTED) || HAS(g, DOUBTFUL))
#else
#define HAS_SENT(g) (HAS(g, ACCEPTED) || HAS(g, DOUBTFUL) || HAS(g, OPEN))
#endif
#define IN_DOUBT(g) (HAS(g, DOUBTFUL) || HAS(g, OPEN))

/* 2: whatever the journal calls unsent, refused or missed was never on the wire, and what it calls accepted was. */
#define TRUE_OF(g, d) \
    assert(!(UNSENT(state[AT(g, d)]) || state[AT(g, d)] == MISSED || state[AT(g, d)] == REFUSED) || live[d] == 0); \
    assert(state[AT(g, d)] != ACCEPTED || live[d] > 0)
#define TRUTH TRUE_OF(generation, 0); TRUE_OF(generation, 1)

/* Journal.giveUp: a batch that nobody will settle is in doubt. */
#ifdef T_GIVE_UP_SENDS_AGAIN
#define GIVE_UP(f, g, d) state[AT(g, d)] = WAITS
#else
#define GIVE_UP(f, g, d) DO_giveUp(state[AT(g, d)])
#endif
#define GIVE_UP_ALL(f, g) \
    if :: state[AT(g, 0)] == OPEN -> GIVE_UP(f, g, 0) :: else fi; \
    if :: state[AT(g, 1)] == OPEN -> GIVE_UP(f, g, 1) :: else fi
#ifdef T_RESUME_SENDS_AGAIN
#define GIVE_UP_EARLIER(f, g, d) \
    if :: state[AT(g, d)] == OPEN && claimFence[AT(g, d)] < f -> state[AT(g, d)] = FRESH :: else fi
#else
#define GIVE_UP_EARLIER(f, g, d) \
    if :: state[AT(g, d)] == OPEN && claimFence[AT(g, d)] < f -> GIVE_UP(f, g, d) :: else fi
#endif

/* Journal.close; a batch that is open stays so, and its sender may still settle it. */
#ifdef T_CLOSE_MISSES_OPEN
#define MISS(g, d) if :: UNSENT(state[AT(g, d)]) || state[AT(g, d)] == OPEN -> state[AT(g, d)] = MISSED :: else fi
#else
#define MISS(g, d) if :: UNSENT(state[AT(g, d)]) -> DO_miss(state[AT(g, d)]) :: else fi
#endif
#define CLOSE_JOURNAL(g) if :: journal[g] == RUNNING -> MISS(g, 0); MISS(g, 1); DO_close(journal[g]) :: else fi

/* What DeliveryWork.delivered makes of the figures. */
#define FIGURES(g) \
    (IN_DOUBT(g) -> L_DOUBTFUL : (HAS(g, ACCEPTED) || HAS(g, REFUSED) -> L_SENT : L_MISSED))

#define OFF 0
#define DECIDE 1
#define FREEZE 2
#define RESUME 3
#define DRIVE 4
#define CLOSE 5
#define FIGURE 6
#define RECORD 7
#define RELEASE 8
#define HELP 9
#define CONCLUDE 10
#define UNSENT_ASK 11
#define UNSENT_GIVE_UP 12
#define UNSENT_CLOSE 13
#define UNSENT_FIGURE 14
#define SENDING (at[me] == DRIVE || at[me] == HELP)

inline forget() {
    at[me] = OFF; fence[me] = 0; starts[me] = 0; job[me] = 0; note[me] = 0; halting[me] = false; missing[me] = false;
    batch[MINE(0)] = NOTHING; batch[MINE(1)] = NOTHING; stale[MINE(0)] = false; stale[MINE(1)] = false;
    permit[me] = false
}

#ifdef T_TAKE_BY_OWN_CLOCK
#define MAY_TAKE (lockRun == 0 || lockFence < 3)
#else
#define MAY_TAKE (lockRun == 0 || lease == 0)
#endif
inline take(who) {
    if
    :: lockRun == 0 -> DO_take(lockRun, who)
    :: else -> DO_seize(lockRun, who)
    fi;
    lockFence++; lease = LEASE
}

/* A request leaves. Only while its batch is open, or given up by somebody who thought its sender gone. */
inline leave(d) {
    /* 5: a run's request leaves only while it has the lock. */
    assert(disturbed || at[me] == HELP || FENCED && lease > 0);
    if
    :: stale[MINE(d)]
    :: else ->
        assert(HERE(d) == OPEN && claimant[AT(job[me], d)] == me || HERE(d) == DOUBTFUL)
    fi
}

inline hit(d) {
    if
    :: !stale[MINE(d)] -> live[d]++
    :: else
    fi;
    /* 1: nobody twice. */
    assert(live[d] <= 1)
}

#define NONE_BEFORE(d) (d == 0 || HERE(0) != FRESH)
#define CLAIM(d) \
    atomic { SENDING && permit[me] && batch[MINE(d)] == NOTHING && NONE_BEFORE(d) && \
        WAS_claim(HERE(d)) && MAY_claim(fence[me], job[me]) -> \
        /* 4: nothing is claimed once an order to stop is durable, nor by a run that lost the lock. */ \
        assert(!stopped); assert(FENCED); \
        DO_claim(HERE(d)); claimant[AT(job[me], d)] = me; claimFence[AT(job[me], d)] = fence[me]; \
        batch[MINE(d)] = TO_SEND; permit[me] = false }

/* BatchGate: its own clock, and orders to stop that the watch has seen. */
#define SEND(d) \
    atomic { batch[MINE(d)] == TO_SEND && starts[me] > 0 -> leave(d); hit(d); batch[MINE(d)] = SAYS_ACCEPTED } \
    :: atomic { batch[MINE(d)] == TO_SEND && starts[me] > 0 -> leave(d); hit(d); batch[MINE(d)] = SAYS_NOTHING } \
    :: atomic { batch[MINE(d)] == TO_SEND && starts[me] > 0 -> leave(d); batch[MINE(d)] = SAYS_REFUSED } \
    :: atomic { batch[MINE(d)] == TO_SEND && starts[me] > 0 && defers > 0 -> \
        defers--; leave(d); batch[MINE(d)] = SAYS_AGAIN } \
    :: atomic { batch[MINE(d)] == TO_SEND && halts > 0 -> halts--; halting[me] = true; batch[MINE(d)] = SAYS_AGAIN } \
    :: atomic { batch[MINE(d)] == TO_SEND && (starts[me] == 0 || stopped || halting[me]) -> batch[MINE(d)] = SAYS_AGAIN }

/* Journal.settle: under the fence, and only the open batch that is still its own. */
#define ANSWERED(d) (batch[MINE(d)] > TO_SEND)
#ifdef T_SETTLE_BLINDLY
#define MAY_SETTLE(d) true
#else
#ifdef T_SETTLE_WITHOUT_FENCE
#define MAY_SETTLE(d) (!stale[MINE(d)] && HERE(d) == OPEN && claimant[AT(job[me], d)] == me)
#else
#define MAY_SETTLE(d) (FENCED && !stale[MINE(d)] && HERE(d) == OPEN && claimant[AT(job[me], d)] == me)
#endif
#endif
#ifdef T_SETTLE_BLINDLY
#define WRITE(event, d, after) HERE(d) = after
#else
#define WRITE(event, d, after) DO_##event(HERE(d))
#endif
#ifdef T_WAITS_AFTER_CLOSE
#define AGAIN_WAITS true
#else
#define AGAIN_WAITS (journal[job[me]] == RUNNING)
#endif
inline settle(d) {
    if
    :: MAY_SETTLE(d) ->
        if
        :: batch[MINE(d)] == SAYS_ACCEPTED -> WRITE(accept, d, ACCEPTED)
        :: batch[MINE(d)] == SAYS_REFUSED -> WRITE(refuse, d, REFUSED)
        :: batch[MINE(d)] == SAYS_NOTHING -> WRITE(doubt, d, DOUBTFUL)
        :: batch[MINE(d)] == SAYS_AGAIN && AGAIN_WAITS -> WRITE(defer, d, WAITS)
        :: batch[MINE(d)] == SAYS_AGAIN && !AGAIN_WAITS -> WRITE(expire, d, MISSED)
        fi;
        TRUTH
    :: else
    fi;
    batch[MINE(d)] = NOTHING; stale[MINE(d)] = false
}
#define SETTLE(d) atomic { ANSWERED(d) -> settle(d) }


/* An apply, or a helper of one. Sources/Apply, Sources/Delivery/Engine/DeliveryEngine.swift and DeliveryRun.swift. */
proctype Sender(byte me) {
end:
    do
    /* The lock: Journal.acquireLock. */
    :: atomic { at[me] == OFF && !stopped &&
            (ledger == L_SENDING || !over && (ledger == L_NONE || ledger == L_UNSENT && generation + 1 < GENERATIONS)) &&
            MAY_TAKE ->
        take(me + 1); fence[me] = lockFence; starts[me] = LEASE - 1; at[me] = DECIDE }
    /* A helper: APNsWriter.join. */
    :: atomic { at[me] == OFF && joins > 0 && !stopped && lockRun != 0 && lease > 1 && ledger == L_SENDING &&
            ledgerFence == lockFence && journal[generation] == RUNNING ->
        joins--; fence[me] = lockFence; job[me] = generation; at[me] = HELP }

    /* LeaseKeeper: a renewal whose answer is lost gives no time. */
    :: atomic { at[me] != OFF && at[me] != HELP && FENCED && (lease < LEASE || starts[me] < LEASE - 1) ->
        lease = LEASE; starts[me] = LEASE - 1 }
    :: atomic { at[me] != OFF && at[me] != HELP && FENCED && lease < LEASE -> lease = LEASE }
    :: atomic { at[me] == HELP && FENCED && lease > 1 && starts[me] == 0 -> starts[me] = 1 }

    /* Resumption.decide, DeliveryWork.intend: the intent is durable before anything else. */
    :: atomic { at[me] == DECIDE && FENCED ->
        if
        :: stopped -> at[me] = RELEASE
        :: !stopped && ledger == L_NONE -> ledger = L_SENDING; ledgerFence = fence[me]; at[me] = FREEZE
        :: !stopped && ledger == L_UNSENT && generation + 1 < GENERATIONS && !over ->
            generation++; ledger = L_SENDING; ledgerFence = fence[me]; at[me] = FREEZE
        :: !stopped && ledger == L_SENDING && journal[generation] == CLOSED && HAS_SENT(generation) -> at[me] = FIGURE
        :: !stopped && ledger == L_SENDING && journal[generation] == CLOSED && !HAS_SENT(generation) ->
            /* Resumption.isClosedUnsent; when all were refused nobody is left. */
            if
            :: HAS(generation, MISSED) && over -> missing[me] = true; at[me] = UNSENT_GIVE_UP
            :: HAS(generation, MISSED) && !over -> at[me] = UNSENT_ASK
            :: else -> at[me] = FIGURE
            fi
        :: !stopped && ledger == L_SENDING && journal[generation] != CLOSED && over ->
            if
            :: HAS_SENT(generation) -> at[me] = CONCLUDE
            :: else -> missing[me] = true; at[me] = UNSENT_GIVE_UP
            fi
        :: !stopped && ledger == L_SENDING && journal[generation] != CLOSED && !over ->
            ledgerFence = fence[me]; at[me] = FREEZE
        :: else -> at[me] = RELEASE
        fi;
        job[me] = generation }
    :: atomic { at[me] == FREEZE && FENCED ->
        if
        :: journal[job[me]] == NONE ->
            DO_begin(journal[job[me]]); DO_freeze(HERE(0)); DO_freeze(HERE(1))
        :: else
        fi;
        at[me] = RESUME }
    :: atomic { at[me] == RESUME && FENCED ->
        GIVE_UP_EARLIER(fence[me], job[me], 0); GIVE_UP_EARLIER(fence[me], job[me], 1); TRUTH; at[me] = DRIVE }

    /* DeliveryRun.reasonToStop, and then the claim: between them it may sleep. */
    :: atomic { SENDING && !permit[me] && CLAIMABLE && starts[me] > 0 && !halting[me] && !over && !stopped ->
        permit[me] = true }
    :: CLAIM(0)
    :: CLAIM(1)
    :: SEND(0)
    :: SEND(1)
    :: SETTLE(0)
    :: SETTLE(1)
#ifdef T_OUTCOME_FIRST
    :: atomic { batch[MINE(0)] == TO_SEND && FENCED && HERE(0) == OPEN && claimant[AT(job[me], 0)] == me ->
        HERE(0) = ACCEPTED; TRUTH }
#endif
#ifdef T_ACT_FIRST
    :: atomic { SENDING && starts[me] > 0 && WAS_claim(HERE(0)) && MAY_claim(fence[me], job[me]) -> hit(0) }
#endif

    /* Nothing to claim: batches of others are waited for, and given up. By when they are is left open. */
#ifndef T_NEVER_GIVE_UP
    :: atomic { at[me] == DRIVE && HANDS_FREE && FENCED && OPEN_IN(job[me]) && (!CLAIMABLE || over || stopped) ->
        GIVE_UP_ALL(fence[me], job[me]); TRUTH }
#endif
    :: atomic { at[me] == DRIVE && HANDS_FREE && !OPEN_IN(job[me]) && !stopped && !halting[me] &&
            (!CLAIMABLE || over) ->
        if
        :: !CLAIMABLE -> at[me] = CLOSE
        :: CLAIMABLE && over && HAS_SENT(job[me]) -> at[me] = CLOSE
        :: CLAIMABLE && over && !HAS_SENT(job[me]) -> at[me] = RELEASE
        fi }
    :: atomic { at[me] == DRIVE && HANDS_FREE && !OPEN_IN(job[me]) && stopped -> at[me] = RELEASE }
    /* A refusal of the whole delivery: DeliveryEngine.ending, DeliveryWork.closeJournal. */
    :: atomic { at[me] == DRIVE && HANDS_FREE && halting[me] ->
        halting[me] = false;
        if
        :: HAS_SENT(job[me]) -> at[me] = RELEASE
        :: else -> at[me] = UNSENT_ASK
        fi }
    :: atomic { at[me] == HELP && HANDS_FREE && (!CLAIMABLE || stopped || over || halting[me] ||
            journal[job[me]] == CLOSED || starts[me] == 0 && lease <= 1) -> forget() }

    :: atomic { at[me] == CLOSE && FENCED -> CLOSE_JOURNAL(job[me]); TRUTH; at[me] = FIGURE }
    /* The figures are read in a transaction of their own. */
    :: atomic { at[me] == FIGURE -> note[me] = FIGURES(job[me]); at[me] = RECORD }
    /* DeliveryEngine.conclude. */
    :: atomic { at[me] == CONCLUDE && FENCED -> GIVE_UP_ALL(fence[me], job[me]); TRUTH; at[me] = CLOSE }

    /* DeliveryWork.closed: nothing was sent, so another attempt may be made. */
    :: atomic { at[me] == UNSENT_ASK ->
        if
        :: HAS_SENT(job[me]) -> at[me] = RELEASE
        :: else -> at[me] = UNSENT_GIVE_UP
        fi }
    :: atomic { at[me] == UNSENT_GIVE_UP && FENCED -> GIVE_UP_ALL(fence[me], job[me]); TRUTH; at[me] = UNSENT_CLOSE }
    :: atomic { at[me] == UNSENT_CLOSE && FENCED -> CLOSE_JOURNAL(job[me]); TRUTH; at[me] = UNSENT_FIGURE }
    :: atomic { at[me] == UNSENT_FIGURE ->
        if
        :: HAS_SENT(job[me]) -> note[me] = FIGURES(job[me])
        :: else -> note[me] = (missing[me] -> L_MISSED : L_UNSENT)
        fi;
        at[me] = RECORD }
    :: atomic { at[me] == RECORD && FENCED ->
        ledger = note[me]; ledgerFence = fence[me];
        if
        :: ledger == L_UNSENT || ledger == L_MISSED -> assert(live[0] == 0 && live[1] == 0)
        :: ledger == L_SENT -> assert(!IN_DOUBT(job[me]))
        :: else
        fi;
        at[me] = RELEASE }
    :: atomic { at[me] == RELEASE && FENCED -> DO_release(lockRun); lease = 0; forget() }

    /* Whoever finds the lock lost ends once its requests have. */
    :: atomic { at[me] != OFF && !FENCED && HANDS_FREE -> forget() }
    :: atomic { at[me] != OFF && crashes > 0 -> crashes--; forget() }
    :: atomic { at[me] == DRIVE && crashes > 0 && HANDS_FREE -> crashes--; at[me] = RELEASE }
    od
}

/* A person, who needs no lock to stop a delivery and has it to decide about one: bugle stop, bugle resolve. */
#define P_HOLDS IS_fence(personFence, 0)
byte personAt, personFence;
#define reopen(d) \
    if \
    :: state[AT(generation, d)] == DOUBTFUL -> \
        DO_reopen(state[AT(generation, d)]); live[d] = 0; \
        stale[d] = (batch[d] != NOTHING && job[0] == generation); \
        stale[DEVICES + d] = (batch[DEVICES + d] != NOTHING && job[1] == generation) \
    :: else \
    fi

proctype Person() {
end:
    do
    :: atomic { stops > 0 && !stopped && (ledger == L_SENDING || ledger == L_UNSENT) -> stops--; stopped = true }
    :: atomic { personAt == 0 && (stopped || ledger == L_DOUBTFUL && answers > 0) && MAY_TAKE ->
        take(3); personFence = lockFence;
        if
        :: stopped -> personAt = 1
        :: else -> answers--; personAt = 6
        fi }
    /* StoppedDelivery.decided: to go on, or to leave the rest. */
    :: atomic { personAt == 1 && P_HOLDS -> personAt = 4 }
    :: atomic { personAt == 1 && P_HOLDS && journal[generation] == NONE -> ledger = L_MISSED; personAt = 4 }
    :: atomic { personAt == 1 && P_HOLDS && journal[generation] != NONE ->
        if
        :: journal[generation] == RUNNING -> GIVE_UP_ALL(personFence, generation); TRUTH
        :: else
        fi;
        personAt = 2 }
    :: atomic { personAt == 2 && P_HOLDS -> CLOSE_JOURNAL(generation); TRUTH; personAt = 3 }
    :: atomic { personAt == 3 && P_HOLDS -> ledger = FIGURES(generation); personAt = 4 }
    :: atomic { personAt == 4 -> stopped = false; personAt = 5 }
    :: atomic { personAt == 5 && P_HOLDS -> DO_release(lockRun); lease = 0; personFence = 0; personAt = 0 }
    /* ResolveCommand: the ledger first, then the devices in doubt. */
    :: atomic { personAt == 6 && P_HOLDS -> ledger = L_SENT; personAt = 5 }
    :: atomic { personAt == 6 && P_HOLDS -> ledger = L_SENDING; personAt = 7 }
    :: atomic { personAt == 7 && P_HOLDS ->
#ifndef T_REOPEN_LEAVES_OPEN
        GIVE_UP_ALL(personFence, generation);
#endif
        /* What a person decides reaches every device in doubt. */
        assert(!OPEN_IN(generation));
        if
        :: HAS(generation, DOUBTFUL) ->
            reopen(0); reopen(1);
            if
            :: journal[generation] == CLOSED -> DO_reopenJournal(journal[generation])
            :: else
            fi
        :: else
        fi;
        personAt = 5 }
    :: atomic { personAt != 0 && !P_HOLDS -> personFence = 0; personAt = 0 }
    :: atomic { personAt != 0 && crashes > 0 -> crashes--; personFence = 0; personAt = 0 }
    od
}

/* Time, and whatever else nobody does. */
#define HOLDER(s) (at[s] != OFF && at[s] != HELP && fence[s] == lockFence)
#define HELD_BY_SOMEBODY (lockRun != 0 && (HOLDER(0) || HOLDER(1) || personAt != 0 && personFence == lockFence))
#define PASS(t) t = (t > 0 -> t - 1 : 0)
proctype World() {
end:
    do
    /* A process that does nothing meanwhile sleeps. While the holder of the lock lives, so much time is a fault. */
    :: atomic { lease + starts[0] + starts[1] > 0 && (slow > 0 || !HELD_BY_SOMEBODY) ->
        if
        :: HELD_BY_SOMEBODY -> slow--
        :: else
        fi;
        PASS(lease);
#ifndef T_CLOCK_SLEEPS
        PASS(starts[0]); PASS(starts[1])
#endif
        }
    :: atomic { jumps > 0 && lockRun != 0 && lease > 0 -> jumps--; disturbed = true; lease = 0 }
    :: atomic { jumps > 0 && lockRun != 0 && lease < LEASE -> jumps--; disturbed = true; lease = LEASE }
    :: atomic { jumps > 0 && lockRun != 0 -> jumps--; disturbed = true; DO_release(lockRun); lease = 0 }
    :: atomic { ends > 0 && ledger <= L_SENDING -> ends--; over = true }
    od
}

/* 3: where nothing more can happen, the delivery has ended, and every device is accounted for. */
#define ENDED(s) (s == ACCEPTED || s == REFUSED || s == DOUBTFUL || s == OPEN || s == MISSED)
proctype End() {
    timeout ->
    assert(!stopped && !HELD_BY_SOMEBODY);
    assert(ledger == L_SENT || ledger == L_DOUBTFUL || ledger == L_MISSED || over && ledger != L_SENDING ||
        ledger == L_UNSENT && generation + 1 == GENERATIONS);
    if
    :: ledger == L_SENT || ledger == L_DOUBTFUL ->
        assert(journal[generation] == CLOSED && ENDED(state[AT(generation, 0)]) && ENDED(state[AT(generation, 1)]));
        assert(ledger == L_DOUBTFUL || !IN_DOUBT(generation) || answers < ANSWERS)
    :: else
    fi
}

init { atomic { run Sender(0); run Sender(1); run Person(); run World(); run End() } }
