//! Dates and times, in UTC and on the Gregorian calendar.

mod calendar;
mod duration;
mod parse;
mod print;

pub use duration::duration_in_milliseconds;

use super::{Arguments, Function, FunctionBody, FunctionError, Stages, pure};
use crate::evaluate::Moment;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("dateTimeAdd", "base, duration, format?", date_time_add, "Adds a duration to a date."),
    pure("dateTimeFromEpoch", "seconds", date_time_from_epoch, "Turns seconds since 1970 into a date."),
    pure("dateTimeToEpoch", "date", date_time_to_epoch, "Turns a date into seconds since 1970."),
    Function::new(
        "utcNow",
        "format?",
        FunctionBody::Clock(utc_now),
        "Returns the time of the deployment, in the default value of a parameter.",
    )
    .only(Stages::PARAMETER),
];

/// What dates look like if nothing else is said.
const EXTENDED: &str = "yyyy-MM-ddTHH:mm:ssZ";
const BASIC: &str = "yyyyMMddTHHmmssZ";

fn utc_now(arguments: Arguments<'_>, now: Moment) -> Result<Value, FunctionError> {
    written(now, arguments.optional_text(0)?.unwrap_or(BASIC))
}

fn date_time_add(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let (base, own_format) = date(arguments.str_at(0)?)?;
    let duration = arguments.str_at(1)?;
    let Some(ticks) = duration::parse(duration) else {
        return Err(FunctionError::Argument(format!(
            "`{duration}` is not an ISO 8601 duration such as `P1D` or `-PT30M`"
        )));
    };
    let sum = i128::from(base.seconds) * i128::from(calendar::TICKS) + i128::from(base.ticks) + ticks;
    let seconds = i64::try_from(sum.div_euclid(calendar::TICKS.into())).map_err(|_| out_of_range())?;
    let moment = Moment { seconds, ticks: sum.rem_euclid(calendar::TICKS.into()) as u32 };
    written(moment, arguments.optional_text(2)?.unwrap_or(&own_format))
}

fn date_time_from_epoch(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    written(Moment { seconds: arguments.int(0)?, ticks: 0 }, EXTENDED)
}

fn date_time_to_epoch(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(Value::Int(date(arguments.str_at(0)?)?.0.seconds))
}

/// Reads a date, and tells in which format it is written.
fn date(text: &str) -> Result<(Moment, String), FunctionError> {
    parse::parse(text).ok_or_else(|| {
        FunctionError::Argument(format!("`{text}` is not an ISO 8601 date such as `2023-04-01T01:00:38Z`"))
    })
}

fn written(moment: Moment, format: &str) -> Result<Value, FunctionError> {
    let civil = calendar::Civil::of(moment).ok_or_else(out_of_range)?;
    match print::print(&civil, format) {
        Some(text) => Ok(text.into()),
        None => Err(FunctionError::Argument(format!("`{format}` is not a format for dates"))),
    }
}

fn out_of_range() -> FunctionError {
    FunctionError::Argument("the date is not in the years 1 to 9999".to_owned())
}
