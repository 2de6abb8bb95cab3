//! The way to what makes a value large.

use super::Value;

/// How much of a value one of its parts must take for the path to go on there: less says nothing.
const MOSTLY: u64 = 2;

impl Value {
    /// The path of the part that takes most of the value, below a name: `name.a[3].b`. Names in the value are shown, so it is for values whose
    /// names are no secret; a path ends at a secret.
    pub fn largest_part(&self, name: &str) -> String {
        let mut path = name.to_owned();
        let mut at = self;
        loop {
            let next = match at {
                Value::Object(object) => {
                    let largest = object.iter().max_by_key(|(_, value)| value.bytes());
                    largest.map(|(name, value)| (format!(".{name}"), value))
                }
                Value::Array(list) => {
                    let largest = list.items().iter().enumerate().max_by_key(|(_, value)| value.bytes());
                    largest.map(|(index, value)| (format!("[{index}]"), value))
                }
                _ => None,
            };
            match next {
                Some((step, value)) if value.bytes().saturating_mul(MOSTLY) > at.bytes() => {
                    path.push_str(&step);
                    at = value;
                }
                _ => return path,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_ends_where_no_part_takes_most_of_it() {
        let long = Value::from("x".repeat(10_000));
        let pair = Value::array(vec![long.clone(), long]);
        let value = Value::object([("a", Value::from("b")), ("c", Value::array(vec![Value::Null, pair]))]);
        assert_eq!(value.largest_part("outputs.o"), "outputs.o.c[1]");
        assert_eq!(Value::Null.largest_part("n"), "n");
    }
}
