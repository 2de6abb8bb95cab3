//! Times as the REST API writes them.

use arm::evaluate::{Void, evaluate};
use arm::{Expression, Value};

/// A moment in milliseconds since 1970: `2026-01-31T12:00:00.1230000Z`.
pub fn moment(milliseconds: i64) -> String {
    let seconds = Expression::from_value(&Value::Int(milliseconds.div_euclid(1000)));
    let text = evaluate(&Expression::call("dateTimeFromEpoch", [seconds]), &Void);
    let text = text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
    let fraction = milliseconds.rem_euclid(1000);
    format!("{}.{fraction:03}0000Z", text.trim_end_matches('Z'))
}

/// A duration in milliseconds: `PT1M2.5S`.
pub(crate) fn duration(milliseconds: i64) -> String {
    let milliseconds = milliseconds.max(0);
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = "PT".to_owned();
    for (amount, unit) in [(hours, 'H'), (minutes, 'M')] {
        if amount > 0 {
            text.push_str(&format!("{amount}{unit}"));
        }
    }
    let fraction = if rest > 0 { format!(".{rest:03}") } else { String::new() };
    text + &format!("{seconds}{fraction}S")
}

/// An ISO 8601 duration in milliseconds, as templates write it.
pub(crate) fn parse_duration(text: &str) -> Option<u64> {
    arm::functions::duration_in_milliseconds(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_form_of_the_rest_api() {
        assert_eq!(moment(1_680_224_438_007), "2023-03-31T01:00:38.0070000Z");
        assert_eq!(duration(0), "PT0S");
        assert_eq!(duration(62_500), "PT1M2.500S");
        assert_eq!(duration(7_200_000), "PT2H0S");
    }

    #[test]
    fn durations_are_those_of_templates() {
        assert_eq!(parse_duration("PT20S"), Some(20_000));
        assert_eq!(parse_duration("P1DT1H"), Some(90_000_000));
        assert_eq!(parse_duration("PT0.5S"), Some(500));
        assert_eq!(parse_duration("soon"), None);
        assert_eq!(parse_duration("-PT1S"), None);
    }
}
