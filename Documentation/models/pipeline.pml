// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline.pml - the protocol of userspace/sched, for spin
 *
 * Two jobs, of which one may be canceled at any moment, go through a pipeline
 * whose budget has room for less than is in flight.  `make models` tries every
 * interleaving and finds that
 *
 *	no thread waits for ever: every job ends and the teardown goes through;
 *	what was admitted, and the second job's key, are never more than the
 *	budget, whenever that key comes;
 *	at the end nothing is admitted or held, every flight is idle, every
 *	partition has ended once.
 *
 * A mutex is an atomic step, as nothing in the code waits inside of one.  A
 * condition variable is modelled with its lost wake-ups: who waits has gone to
 * sleep, and wakes only when it is signalled after that.
 */
#define NR_JOBS 2
#define EACH(j) (2 - (j))	/* partitions of a job */
#define SIZE(j) (2 - (j))	/* what each of them takes */
#ifndef NR_FLIGHTS
#define NR_FLIGHTS 2
#endif
#ifndef NR_LOADING
#define NR_LOADING 2
#endif
#ifndef NR_COMPUTING
#define NR_COMPUTING 1
#endif
#ifndef LIMIT
#define LIMIT 3		/* of the budget */
#endif
#ifndef KEY
#define KEY 0		/* held for the second job, which comes later */
#endif
#ifndef EXCESS
#define EXCESS 0	/* what the first job's partitions want beside SIZE */
#endif
#define WANTS(j) (SIZE(j) + (j == 0 -> EXCESS : 0))
#define NOBODY 255

/* ---- what is shared ------------------------------------------------------ */

bool canceled[NR_JOBS];
byte nr_begun[NR_JOBS];		/* lock */
byte nr_left[NR_JOBS];		/* lock */
byte ended[NR_JOBS];		/* lock: partitions that ended */
bool stop;			/* lock */
byte idle = NR_FLIGHTS;		/* lock */
bool sleeping[NR_LOADING];	/* on the pipeline's condition "work" */

#define THE_KEY NR_LOADING	/* stands in line like a loader, but no thread
				 * sleeps on it */
#define NR_ASKING (NR_LOADING + 1)

byte used;			/* budget's lock */
byte held;			/* budget's lock */
byte promised;			/* budget's lock: the key's, while it waits */
byte place;			/* budget's lock: in line, while it looks */
byte nr_waiting;		/* budget's lock: of line[] */
byte line[NR_ASKING];		/* budget's lock: who waits, the first first */
byte wants[NR_ASKING];
bool admitted[NR_LOADING];
bool nudged[NR_LOADING];	/* signalled since it went to sleep */

byte holders;			/* gate's lock */
bool opened[NR_LOADING + 1];	/* signalled; the last is who frees */

/* Flights: NR_FLIGHTS of them, by number. */
byte job_of[NR_FLIGHTS];
byte charge[NR_FLIGHTS];	/* what it was admitted with */
byte users[NR_FLIGHTS];		/* threads that still need it; 0: idle */

chan compute = [NR_FLIGHTS] of { byte };
chan assemble = [NR_FLIGHTS] of { byte };
chan garbage = [NR_FLIGHTS] of { byte };
bool closed_compute, closed_assemble, closed_garbage;
byte gone_loading, gone_computing, gone_assembling, gone_freeing;
#ifndef BESIDE
#define BESIDE true	/* memory is freed by a thread of its own */
#endif
bool done;

/* ---- steps under the pipeline's lock ------------------------------------- */

/* pthread_cond_signal(): one of those who sleep, if any. */
inline signal_work()
{
	if
	:: sleeping[0] -> sleeping[0] = false
	:: NR_LOADING > 1 && sleeping[NR_LOADING - 1] ->
		sleeping[NR_LOADING - 1] = false
	:: else -> skip
	fi
}

inline broadcast_work()
{
	sleeping[0] = false;
	sleeping[NR_LOADING - 1] = false
}

/* lull_sched_put(): by the last user it is idle again. */
inline put(f)
{
	d_step {
		assert(users[f] > 0);
		users[f]--;
		if
		:: users[f] == 0 ->
			assert(charge[f] == 0);
			assert(nr_left[job_of[f]] > 0);
			nr_left[job_of[f]]--;
			idle++;
			signal_work()
		:: else -> skip
		fi
	}
}

/* Takes an idle flight for a partition of job j. */
inline begin(f, j)
{
	f = 0;
	do
	:: users[f] == 0 -> break
	:: else -> f++
	od;
	users[f] = 1;
	job_of[f] = j;
	nr_begun[j]++;
	idle--
}

