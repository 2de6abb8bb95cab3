//! Budgets: what a piece of work may use of time and memory. Whoever owns the work makes one and hands it down.
//!
//! A [`Budget`] is the account of one deployment or request, shared by everything that is evaluated for it, nested deployments
//! included. Evaluations draw on it in chunks, so that a small value costs no shared counter. What is over ends as an error that
//! names the largest part that is kept, and everything that the budget pays for afterwards ends the same way. A [`MemoryPool`] is
//! what all budgets of a process take their memory from.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

const MIB: u64 = 1 << 20;

/// What is drawn at once.
pub(crate) const CHUNK: u64 = MIB;

/// What each account has without taking it from the pool.
const SMALL: u64 = 4 * MIB;

/// How much one deployment or request may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Steps of evaluation: calls of functions, iterations and elements.
    pub steps: u64,
    /// Bytes of values that are alive at the same time.
    pub alive: u64,
    /// Bytes of resources, outputs and parameters of nested deployments that it makes in all.
    pub out: u64,
    /// Bytes of one resource or output.
    pub part: u64,
}

impl BudgetLimits {
    /// A billion steps, which are minutes of work, 256 MiB alive, 64 MiB made, and 4 MiB for a part, as Azure has it.
    pub const DEFAULT: BudgetLimits =
        BudgetLimits { steps: 1_000_000_000, alive: 256 * MIB, out: 64 * MIB, part: 4 * MIB };

    /// The limits for a process that may use so many bytes: half of its pool for one deployment, and never more than the default.
    #[must_use]
    pub fn within(self, memory: u64) -> BudgetLimits {
        let alive = self.alive.min(MemoryPool::share(memory) / 2).max(8 * MIB);
        BudgetLimits { alive, out: self.out.min(alive / 4), part: self.part.min(alive / 8), ..self }
    }
}

impl Default for BudgetLimits {
    fn default() -> BudgetLimits {
        BudgetLimits::DEFAULT
    }
}

/// The memory that all budgets of a process take from.
#[derive(Debug)]
pub struct MemoryPool {
    bytes: u64,
    used: AtomicU64,
    /// What those have together who do work of one owner, as long as there is some.
    owners: Mutex<HashMap<String, Weak<OwnerShare>>>,
    /// The accounts that take from it.
    accounts: Mutex<Vec<Weak<Ledger>>>,
    pressure: AtomicU8,
}

/// How much of the memory of a process is in use, as somebody looks at it who can: budgets count values, and what is made around them has to be there,
/// too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryPressure {
    /// There is enough.
    #[default]
    Low,
    /// What begins now waits until there is more, or until nothing else is under way.
    High,
    /// What is under way and has most has to end.
    Critical,
}

/// The part of a pool that the work of one owner has.
#[derive(Debug)]
struct OwnerShare {
    most: u64,
    used: AtomicU64,
}

/// How many owners are looked at before those are forgotten that have nothing.
const OWNERS: usize = 1024;

impl MemoryPool {
    /// A pool of so many bytes.
    pub fn new(bytes: u64) -> MemoryPool {
        MemoryPool {
            bytes,
            used: AtomicU64::new(0),
            owners: Mutex::default(),
            accounts: Mutex::default(),
            pressure: AtomicU8::new(0),
        }
    }

    /// A pool for a process that may use so many bytes: an eighth, as what is made is there beside what it is made from for a moment, and is copied
    /// to be sent, kept and shown.
    pub fn of_process(memory: u64) -> MemoryPool {
        MemoryPool::new(MemoryPool::share(memory))
    }

