//! What was looked up once and is asked for again: references and calls that are the same for every element.

use std::cell::OnceCell;

use value::Constant;

/// How many answers fit before more room is made.
const ROOM: usize = 6;

/// Answers by the address of the question, which is a part of the contract and does not move.
#[derive(Debug)]
pub(crate) struct Memo<T> {
    answers: [OnceCell<(usize, T)>; ROOM],
    more: OnceCell<Box<Memo<T>>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Memo { answers: [const { OnceCell::new() }; ROOM], more: OnceCell::new() }
    }
}

impl<T> Memo<T> {
    /// The answer to a question, found now or before. Finding it may ask other questions.
    pub(crate) fn get(&self, question: usize, find: impl FnOnce() -> T) -> &T {
        if let Some(known) = self.known(question) {
            return known;
        }
        let answer = find();
        let mut memo = self;
        loop {
            match memo.answers.iter().find(|place| place.get().is_none()) {
                Some(free) => return &free.get_or_init(|| (question, answer)).1,
                None => memo = memo.more.get_or_init(Box::default),
            }
        }
    }

    fn known(&self, question: usize) -> Option<&T> {
        let mut memo = Some(self);
        while let Some(here) = memo {
            let mut answers = here.answers.iter().filter_map(OnceCell::get);
            if let Some((_, answer)) = answers.find(|(known, _)| *known == question) {
                return Some(answer);
            }
            memo = here.more.get().map(|more| &**more);
        }
        None
    }
}

/// What a function gave.
#[derive(Clone, Debug)]
pub(crate) enum CallResult {
    /// A value that a function gave, copied.
    Constant(Constant),
    /// Nothing, since an argument is not there.
    Missing,
    /// A reason why not.
    Failed(String),
}

/// What functions gave, so that none is called twice with the same arguments.
pub(crate) type Calls = Memo<CallResult>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_is_answered_once() {
        let memo = Memo::default();
        let mut looked = 0;
        for _ in 0..5 {
            for question in 1..10 {
                let answer = memo.get(question, || {
                    looked += 1;
                    question * 2
                });
                assert_eq!(*answer, question * 2);
            }
        }
        assert_eq!(looked, 9);
    }
}