/* lull_sched_end() */
inline end_one(f)
{
	d_step {
		ended[job_of[f]]++;
		assert(ended[job_of[f]] <= EACH(job_of[f]))
	}
}

/* ---- budget -------------------------------------------------------------- */

/* Those behind @place, if anybody, move up. */
inline move_up()
{
	nr_waiting--;
	do
	:: place < nr_waiting -> line[place] = line[place + 1]; place++
	:: else -> break
	od;
	line[nr_waiting] = 0;
	place = 0
}

/* unlink_locked() */
inline leave_line(who)
{
	place = 0;
	do
	:: line[place] == who -> break
	:: else -> place++
	od;
	move_up()
}

/* hand_out_locked(): to the head, as long as there is enough. */
inline hand_out()
{
	do
	:: nr_waiting > 0 && held + used + wants[line[0]] <= LIMIT ->
		if
		:: line[0] == THE_KEY ->
			held = held + wants[THE_KEY];
			promised = 0
		:: else ->
			used = used + wants[line[0]];
			admitted[line[0]] = true;
			nudged[line[0]] = true
		fi;
		assert(held + used <= LIMIT);
		move_up()
	:: else -> break
	od
}

inline release(f)
{
	d_step {
		assert(used >= charge[f]);
		used = used - charge[f];
		charge[f] = 0;
		hand_out();
		skip /* a step does not end in a loop */
	}
}

/* lull_budget_hold(): beside it the largest of those to come has room; those in
 * line have their own before.  Held at once, or in line. */
inline hold(n, room)
{
	refused = held + n + room > LIMIT;
	if
	:: refused -> skip
	:: !refused && nr_waiting == 0 && held + used + n <= LIMIT ->
		held = held + n
	:: else ->
		wants[THE_KEY] = n;
		promised = n;
		line[nr_waiting] = THE_KEY;
		nr_waiting++
	fi;
	assert(held + used <= LIMIT)
}

/* lull_budget_unhold(), also of a key that still waits. */
inline unhold()
{
	if
	:: refused -> skip
	:: !refused && promised > 0 -> promised = 0; leave_line(THE_KEY)
	:: else -> held = held - KEY
	fi;
	hand_out()
}

/* lull_budget_admit(); ok is false when it was canceled, or can never fit. */
inline admit(me, j, n)
{
	atomic {
		admitted[me] = false;
		gone = false;
		if
		:: held + promised + n > LIMIT -> ok = false; gone = true
		:: nr_waiting == 0 && held + used + n <= LIMIT ->
			used = used + n;
			assert(held + used <= LIMIT);
			ok = true
		:: else ->
			wants[me] = n;
			line[nr_waiting] = me;
			nr_waiting++;
			ok = false
		fi
	}
	do
	:: ok || gone -> break
	:: !ok && !gone ->
		/* Looks at both under the lock, and sleeps. */
		atomic {
			if
			:: admitted[me] -> ok = true
			:: !admitted[me] && canceled[j] ->
				leave_line(me);
				hand_out();
				break
			:: else -> nudged[me] = false
			fi
		}
		if
		:: ok -> skip
		:: !ok -> nudged[me] /* sleeps */
		fi
	od
}

/* ---- gate ---------------------------------------------------------------- */

inline pause(me, j)
{
	do
	:: atomic {
		holders == 0 || canceled[j] -> break
	   }
	:: atomic {
		holders > 0 && !canceled[j] -> opened[me] = false
	   };
	   opened[me] /* sleeps */
	od
}

inline open_all()
{
	opened[0] = true;
	opened[NR_LOADING - 1] = true;
	opened[NR_LOADING] = true
}

inline drop_gate()
{
	d_step {
		holders--;
		if
		:: holders == 0 -> open_all()
		:: else -> skip
		fi
	}
}

/* ---- threads ------------------------------------------------------------- */

/* lull_sched_next(): the oldest job's next partition, or the end. */
inline next()
{
	do
	:: atomic {
		stop -> mine = NOBODY; break
	   }
	:: atomic {
		!stop && idle > 0 && nr_begun[0] < EACH(0) ->
		begin(mine, 0); break
	   }
	:: atomic {
		!stop && idle > 0 && nr_begun[0] == EACH(0) &&
		nr_begun[1] < EACH(1) ->
		begin(mine, 1); break
	   }
	:: atomic {
		!stop && (idle == 0 || (nr_begun[0] == EACH(0) &&
					nr_begun[1] == EACH(1))) ->
		sleeping[me] = true
	   };
	   !sleeping[me] /* sleeps */
	od
}