    fn share(memory: u64) -> u64 {
        memory / 8
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many of them are taken.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// How much memory is in use, as it was last said.
    pub fn pressure(&self) -> MemoryPressure {
        match self.pressure.load(Ordering::Relaxed) {
            0 => MemoryPressure::Low,
            1 => MemoryPressure::High,
            _ => MemoryPressure::Critical,
        }
    }

    /// Says how much memory is in use. Where it is critical, the account that has most is ended; its work may succeed later.
    pub fn set_pressure(&self, pressure: MemoryPressure) {
        self.pressure.store(pressure as u8, Ordering::Relaxed);
        if pressure < MemoryPressure::Critical {
            return;
        }
        let open = self.open_accounts().into_iter().filter(|ledger| !ledger.is_over.load(Ordering::Relaxed));
        let largest = open.max_by_key(|ledger| ledger.held.load(Ordering::Relaxed));
        if let Some(largest) = largest.filter(|ledger| ledger.held.load(Ordering::Relaxed) > CHUNK / 2) {
            largest.is_over("the memory of the process is in use; try again later".to_owned(), true);
        }
    }

    /// How many accounts have taken something.
    pub fn accounts(&self) -> usize {
        self.open_accounts().len()
    }

    fn open_accounts(&self) -> Vec<Arc<Ledger>> {
        let accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let open = accounts.iter().filter_map(Weak::upgrade);
        open.filter(|ledger| ledger.held.load(Ordering::Relaxed) > 0).collect()
    }

    fn register(&self, ledger: &Arc<Ledger>) {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() == accounts.capacity() {
            accounts.retain(|account| account.strong_count() > 0);
        }
        accounts.push(Arc::downgrade(ledger));
    }

    /// The part of an owner: three quarters, so that something is left for others whatever one of them does.
    fn share_of(&self, owner: &str) -> Arc<OwnerShare> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = owners.get(owner).and_then(Weak::upgrade) {
            return share;
        }
        if owners.len() >= OWNERS {
            owners.retain(|_, share| share.strong_count() > 0);
        }
        let share = Arc::new(OwnerShare { most: self.bytes / 4 * 3, used: AtomicU64::new(0) });
        owners.insert(owner.to_owned(), Arc::downgrade(&share));
        share
    }
}

/// Where an account takes its memory from.
#[derive(Clone, Debug)]
struct MemorySource {
    pool: Arc<MemoryPool>,
    owner: Option<Arc<OwnerShare>>,
}

impl MemorySource {
    fn take(&self, bytes: u64) -> bool {
        if let Some(owner) = &self.owner
            && take(&owner.used, bytes, owner.most).is_none()
        {
            return false;
        }
        let is_there = take(&self.pool.used, bytes, self.pool.bytes).is_some();
        if let Some(owner) = self.owner.as_ref().filter(|_| !is_there) {
            give_back(&owner.used, bytes);
        }
        is_there
    }

    fn give_back(&self, bytes: u64) {
        give_back(&self.pool.used, bytes);
        if let Some(owner) = &self.owner {
            give_back(&owner.used, bytes);
        }
    }
}

/// Adds to a counter, and says what it was before; none if it would be more than allowed.
fn take(used: &AtomicU64, bytes: u64, most: u64) -> Option<u64> {
    let more = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= most);
    used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()
}

/// Takes from a counter, and says what it was before.
fn give_back(used: &AtomicU64, bytes: u64) -> u64 {
    let less = |used: u64| Some(used.saturating_sub(bytes));
    // The closure always gives a value, so both are the same.
    used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).unwrap_or_else(|used| used)
}

/// How much of what an account has comes from the pool: a little is free, so that those who need little are never in the way of others.
fn beyond_small(bytes: u64) -> u64 {
    bytes.saturating_sub(SMALL)
}

/// What accounts are made from: the limits of each, and the pool that they share.
#[derive(Clone, Debug, Default)]
pub struct BudgetSource {
    /// The limits of each account.
    pub limits: BudgetLimits,
    /// Where they take their memory from; none if nobody counts what they take together.
    pub pool: Option<Arc<MemoryPool>>,
}

impl BudgetSource {
    /// For a process that may use so many bytes of memory.
    pub fn of_process(limits: BudgetLimits, memory: u64) -> BudgetSource {
        BudgetSource { limits: limits.within(memory), pool: Some(Arc::new(MemoryPool::of_process(memory))) }
    }

    /// An account on which nothing is spent yet; it pays from the same pool as the others.
    pub fn account(&self) -> Budget {
        Budget::new(self.limits, self.pool.clone())
    }

    /// A new account for somebody, whose accounts together never have all of the pool.
    pub fn account_of(&self, owner: &str) -> Budget {
        let memory = self.pool.as_ref().map(|pool| {
            let owner = Some(pool.share_of(owner));
            MemorySource { pool: Arc::clone(pool), owner }
        });
        Budget::with_memory(self.limits, memory)
    }

