//! The names of changes.

/// One name for changes: what it means.
#[derive(Clone, Copy, Debug)]
pub struct ChangeRule {
    /// The name in reports.
    pub name: &'static str,
    /// What changed, as a sentence part.
    pub summary: &'static str,
}

macro_rules! rules {
    ($($name:literal, $summary:literal;)+) => {
        /// Every name that a change can have.
        pub static RULES: &[ChangeRule] = &[$(ChangeRule { name: $name, summary: $summary }),+];
    };
}

rules! {
    "type-changed", "values of another kind are accepted";
    "type-narrowed", "fewer kinds of value are accepted";
    "type-widened", "more kinds of value are accepted";
    "null-refused", "null is not accepted any more";
    "null-accepted", "null is accepted as well";
    "property-added", "an object may have a property that was refused before";
    "property-removed", "an object may not have a property any more";
    "property-required", "a property must be there that could be absent before";
    "property-optional", "a property may be absent that had to be there";
    "property-declared", "a property that an open object left open has a type now";
    "property-forgotten", "a property of an open object is not declared any more: it is accepted and not read";
    "position-declared", "an element that a list left open has a type now";
    "object-closed", "properties that are not declared are refused now";
    "object-opened", "properties that are not declared are accepted now";
    "names-narrowed", "fewer names of properties are accepted";
    "names-widened", "more names of properties are accepted";
    "names-changed", "other names of properties are accepted";
    "minimum-raised", "the smallest number is greater";
    "minimum-lowered", "the smallest number is smaller";
    "maximum-raised", "the greatest number is greater";
    "maximum-lowered", "the greatest number is smaller";
    "multiple-changed", "numbers are multiples of something else";
    "length-narrowed", "fewer lengths of text are accepted";
    "length-widened", "more lengths of text are accepted";
    "length-changed", "other lengths of text are accepted";
    "items-narrowed", "fewer lists are accepted: their elements, or how many there are";
    "items-widened", "more lists are accepted: their elements, or how many there are";
    "items-changed", "other lists are accepted: their elements, or how many there are";
    "properties-narrowed", "fewer counts of properties are accepted";
    "properties-widened", "more counts of properties are accepted";
    "properties-changed", "other counts of properties are accepted";
    "pattern-narrowed", "fewer texts match";
    "pattern-widened", "more texts match";
    "pattern-changed", "other texts match";
    "format-narrowed", "fewer texts are of the format";
    "format-widened", "more texts are of the format";
    "format-changed", "texts are of another format";
    "format-unchecked", "a format is not checked any more, or is one that is never checked";
    "value-removed", "a value of a fixed set is not accepted any more";
    "value-added", "a fixed set has another value";
    "unique-added", "elements of a list must differ";
    "unique-removed", "elements of a list may be equal";
    "contains-narrowed", "more is asked of some elements of a list";
    "contains-widened", "less is asked of some elements of a list";
    "contains-changed", "something else is asked of some elements of a list";
    "variant-removed", "an alternative is gone";
    "variant-added", "there is another alternative";
    "variant-overlap", "values that fit two alternatives are treated in another way";
    "condition-added", "something is asked under a condition";
    "condition-removed", "something is not asked under a condition any more";
    "condition-changed", "something else is asked under a condition";
    "parameter-added", "there is another parameter";
    "parameter-removed", "a parameter is gone";
    "parameter-required", "a parameter must be given that could be left out";
    "parameter-optional", "a parameter may be left out that had to be given";
    "output-added", "there is another output";
    "output-removed", "an output is gone";
    "output-required", "an output is always there";
    "output-optional", "an output may be absent";
    "wire-type-changed", "a field has another type on the wire";
    "field-id-changed", "a field has another number";
    "field-renamed", "a field of the same number has another name";
    "function-added", "a service has another function";
    "function-removed", "a function is gone";
    "oneway-changed", "a function answers that did not, or the other way round";
    "exception-added", "a function can answer with another exception";
    "exception-removed", "a function does not answer with an exception any more";
    "validator-changed", "a validator is added, removed or changed";
    "default-changed", "what stands in for an absent value is another value";
    "default-removed", "nothing stands in for an absent value any more";
    "discriminator-changed", "another property chooses the alternative";
    "read-only-changed", "a property becomes read-only, or writable";
    "description", "a description changed";
    "deprecated", "something is deprecated, or not any more";
    "secure-changed", "a value becomes a secret, or is none any more";
    "undecided", "the difference could not be found out";
}
