//! The attacks, by class.

mod entries;
mod envelopes;
mod names;
mod numbers;
mod options;
mod registry;
mod schemas;
mod shapes;
mod sizes;
mod texts;

use crate::attack::{Attack, Class, Dialect, SECRET};
use crate::value::{Value, object};

/// The honest widget that most attacks begin with: everything that is required, and a secret.
pub fn widget() -> Value {
    object([("name", "abc".into()), ("count", 3.into()), ("sec", SECRET.into())])
}

/// All attacks.
pub fn all() -> Vec<Attack> {
    let mut attacks = Vec::new();
    attacks.extend(shapes::attacks());
    attacks.extend(names::attacks());
    attacks.extend(numbers::attacks());
    attacks.extend(sizes::attacks());
    attacks.extend(texts::attacks());
    attacks.extend(entries::attacks());
    attacks.extend(schemas::attacks());
    attacks.extend(envelopes::attacks());
    attacks.extend(options::attacks());
    attacks.extend(registry::attacks());
    attacks
        .iter_mut()
        .filter(|attack| is_about_readers(attack))
        .for_each(|attack| attack.dialects.push(Dialect::Open));
    attacks
}

/// Whether readers do not agree on the value, whatever its type is.
fn is_about_readers(attack: &Attack) -> bool {
    let is_free = attack.path.as_ref().is_some_and(|path| path.starts_with("free"));
    let is_beyond = is_free && attack.class == Class::Number;
    // The tree of a value that nests too deeply says where, and not by which name.
    let is_deep = attack.class == Class::Depth && attack.name.ends_with("in free");
    let is_ambiguous = matches!(
        attack.class,
        Class::TwiceInAnotherCase | Class::TwiceExactly | Class::Encoding | Class::TextBehind
    );
    attack.dialects.contains(&Dialect::Radius) && (is_beyond || is_deep || is_ambiguous)
}