    /// Tells whether work of somebody may begin: there is memory, or they have nothing of it yet, or nothing else has. Others wait.
    pub fn may_begin(&self, owner: &str) -> bool {
        let Some(pool) = &self.pool else { return true };
        match pool.pressure() {
            MemoryPressure::Low => true,
            MemoryPressure::High => {
                pool.share_of(owner).used.load(Ordering::Relaxed) == 0 || pool.accounts() == 0
            }
            MemoryPressure::Critical => pool.accounts() == 0,
        }
    }

    /// Tells whether so little of the pool is left that nobody should begin with anything that may be large.
    pub fn is_nearly_empty(&self) -> bool {
        self.pool.as_ref().is_some_and(|pool| pool.used() > pool.bytes() / 4 * 3)
    }
}

/// Why a budget pays for nothing more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overrun {
    /// What was too much, in words for people.
    pub message: String,
    /// The path of the largest part; none if nothing large is kept.
    pub largest: Option<String>,
    /// Whether it was the process that had no memory left, so that the same work may succeed later.
    pub is_busy: bool,
}

/// The account of a deployment or request. Clones are the same account.
#[derive(Clone, Debug)]
pub struct Budget {
    /// How many steps are left.
    steps: Arc<AtomicU64>,
    ledger: Arc<Ledger>,
}

#[derive(Debug)]
struct Ledger {
    limits: BudgetLimits,
    memory: Option<MemorySource>,
    alive: AtomicU64,
    out: AtomicU64,
    /// Both together: what leaves an evaluation is kept until the work ends.
    held: AtomicU64,
    is_canceled: AtomicBool,
    is_over: AtomicBool,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    /// The largest part that is kept, of those that are large.
    largest: Option<(u64, String)>,
    overrun: Option<Overrun>,
}

impl Drop for Ledger {
    fn drop(&mut self) {
        if let Some(memory) = &self.memory {
            memory.give_back(beyond_small(self.held.load(Ordering::Relaxed)));
        }
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(BudgetLimits::DEFAULT, None)
    }
}

impl Budget {
    /// An account with limits, whose memory comes from a pool if there is one.
    pub fn new(limits: BudgetLimits, pool: Option<Arc<MemoryPool>>) -> Budget {
        Budget::with_memory(limits, pool.map(|pool| MemorySource { pool, owner: None }))
    }

    fn with_memory(limits: BudgetLimits, memory: Option<MemorySource>) -> Budget {
        let ledger = Arc::new(Ledger {
            limits,
            memory,
            alive: AtomicU64::new(0),
            out: AtomicU64::new(0),
            held: AtomicU64::new(0),
            is_canceled: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            notes: Mutex::default(),
        });
        if let Some(memory) = &ledger.memory {
            memory.pool.register(&ledger);
        }
        Budget { steps: Arc::new(AtomicU64::new(limits.steps)), ledger }
    }

    /// An account with so many steps and everything else by default.
    pub fn of_steps(steps: u64) -> Budget {
        Budget::new(BudgetLimits { steps, ..BudgetLimits::DEFAULT }, None)
    }

    /// An account for a look ahead: it has the steps that are left for itself, and shares the limits and the pool. What it uses, and that
    /// it is over, is not held against this one.
    #[must_use]
    pub fn ahead(&self) -> Budget {
        let limits = BudgetLimits { steps: self.steps_left(), ..self.ledger.limits };
        let ahead = Budget::with_memory(limits, self.ledger.memory.clone());
        ahead.ledger.is_canceled.store(self.is_canceled(), Ordering::Relaxed);
        ahead
    }

    /// The limits that it was made with.
    pub fn limits(&self) -> BudgetLimits {
        self.ledger.limits
    }

    /// How many steps of work are left; at zero, evaluation fails. What is over pays for none.
    pub fn steps_left(&self) -> u64 {
        if self.ledger.is_over.load(Ordering::Relaxed) { 0 } else { self.steps.load(Ordering::Relaxed) }
    }

