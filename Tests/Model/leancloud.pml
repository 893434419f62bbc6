/*
 * How bugle sends through a service that takes one request for a whole audience and keeps no journal with us: LeanCloud.
 * An outcome that is unknown is looked up, and what a look-up says is believed by the entry's age alone.
 *
 * Sources/Apply/DeliveryWork.swift, DeliveryWork+Settling.swift, Sources/Push/Plan/Campaigns/Resumption.swift. A unit of time
 * is a minute. What is taken for granted of the service: a request arrives within a minute or never, two with one id
 * within five minutes are one push, a record can be seen RECORD minutes after its push was taken, and then at most LAG look-ups
 * in a row miss it. docs/background/proof.md.
 */

#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef SLOW
#define SLOW 4     /* minutes that pass while the holder of the lock does nothing */
#endif
#ifndef LOST
#define LOST 1     /* answers that are lost */
#endif
#ifndef LIES
#define LIES 1     /* 1: at some time the service finds nothing at all, for a while */
#endif
#define LAG 2
#ifndef RECORD
#define RECORD 5   /* minutes after which a push that was taken has its record */
#endif
#define LEASE 2
#define LONG 12    /* minutes: from here on only days make a difference */
#define WEEK 13
#define NEVER 15

#define L_NONE 0
#define L_SENDING 1
#define L_SENT 2
#define L_REFUSED 3
#define L_UNSENT 4
#define L_UNKNOWN 5
byte ledger, ledgerFence;
byte age;               /* of the last intent in the ledger, by the server's clock */
byte lockRun, lockFence, lease;

/* The service. */
byte taken;             /* pushes */
byte sinceTaken = NEVER;
byte missed;            /* look-ups in a row that missed a record */
bool lying, refuses;
bool coming[2];         /* a request of each run that is still on its way */

byte crashes = CRASHES, slow = SLOW, lost = LOST, lies = LIES;
bool isOver;            /* the window has ended, or nobody wants it any more */

#define OFF 0
#define DECIDE 1
#define SEND 2
#define LOOK 3
#define FOUND 4
#define NONE 5
#define FAILED 6
#define REPEAT 7
#define AGAIN 8
#define WRITE 9
byte at[2], fence[2], starts[2], seen[2], absences[2], word[2];
byte mine[2];           /* the age of the intent that each run knows of */
bool repeated[2];

#define HOLDS (lockRun == me + 1 && lockFence == fence[me])
inline forget() {
    at[me] = OFF; fence[me] = 0; starts[me] = 0; seen[me] = 0; absences[me] = 0; word[me] = 0; repeated[me] = false; mine[me] = 0
}
/* A write holds for the fence that the entry bore when it was read, as the service has no transactions. */
#define MAY_WRITE (ledgerFence <= fence[me])

inline arrive() {
    if
    :: sinceTaken < 5      /* the same id: one push */
    :: else -> taken++; sinceTaken = 0
    fi;
    /* 1: nobody twice. */
    assert(taken <= 1)
}
#ifdef T_ONE_ABSENCE
#define ENOUGH 1
#else
#define ENOUGH 4
#endif
#ifdef T_REPEAT_LATE
#define REPEATABLE 9
#else
#define REPEATABLE 4
#endif
#ifdef T_YOUNG_ABSENCE
#define RECORD_DELAY 4
#else
#define RECORD_DELAY 10
#endif
/* The age of an intent tells the latest time of its request only if that leaves within a minute. */
#ifdef T_OLD_INTENT
#define IS_NEW true
#else
#define IS_NEW (mine[me] <= 1)
#endif
#define HAS_TIME (starts[me] > 0 && HOLDS)

