//! The memory of an evaluation: what is alive while it goes on, drawn from its budget in chunks.
//!
//! What a call makes is alive until whoever asked for it is done. So it is enough to know how much was alive when a call began: when it
//! ends, its arguments are gone and its result is there. Parameters and variables are shared and cost nothing more when they are asked for.

use super::{Cause, EvaluateError, Evaluator, Reduced};
use crate::budget::{BudgetLimits, CHUNK, HeldMemory, Overrun};
use crate::value::Value;

/// What every evaluation has without drawing on its budget.
pub(super) const FREE: u64 = 64 * 1024;

/// What a container takes beside its parts: itself, and the room for each of them.
pub(crate) const CONTAINER: u64 = 64;
/// The room for a part of a container while it is put together and afterwards.
pub(crate) const PART: u64 = 48;

impl From<Overrun> for EvaluateError {
    fn from(overrun: Overrun) -> EvaluateError {
        EvaluateError::new(Cause::OverBudget, overrun.message)
    }
}

impl Evaluator<'_> {
    /// How much is alive.
    pub(crate) fn mark(&self) -> u64 {
        self.used.alive.get()
    }

    /// What was made since then is gone.
    pub(crate) fn back_to(&self, mark: u64) {
        self.used.alive.set(mark);
    }

    /// So many bytes more are alive.
    #[inline]
    pub(crate) fn grow(&self, bytes: u64) -> Result<(), EvaluateError> {
        let alive = self.used.alive.get().saturating_add(bytes);
        self.used.alive.set(alive);
        let alive = alive.saturating_add(self.used.kept.get());
        if alive > self.used.drawn.get() { self.draw(alive) } else { Ok(()) }
    }

    /// Of what was made since then, only the result is left. What is not known has its parts still.
    #[inline]
    pub(crate) fn settle(&self, mark: u64, result: &Reduced) -> Result<(), EvaluateError> {
        match result {
            Reduced::Value(value) => self.settle_value(mark, value),
            Reduced::Expression(_) => Ok(()),
        }
    }

    /// The same for a value.
    #[inline]
    pub(crate) fn settle_value(&self, mark: u64, value: &Value) -> Result<(), EvaluateError> {
        self.back_to(mark);
        self.grow(value.bytes())
    }

    /// The result is a part of what was made since then, which is gone otherwise.
    pub(crate) fn settle_part(&self, mark: u64, part: &Reduced) {
        let alive = self.used.alive.get();
        if alive > mark
            && let Reduced::Value(part) = part
        {
            self.back_to(alive.min(mark.saturating_add(part.bytes())));
        }
    }

    /// What was made since then is held from now on, by somebody who outlives the evaluation.
    pub(crate) fn hand_over(
        &self,
        mark: u64,
        held: &HeldMemory,
        path: impl FnOnce() -> String,
    ) -> Result<(), EvaluateError> {
        let bytes = self.used.alive.get().saturating_sub(mark);
        self.back_to(mark);
        if bytes == 0 {
            return Ok(());
        }
        self.shrink();
        held.add(bytes)?;
        self.note(bytes, path);
        Ok(())
    }

    /// What was made since then stays until the evaluation ends.
    pub(crate) fn keep(&self, mark: u64, path: impl FnOnce() -> String) {
        let bytes = self.used.alive.get().saturating_sub(mark);
        self.back_to(mark);
        self.used.kept.set(self.used.kept.get().saturating_add(bytes));
        self.note(bytes, path);
    }

    /// Notes that a part of so many bytes is kept, for the message of the error if there is too much.
    pub(crate) fn note(&self, bytes: u64, path: impl FnOnce() -> String) {
        if let Some(budget) = self.budget {
            budget.note(bytes, path);
        }
    }

    #[cold]
    #[inline(never)]
    fn draw(&self, alive: u64) -> Result<(), EvaluateError> {
        let drawn = self.used.drawn.get();
        let more = alive.saturating_sub(drawn).div_ceil(CHUNK).saturating_mul(CHUNK);
        match self.budget {
            Some(budget) => budget.take(more)?,
            None if alive > BudgetLimits::DEFAULT.alive => {
                let most = BudgetLimits::DEFAULT.alive >> 20;
                let message = format!("the values of the expression take more than {most} MiB of memory");
                return Err(EvaluateError::new(Cause::OverBudget, message));
            }
            None => {}
        }
        self.used.drawn.set(drawn.saturating_add(more));
        Ok(())
    }

    /// Gives back everything that was drawn.
    pub(super) fn give_all_back(&self) {
        self.back_to(0);
        self.used.kept.set(0);
        self.shrink();
    }

    /// Gives back what was drawn and is not needed any more.
    fn shrink(&self) {
        let alive = self.used.alive.get().saturating_add(self.used.kept.get());
        let needed = alive.saturating_sub(FREE).div_ceil(CHUNK).saturating_mul(CHUNK);
        let surplus = self.used.drawn.get().saturating_sub(FREE).saturating_sub(needed);
        if surplus == 0 {
            return;
        }
        self.used.drawn.set(FREE + needed);
        if let Some(budget) = self.budget {
            budget.give_back(surplus);
        }
    }
}