    /// How many bytes are alive, in the chunks in which they were drawn.
    pub fn alive(&self) -> u64 {
        self.ledger.alive.load(Ordering::Relaxed)
    }

    /// Ends what is evaluated for it, and lets nothing more begin: somebody wants it to stop.
    pub fn cancel(&self) {
        self.ledger.is_canceled.store(true, Ordering::Relaxed);
    }

    /// Tells whether somebody wants it to stop.
    pub fn is_canceled(&self) -> bool {
        self.ledger.is_canceled.load(Ordering::Relaxed)
    }

    /// Tells whether it pays for nothing more: whoever goes through many things stops at the first one behind which this is so.
    pub fn is_exhausted(&self) -> bool {
        self.is_canceled() || self.ledger.is_over.load(Ordering::Relaxed)
    }

    /// Why it pays for nothing more; none while it does.
    pub fn overrun(&self) -> Option<Overrun> {
        if !self.ledger.is_over.load(Ordering::Relaxed) {
            return None;
        }
        self.notes().overrun.clone()
    }

    pub(crate) fn spend_steps(&self, steps: u64) {
        give_back(&self.steps, steps);
    }

    /// Tells why there are no steps left after so many in one evaluation; none if it was not this account that set the bound.
    pub(crate) fn out_of_steps(&self, used: u64) -> Option<Overrun> {
        let most = self.ledger.limits.steps;
        (used > self.steps_left()).then(|| self.is_over(format!("it takes more than {most} steps"), false))
    }

    /// Ends everything that it pays for, because something turned out to be too large by itself. If it was over before, why it was stays.
    pub(crate) fn end(&self, message: &str, is_busy: bool) -> Overrun {
        self.is_over(message.to_owned(), is_busy)
    }

    /// Takes memory for values that are alive.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), Overrun> {
        let ledger = &self.ledger;
        if let Some(overrun) = self.overrun() {
            return Err(overrun);
        }
        if take(&ledger.alive, bytes, ledger.limits.alive).is_none() {
            let most = shown(ledger.limits.alive);
            return Err(
                self.is_over(format!("its values take more than {most} of memory at the same time"), false)
            );
        }
        // What was not taken from the pool was not taken at all.
        self.hold(bytes).inspect_err(|_| {
            give_back(&ledger.alive, bytes);
        })
    }

    /// Takes from the pool what there is beyond the little that everybody has.
    fn hold(&self, bytes: u64) -> Result<(), Overrun> {
        let ledger = &self.ledger;
        let before = ledger.held.fetch_add(bytes, Ordering::Relaxed);
        let Some(memory) = &ledger.memory else { return Ok(()) };
        if memory.take(beyond_small(before + bytes) - beyond_small(before)) {
            return Ok(());
        }
        give_back(&ledger.held, bytes);
        let most = shown(memory.pool.bytes);
        Err(self.is_over(format!("the {most} of memory for evaluations are in use; try again later"), true))
    }

    pub(crate) fn give_back(&self, bytes: u64) {
        give_back(&self.ledger.alive, bytes);
        let before = give_back(&self.ledger.held, bytes);
        if let Some(memory) = &self.ledger.memory {
            memory.give_back(beyond_small(before) - beyond_small(before.saturating_sub(bytes)));
        }
    }

    /// Counts bytes that leave the evaluation: a resource, an output, the parameters of a nested deployment.
    pub(crate) fn send(&self, bytes: u64) -> Result<(), Overrun> {
        if bytes == 0 {
            return Ok(());
        }
        if let Some(overrun) = self.overrun() {
            return Err(overrun);
        }
        if take(&self.ledger.out, bytes, self.ledger.limits.out).is_some() {
            return self.hold(bytes);
        }
        let most = shown(self.ledger.limits.out);
        Err(self.is_over(format!("its resources and outputs are larger than {most} together"), false))
    }

    /// Refuses a part that is too large by itself, of which the path of its largest part is known, and what is
    /// too much beside what waits to be sent.
    pub(crate) fn check_part(
        &self,
        bytes: u64,
        waiting: u64,
        path: impl Fn() -> String,
    ) -> Result<(), Overrun> {
        if bytes > self.ledger.limits.part {
            return Err(self.part_is_over(path()));
        }
        self.note(bytes, path);
        let sum = self.ledger.out.load(Ordering::Relaxed).saturating_add(waiting).saturating_add(bytes);
        if sum > self.ledger.limits.out { self.send(waiting.saturating_add(bytes)) } else { Ok(()) }
    }

    fn part_is_over(&self, path: String) -> Overrun {
        let message = format!("a resource or an output is larger than {}", shown(self.ledger.limits.part));
        self.notes().largest = Some((u64::MAX, diagnostics::bound::name(&path).into_owned()));
        self.is_over(message, false)
    }

    /// Notes that a part of so many bytes is kept. Only large ones are looked at.
    pub(crate) fn note(&self, bytes: u64, path: impl FnOnce() -> String) {
        if bytes < CHUNK / 16 {
            return;
        }
        let mut notes = self.notes();
        if notes.largest.as_ref().is_none_or(|(largest, _)| *largest < bytes) {
            notes.largest = Some((bytes, diagnostics::bound::name(&path()).into_owned()));
        }
    }

    fn is_over(&self, message: String, is_busy: bool) -> Overrun {
        self.ledger.is_over(message, is_busy)
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.ledger.notes()
    }
}

