//! JSON values to Bicep values.

use arm::expression::TemplateString;

use crate::code::{BicepCode, MAX_DEPTH, Member};
use crate::converter::Converter;
use crate::declared::Repeats;
use crate::json::Json;
use crate::problem::{DecompileError, Result, Under as _};

impl Converter<'_> {
    /// The Bicep form of a value.
    pub(crate) fn value(&mut self, json: &Json) -> Result<BicepCode> {
        self.depth += 1;
        let code = if self.depth > MAX_DEPTH {
            Err(DecompileError::new("it is nested too deeply for Bicep"))
        } else {
            self.value_inside(json)
        };
        self.depth -= 1;
        code
    }

    fn value_inside(&mut self, json: &Json) -> Result<BicepCode> {
        match json {
            Json::Null => Ok(BicepCode::Null),
            Json::Bool(it) => Ok(BicepCode::Bool(*it)),
            Json::Int(number) => Ok(BicepCode::Int(*number)),
            Json::Number(text) => {
                Ok(BicepCode::call(self.function_name("json"), vec![BicepCode::text(text.as_str())]))
            }
            Json::Text(text) => match TemplateString::of(text) {
                TemplateString::Text(text) => Ok(BicepCode::text(text)),
                TemplateString::Expression(_) => self.expression(&json.expression()?),
            },
            Json::List(items) => {
                let mut codes = Vec::with_capacity(items.len());
                for (place, item) in items.iter().enumerate() {
                    codes.push(self.value(item).under(&place.to_string())?);
                }
                Ok(BicepCode::Array(codes))
            }
            Json::Object(members) => {
                let mut codes = Vec::with_capacity(members.len());
                for (name, value) in members {
                    self.member(name, value, &mut codes).under(name)?;
                }
                Ok(BicepCode::Object(codes))
            }
        }
    }

    /// Adds a member of an object: loops are several.
    pub(crate) fn member(&mut self, name: &str, value: &Json, codes: &mut Vec<Member>) -> Result<()> {
        if let ("copy", Json::List(copies)) = (name, value)
            && copies.iter().all(|copy| copy.find("name").is_some() && copy.find("count").is_some())
        {
            for copy in copies {
                let (name, code) = self.member_loop(copy)?;
                codes.push(Member::Named(name, code));
            }
            return Ok(());
        }
        let value = self.value(value)?;
        codes.push(match TemplateString::of(name) {
            TemplateString::Text(name) => Member::Named(name.to_owned(), value),
            TemplateString::Expression(_) => {
                let name = self.expression(&Json::text(name).expression()?)?;
                Member::named_by(name, value)?
            }
        });
        Ok(())
    }

    /// A loop that is a member of an object.
    fn member_loop(&mut self, copy: &Json) -> Result<(String, BicepCode)> {
        let name = required(copy, "name")?.to_text();
        let count = required(copy, "count")?;
        let input = required(copy, "input")?;
        let code =
            self.repeat(Repeats::Member, Some(&name), count, |this| this.value(input).under("input"))?;
        Ok((name, code))
    }
}

/// A member that a loop must have.
pub(crate) fn required<'j>(json: &'j Json, name: &str) -> Result<&'j Json> {
    json.find(name).ok_or_else(|| DecompileError::new(format!("the loop has no `{name}`")))
}
