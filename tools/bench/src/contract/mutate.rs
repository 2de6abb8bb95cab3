//! Small damage to documents: what the two engines must agree on besides valid documents.

use serde_json::{Value, json};

use crate::random::Random;

/// Changes one or two places of a document, found by chance.
pub(crate) fn mutate(document: &Value, random: &mut Random) -> Value {
    let mut mutant = document.clone();
    for _ in 0..=random.below(2) {
        let spare = mutant.pointer(&place(&mutant, random)).cloned().unwrap_or_default();
        let target = place(&mutant, random);
        if let Some(target) = mutant.pointer_mut(&target) {
            damage(target, spare, random);
        }
    }
    mutant
}

/// A place in a document: walks down, and stops sooner or later.
fn place(document: &Value, random: &mut Random) -> String {
    let mut pointer = String::new();
    let mut value = document;
    while random.below(6) != 0 {
        let (step, inner) = match value {
            Value::Array(items) => {
                let at = random.below(items.len());
                (at.to_string(), items.get(at))
            }
            Value::Object(members) => match members.iter().nth(random.below(members.len())) {
                Some((name, inner)) => (name.replace('~', "~0").replace('/', "~1"), Some(inner)),
                None => break,
            },
            _ => break,
        };
        let Some(inner) = inner else { break };
        pointer.push('/');
        pointer.push_str(&step);
        value = inner;
    }
    pointer
}

fn damage(value: &mut Value, spare: Value, random: &mut Random) {
    match (random.below(4), value) {
        (0, value) => *value = spare,
        (1, value) => *value = stranger(random),
        (_, Value::Array(items)) => match random.below(3) {
            0 => _ = items.pop(),
            1 => items.push(items.first().cloned().unwrap_or_default()),
            _ => items.push(spare),
        },
        (_, Value::Object(members)) => {
            let name = members.keys().nth(random.below(members.len())).cloned().unwrap_or_default();
            match random.below(3) {
                0 => _ = members.remove(&name),
                1 => _ = members.insert(random.word(0, 9), spare),
                _ => _ = members.insert(format!("{name}x"), spare),
            }
        }
        (_, Value::String(text)) => match random.below(5) {
            0 => text.clear(),
            1 => _ = text.pop(),
            2 => text.push('x'),
            3 => text.push('é'),
            _ => *text = text.chars().rev().collect(),
        },
        (_, Value::Number(number)) => {
            let near = number.as_f64().unwrap_or_default();
            // Doubles and integers differ in how they are written, so that both kinds come up.
            *number = match (number.as_i64(), random.below(4)) {
                (Some(whole), 0) => whole.wrapping_neg().into(),
                (Some(whole), 1) => whole.wrapping_add(1).into(),
                (Some(whole), 2) => whole.wrapping_mul(1000).into(),
                _ => serde_json::Number::from_f64(near + 0.5).unwrap_or_else(|| 0.into()),
            };
        }
        (_, Value::Bool(flag)) => *flag = !*flag,
        (_, value @ Value::Null) => *value = stranger(random),
    }
}

/// A value that the document did not have.
fn stranger(random: &mut Random) -> Value {
    match random.below(10) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.below(100)),
        3 => json!(random.below(100) as f64),
        4 => json!(-1.5),
        5 => json!(u64::MAX),
        6 => json!(random.word(0, 12)),
        7 => json!([]),
        8 => json!({}),
        _ => json!({ random.word(1, 6): [random.word(1, 6)] }),
    }
}
