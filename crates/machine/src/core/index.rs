//! Which deployment of a machine, and which step of a deployment: two numbers that nobody can take for each other.

use std::marker::PhantomData;

/// A deployment of a machine; see [`RunIndex::OUTERMOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunIndex(usize);

/// A step of a deployment, in the order of its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepIndex(usize);

impl RunIndex {
    /// The deployment that all others of a machine are inside of.
    pub const OUTERMOST: RunIndex = RunIndex(0);

    /// The deployment that began after so many others.
    pub const fn new(index: usize) -> RunIndex {
        RunIndex(index)
    }
}

impl StepIndex {
    /// The first step of a plan, which every plan with steps has.
    pub const FIRST: StepIndex = StepIndex(0);
    /// Behind every step that there can be.
    pub const LAST: StepIndex = StepIndex(usize::MAX);

    /// The step behind so many others.
    pub const fn new(index: usize) -> StepIndex {
        StepIndex(index)
    }

    /// How many steps are before it.
    pub const fn get(self) -> usize {
        self.0
    }

    /// The number of the step in records.
    pub fn number(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }

    /// The first so many steps.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = StepIndex> {
        (0..count).map(StepIndex)
    }
}

/// Something that an [`IndexVec`] is indexed by.
pub(super) trait Index: Copy {
    fn at(position: usize) -> Self;
    fn position(self) -> usize;
}

impl Index for RunIndex {
    fn at(position: usize) -> RunIndex {
        RunIndex(position)
    }

    fn position(self) -> usize {
        self.0
    }
}

impl Index for StepIndex {
    fn at(position: usize) -> StepIndex {
        StepIndex(position)
    }

    fn position(self) -> usize {
        self.0
    }
}

/// A list that is indexed by one kind of index and no other.
#[derive(Debug)]
pub(super) struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<I>,
}

impl<I: Index, T> IndexVec<I, T> {
    pub(super) fn new(items: Vec<T>) -> IndexVec<I, T> {
        IndexVec { items, index: PhantomData }
    }

    pub(super) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    pub(super) fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.position())
    }

    pub(super) fn get_mut(&mut self, index: I) -> Option<&mut T> {
        self.items.get_mut(index.position())
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The index that the next item gets.
    pub(super) fn next_index(&self) -> I {
        I::at(self.items.len())
    }

    pub(super) fn indices(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::at)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(position, item)| (I::at(position), item))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().map(|(position, item)| (I::at(position), item))
    }
}
