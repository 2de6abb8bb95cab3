//! JSON in which no object has a member twice: readers would not agree which of them counts.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A value that was read so.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UniqueJson(pub(super) Value);

impl UniqueJson {
    /// The members of an object; none of anything else.
    pub(super) fn members(self) -> Map<String, Value> {
        match self.0 {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }
}

impl<'de> Deserialize<'de> for UniqueJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueJson, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(UniqueJson)
    }
}

/// Recursion is bounded by that of the parser.
struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(UniqueJson(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(all.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if members.contains_key(&name) {
                let shown: String = name.chars().take(60).collect();
                return Err(A::Error::custom(format!("the member `{shown}` is there twice")));
            }
            let UniqueJson(value) = map.next_value()?;
            members.insert(name, value);
        }
        Ok(members.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_member_twice_is_read_as_it_is() {
        let text = r#"{"a": [null, true, -1, 18446744073709551615, 1.5, "x\n", {"b": {}}], "b": {"a": 1}}"#;
        let UniqueJson(read) = serde_json::from_str(text).unwrap();
        assert_eq!(read, serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn a_member_that_is_there_twice_is_refused_however_it_is_written() {
        for text in [r#"{"a": 1, "a": 1}"#, r#"[{"b": {"a": 1, "\u0061": 2}}]"#] {
            let error = serde_json::from_str::<UniqueJson>(text).unwrap_err().to_string();
            assert!(error.starts_with("the member `a` is there twice at line 1"), "{error}");
        }
    }
}