proctype Loading(byte me)
{
	byte mine;
	bool ok, gone;

	do
	:: next();
	   if
	   :: mine == NOBODY -> break
	   :: else -> skip
	   fi;
	   admit(me, job_of[mine], WANTS(job_of[mine]));
	   if
	   :: !ok -> end_one(mine); put(mine)
	   :: ok ->
		charge[mine] = WANTS(job_of[mine]);
		pause(me, job_of[mine]);
		if
		:: !canceled[job_of[mine]] -> compute!mine
		:: true -> /* canceled, or the witness is bad */
			release(mine);
			end_one(mine);
			put(mine)
		fi
	   fi
	od;
	gone_loading++
}

/* dispose() */
inline dispose(f)
{
	if
	:: BESIDE -> atomic { users[f]++; garbage!f }
	:: !(BESIDE) -> release(f)
	fi
}

proctype Computing()
{
	byte mine;

	do
	:: compute?mine ->
		holders++;
		holders > 0; /* here it has the bandwidth */
		drop_gate();
		dispose(mine);
		if
		:: assemble!mine
		:: true -> /* failed, or canceled inside */
			end_one(mine);
			put(mine)
		fi
	:: closed_compute && empty(compute) -> break
	od;
	gone_computing++
}

proctype Assembling()
{
	byte mine;

	do
	:: assemble?mine -> end_one(mine); put(mine)
	:: closed_assemble && empty(assemble) -> break
	od;
	gone_assembling++
}

proctype Freeing()
{
	byte mine;

	do
	:: garbage?mine ->
		pause(NR_LOADING, job_of[mine]);
		release(mine);
		put(mine)
	:: closed_garbage && empty(garbage) -> break
	od;
	gone_freeing++
}

/* ---- who uses it --------------------------------------------------------- */

/* lull_job_cancel() */
inline cancel(j)
{
	canceled[j] = true;
	atomic {
		ended[j] = ended[j] + (EACH(j) - nr_begun[j]);
		nr_left[j] = nr_left[j] - (EACH(j) - nr_begun[j]);
		nr_begun[j] = EACH(j)
	}
	atomic { nudged[0] = true; nudged[NR_LOADING - 1] = true }
	atomic { open_all() }
}

/* withdraw() */
inline free_second()
{
	if
	:: KEY > 0 -> atomic { unhold() }
	:: else -> skip
	fi
}

proctype User()
{
	bool refused;

	/* lull_job_submit() of both: the pipeline is at rest until then.  With a
	 * key, the second comes at any moment later, and may be refused. */
	atomic {
		nr_begun[0] = 0; nr_left[0] = EACH(0);
		if
		:: KEY == 0 -> nr_begun[1] = 0; nr_left[1] = EACH(1)
		:: else -> skip
		fi;
		broadcast_work()
	}
	if
	:: KEY > 0 ->
		atomic {
			hold(KEY, SIZE(0)); /* the larger of both */
			if
			:: refused -> ended[1] = EACH(1)
			:: else -> nr_begun[1] = 0; nr_left[1] = EACH(1)
			fi;
			broadcast_work()
		}
	:: else -> skip
	fi;
	if
	:: cancel(0)
	:: cancel(1)
	:: cancel(0); cancel(1)
	:: skip
	fi;
	/* lull_job_free(): the second's may come first. */
	if
	:: nr_left[1] == 0 -> free_second(); nr_left[0] == 0
	:: nr_left[0] == 0 -> nr_left[1] == 0; free_second()
	fi;
	assert(ended[0] == EACH(0) && ended[1] == EACH(1));
	/* lull_pipeline_destroy() */
	atomic { stop = true; broadcast_work() }
	gone_loading == NR_LOADING;
	closed_compute = true;
	gone_computing == NR_COMPUTING;
	closed_assemble = true;
	gone_assembling == 1;
	closed_garbage = true;
	gone_freeing == 1;
	assert(used == 0 && held == 0 && nr_waiting == 0 && holders == 0);
	assert(idle == NR_FLIGHTS);
	assert(empty(compute) && empty(assemble) && empty(garbage));
	done = true
}

init {
	byte i;

	atomic {
		nr_begun[0] = EACH(0);
		nr_begun[1] = EACH(1);
		i = 0;
		do
		:: i < NR_LOADING -> run Loading(i); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < NR_COMPUTING -> run Computing(); i++
		:: else -> break
		od;
		run Assembling();
		run Freeing();
		run User()
	}
}

/* Every job ends, and so does everything else. */
ltl ends { <> done }