proctype Apply(byte me) {
end:
    do
    :: atomic { at[me] == OFF && (ledger == L_SENDING || ledger == L_NONE && !isOver) && (lockRun == 0 || lease == 0) ->
        lockRun = me + 1; lockFence++; lease = LEASE; fence[me] = lockFence; starts[me] = LEASE - 1; at[me] = DECIDE }
    :: atomic { at[me] != OFF && HOLDS && (lease < LEASE || starts[me] < LEASE - 1) ->
        lease = LEASE; starts[me] = LEASE - 1 }
    :: atomic { at[me] == DECIDE && HAS_TIME ->
        if
        :: ledger == L_NONE && !isOver ->
#ifdef T_ACT_FIRST
            arrive();
#endif
            at[me] = AGAIN
        :: ledger == L_SENDING -> mine[me] = age; at[me] = LOOK
        :: else -> word[me] = 0; at[me] = WRITE
        fi }
    /* The intent is durable before the request. */
    :: atomic { at[me] == AGAIN && MAY_WRITE -> ledger = L_SENDING; ledgerFence = fence[me]; age = 0; mine[me] = 0; at[me] = SEND }

    /* A request: answered, refused with a proof, or its answer is lost: it was taken, will be within a minute, or never. */
    :: atomic { (at[me] == SEND && IS_NEW || at[me] == REPEAT && mine[me] < REPEATABLE) && HAS_TIME && !refuses ->
        arrive();
        word[me] = L_SENT; at[me] = WRITE }
    :: atomic { at[me] == SEND && IS_NEW && HAS_TIME && refuses -> word[me] = L_REFUSED; at[me] = WRITE }
    /* A refusal of a repetition says nothing of the first request. */
    :: atomic { at[me] == REPEAT && HAS_TIME && refuses ->
#ifdef T_REPEAT_BELIEVED
        word[me] = L_REFUSED; at[me] = WRITE
#else
        at[me] = LOOK
#endif
        }
    :: atomic { (at[me] == SEND && IS_NEW || at[me] == REPEAT && mine[me] < REPEATABLE) && HAS_TIME && lost > 0 ->
        lost--;
        if
        :: true -> arrive()
        :: !coming[me] -> coming[me] = true
        :: true
        fi;
        at[me] = LOOK }
    :: atomic { at[me] == REPEAT && mine[me] >= REPEATABLE -> at[me] = LOOK }

    :: atomic { at[me] == SEND && !IS_NEW -> at[me] = AGAIN }

    /* The evidence. None is believed only where the same look-up finds another push that certainly happened. */
    :: atomic { at[me] == LOOK && HAS_TIME && seen[me] == FOUND -> at[me] = FOUND }
    :: atomic { at[me] == LOOK && HAS_TIME && taken > 0 && sinceTaken < WEEK && !lying ->
        missed = 0; seen[me] = FOUND; at[me] = FOUND }
    :: atomic { at[me] == LOOK && HAS_TIME && lying && lies == 0 ->
#ifdef T_NO_CONTROL
        at[me] = NONE
#else
        at[me] = FAILED
#endif
        }
    :: atomic { at[me] == LOOK && HAS_TIME && !lying && (taken == 0 || sinceTaken < RECORD || sinceTaken >= WEEK) ->
        at[me] = NONE }
    :: atomic { at[me] == LOOK && HAS_TIME && !lying && taken > 0 && sinceTaken >= RECORD && sinceTaken < WEEK &&
            missed < LAG -> missed++; at[me] = NONE }

    /* Resumption.decide. */
    :: atomic { at[me] == FOUND -> word[me] = L_SENT; at[me] = WRITE }
    :: atomic { (at[me] == NONE || at[me] == FAILED) && mine[me] < RECORD_DELAY && MAY_WRITE ->
        if
        :: mine[me] < REPEATABLE && !repeated[me] && !isOver ->
            /* Whoever wrote the intent may wake and write what it knew. */
#ifndef T_REPEAT_UNDER_OLD_FENCE
            ledgerFence = fence[me];
#endif
            repeated[me] = true; at[me] = REPEAT
        :: else -> at[me] = LOOK
        fi }
    :: atomic { at[me] == FAILED && mine[me] >= RECORD_DELAY -> word[me] = L_UNKNOWN; at[me] = WRITE }
    :: atomic { at[me] == NONE && mine[me] >= WEEK -> word[me] = L_UNKNOWN; at[me] = WRITE }
    :: atomic { at[me] == NONE && mine[me] >= RECORD_DELAY && mine[me] < WEEK ->
        if
        :: absences[me] + 1 < ENOUGH -> absences[me]++; at[me] = LOOK
        :: else ->
            if
            :: isOver -> word[me] = L_UNSENT; at[me] = WRITE
            :: !isOver -> absences[me] = 0; repeated[me] = true; at[me] = AGAIN
            fi
        fi }

    :: atomic { at[me] == WRITE && MAY_WRITE ->
        if
        :: word[me] != 0 -> ledger = word[me]; ledgerFence = fence[me]
        :: else
        fi;
        /* 2: what the ledger says is so. */
        assert(ledger != L_SENT || taken > 0);
        assert(ledger != L_UNSENT && ledger != L_REFUSED || taken == 0 && !coming[0] && !coming[1]);
        if
        :: HOLDS -> lockRun = 0; lease = 0
        :: else
        fi;
        forget() }
    :: atomic { at[me] != OFF && (!HOLDS && (at[me] != WRITE && at[me] != AGAIN) || !MAY_WRITE) -> forget() }
    :: atomic { at[me] != OFF && crashes > 0 -> crashes--; forget() }
    od
}

#define LIVE (lockRun > 0 && (at[0] != OFF && fence[0] == lockFence || at[1] != OFF && fence[1] == lockFence))
#define PASS(t) t = (t > 0 -> t - 1 : 0)
#define GROW(t) t = (t < LONG -> t + 1 : t)
proctype World() {
end:
    do
    :: atomic { !coming[0] && !coming[1] && slow > 0 && (lease > 0 || ledger == L_SENDING) ->
        slow--;
        PASS(lease); PASS(starts[0]); PASS(starts[1]);
        GROW(age); GROW(mine[0]); GROW(mine[1]); GROW(sinceTaken) }
    /* Whoever waits does so until something can change; and a dead run's lease ends. */
    :: atomic { !coming[0] && !coming[1] && (lease > 0 && !LIVE ||
            slow == 0 && (at[0] == LOOK && mine[0] < LONG || at[1] == LOOK && mine[1] < LONG)) ->
        if
        :: LIVE
        :: else -> PASS(lease); PASS(starts[0]); PASS(starts[1])
        fi;
        GROW(age); GROW(mine[0]); GROW(mine[1]); GROW(sinceTaken) }
    /* A request on its way arrives in the end, or never. */
    :: atomic { coming[0] -> coming[0] = false; if :: !refuses -> arrive() :: true fi }
    :: atomic { coming[1] -> coming[1] = false; if :: !refuses -> arrive() :: true fi }
    /* Nobody applies for a week: records are kept no longer. */
    :: atomic { ledger == L_SENDING && age == LONG && at[0] == OFF && at[1] == OFF ->
        age = WEEK; sinceTaken = (sinceTaken == LONG -> WEEK : sinceTaken) }
    :: atomic { lies > 0 -> lies = 0; lying = true }
    :: atomic { lying && lies == 0 && age >= LONG -> lying = false }
    :: atomic { !isOver && ledger == L_SENDING -> isOver = true }
    :: atomic { !refuses && ledger <= L_SENDING -> refuses = true }
    od
}

/* 3: it ends. */
proctype End() { timeout -> assert(ledger > L_SENDING || ledger == L_NONE && isOver) }
init { atomic { run Apply(0); run Apply(1); run World(); run End() } }