impl Ledger {
    fn is_over(&self, message: String, is_busy: bool) -> Overrun {
        let mut notes = self.notes();
        let largest = notes.largest.clone();
        let overrun = notes.overrun.get_or_insert_with(|| Overrun {
            message: match &largest {
                Some((_, path)) => format!("{message}; the largest part is `{path}`"),
                None => message,
            },
            largest: largest.map(|(_, path)| path),
            is_busy,
        });
        self.is_over.store(true, Ordering::Relaxed);
        overrun.clone()
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number of bytes for people.
fn shown(bytes: u64) -> String {
    if bytes >= MIB { format!("{} MiB", bytes / MIB) } else { format!("{bytes} bytes") }
}

/// Memory that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct HeldMemory {
    budget: Budget,
    bytes: AtomicU64,
}

impl HeldMemory {
    pub(crate) fn new(budget: &Budget) -> HeldMemory {
        HeldMemory { budget: budget.clone(), bytes: AtomicU64::new(0) }
    }

    /// Holds so many bytes more.
    pub(crate) fn add(&self, bytes: u64) -> Result<(), Overrun> {
        self.budget.take(bytes)?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for HeldMemory {
    fn drop(&mut self) {
        let held = *self.bytes.get_mut();
        if held > 0 {
            self.budget.give_back(held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(alive: u64, pool: Option<Arc<MemoryPool>>) -> Budget {
        Budget::new(BudgetLimits { alive, out: 100, part: 10, ..BudgetLimits::DEFAULT }, pool)
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let budget = small(100, None);
        let held = HeldMemory::new(&budget);
        held.add(60).unwrap();
        drop(held);
        budget.take(100).unwrap();
        assert_eq!(budget.alive(), 100);
    }

    #[test]
    fn a_budget_that_was_over_pays_for_nothing_more_and_names_the_largest_part() {
        let budget = small(4 * MIB, None);
        budget.note(2 * MIB, || "variables.big".to_owned());
        budget.note(MIB, || "variables.small".to_owned());
        let overrun = budget.take(5 * MIB).unwrap_err();
        assert_eq!(overrun.largest.as_deref(), Some("variables.big"));
        assert_eq!(
            overrun.message,
            "its values take more than 4 MiB of memory at the same time; the largest part is `variables.big`"
        );
        assert_eq!(budget.take(1), Err(overrun.clone()));
        assert_eq!(budget.send(1), Err(overrun.clone()));
        assert_eq!(budget.overrun(), Some(overrun));
        assert_eq!(budget.ahead().overrun(), None);
    }

    #[test]
    fn a_budget_that_was_ended_has_no_steps_and_keeps_its_reason() {
        let budget = small(100, None);
        budget.end("a value is too large", false);
        assert!(budget.is_exhausted() && budget.steps_left() == 0);
        assert_eq!(budget.take(1).unwrap_err().message, "a value is too large");
        assert_eq!(budget.end("another one", true), budget.overrun().unwrap());
        assert_eq!(budget.overrun().unwrap().message, "a value is too large");
    }

    #[test]
    fn a_pool_is_shared_and_whoever_finds_it_empty_may_come_again() {
        let pool = Arc::new(MemoryPool::new(150));
        let account = || small(SMALL + 100, Some(pool.clone()));
        let (first, second) = (account(), account());
        first.take(SMALL + 100).unwrap();
        assert_eq!(pool.used(), 100);
        // A little is there for everybody.
        second.take(SMALL).unwrap();
        assert!(second.take(100).unwrap_err().is_busy);
        first.give_back(SMALL + 50);
        assert_eq!((first.alive(), pool.used()), (50, 0));
        drop((first, second));
        assert_eq!(pool.used(), 0);
        account().take(SMALL + 100).unwrap();
    }

    #[test]
    fn one_owner_leaves_a_part_of_the_pool_to_others() {
        let limits = BudgetLimits { alive: 2 * SMALL, ..BudgetLimits::DEFAULT };
        let source = BudgetSource { limits, pool: Some(Arc::new(MemoryPool::new(2 * SMALL))) };
        let (first, second, other) =
            (source.account_of("one"), source.account_of("one"), source.account_of("other"));
        first.take(2 * SMALL).unwrap();
        second.take(SMALL + SMALL / 2).unwrap();
        assert!(source.account_of("one").take(SMALL + 1).unwrap_err().is_busy);
        other.take(SMALL + SMALL / 2).unwrap();
        drop((first, second));
        source.account_of("one").take(2 * SMALL).unwrap();
        drop(other);
        assert_eq!(source.pool.unwrap().used(), 0);
    }

    #[test]
    fn what_has_most_ends_when_the_process_has_no_memory_left() {
        let source =
            BudgetSource { pool: Some(Arc::new(MemoryPool::new(100 * MIB))), ..BudgetSource::default() };
        let pool = source.pool.clone().unwrap();
        let (small, large, idle) = (source.account(), source.account(), source.account());
        small.take(MIB).unwrap();
        large.send(10 * MIB).unwrap();
        assert_eq!((pool.used(), pool.accounts()), (10 * MIB - SMALL, 2));
        pool.set_pressure(MemoryPressure::High);
        assert_eq!((pool.pressure(), large.overrun()), (MemoryPressure::High, None));
        pool.set_pressure(MemoryPressure::Critical);
        assert!(large.overrun().is_some_and(|overrun| overrun.is_busy) && large.steps_left() == 0);
        assert_eq!((small.overrun(), idle.overrun()), (None, None));
        pool.set_pressure(MemoryPressure::Critical);
        assert!(small.overrun().is_some());
        // What has nothing is not ended: that would give nothing back.
        pool.set_pressure(MemoryPressure::Critical);
        assert_eq!(idle.overrun(), None);
        drop((small, large));
        assert_eq!((pool.used(), pool.accounts()), (0, 0));
    }

    #[test]
    fn who_has_much_waits_for_memory_and_others_do_not() {
        let source =
            BudgetSource { pool: Some(Arc::new(MemoryPool::new(100 * MIB))), ..BudgetSource::default() };
        let pool = source.pool.clone().unwrap();
        let large = source.account_of("one");
        large.take(10 * MIB).unwrap();
        assert!(source.may_begin("one"));
        pool.set_pressure(MemoryPressure::High);
        assert!(!source.may_begin("one") && source.may_begin("other"));
        pool.set_pressure(MemoryPressure::Critical);
        assert!(!source.may_begin("one") && !source.may_begin("other"));
        drop(large);
        assert!(source.may_begin("one") && source.may_begin("other"));
    }

    #[test]
    fn what_leaves_is_counted_and_never_given_back() {
        let budget = small(100, None);
        budget.send(90).unwrap();
        assert!(!budget.send(20).unwrap_err().is_busy);
    }

    #[test]
    fn a_small_process_has_small_limits() {
        let small = BudgetLimits::DEFAULT.within(1 << 30);
        assert_eq!((small.alive, small.out, small.part), (64 * MIB, 16 * MIB, 4 * MIB));
        assert_eq!(BudgetLimits::DEFAULT.within(64 << 30), BudgetLimits::DEFAULT);
    }
}
