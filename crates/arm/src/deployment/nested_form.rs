//! The form of a deployment inside another one: its envelope, its links, and the settings that change nothing here and must mean something
//! all the same.

use contract::{Boundary, admit};

use super::nested::NestedExpansion;
use super::partial::Partial;
use super::run::{StepError, invalid_body};
use super::walk;
use crate::template::{MemberName, OpenResourceTerms, TemplateMember, TemplateNode, code};
use crate::value::{ObjectBuilder, Value, equal_ignoring_case};

/// What a link says.
const LINK: [&str; 5] = ["uri", "relativePath", "id", "contentVersion", "queryString"];

/// What says where a link leads; each of them leads somewhere else.
const TARGETS: [&str; 3] = ["uri", "relativePath", "id"];

/// What is logged of requests and answers.
const DETAIL_LEVELS: [&str; 3] = ["none", "requestContent", "responseContent"];

/// How much of a deployment is asked of its providers.
const VALIDATION_LEVELS: [&str; 3] = ["Template", "Provider", "ProviderNoRbac"];

impl NestedExpansion<'_> {
    /// The form of the deployment as far as it is known.
    pub(super) fn check_form(&self, properties: Option<&TemplateNode>) -> Result<(), StepError> {
        self.check_envelope()?;
        for name in ["templateLink", "parametersLink"] {
            if let Some(Partial::Value(link)) = self.member(properties, name)? {
                self.check_link(name, &link)?;
            }
        }
        if let (Some(Partial::Value(template)), Some(Partial::Value(link))) =
            (self.known_template(properties)?, self.member(properties, "templateLink")?)
            && !template.is_null()
            && !link.is_null()
        {
            let message = "a deployment has either `template` or `templateLink`, not both".to_owned();
            return Err(self.wrong(code::INVALID_TEMPLATE, message, &["templateLink"]));
        }
        if let Some(Partial::Value(level)) = self.member(properties, "validationLevel")?
            && !level.is_null()
            && !is_one_of(&level, &VALIDATION_LEVELS)
        {
            let message = format!("`validationLevel` is one of `{}`", VALIDATION_LEVELS.join("`, `"));
            return Err(self.wrong(code::INVALID_TEMPLATE, message, &["validationLevel"]));
        }
        match self.member(properties, "debugSetting")? {
            Some(Partial::Value(setting)) => self.check_debug_setting(&setting),
            Some(Partial::Expression(_) | Partial::Array(_) | Partial::Object(_)) | None => Ok(()),
        }
    }

    /// The template if an expression gives it; one that is written is a value that nobody has evaluated.
    fn known_template(&self, properties: Option<&TemplateNode>) -> Result<Option<Partial>, StepError> {
        match self.resource.nested.as_ref().and_then(|nested| nested.template) {
            Some(_) => Ok(Some(Partial::Value(Value::Bool(true)))),
            None => Ok(self.member(properties, "template")?),
        }
    }

    fn check_envelope(&self) -> Result<(), StepError> {
        let mut known = ObjectBuilder::default();
        for member in &self.resource.body {
            let TemplateMember::Property { name: MemberName::Text(name), value, .. } = member else {
                continue;
            };
            if !equal_ignoring_case(name, "properties") {
                known.insert(name.clone(), walk::reduce(self.around, self.evaluator, value)?.with_unknowns());
            }
        }
        match admit(Boundary::OpenResource, &OpenResourceTerms::of_template(), known.finish()) {
            Ok(_) => Ok(()),
            Err(breaches) => {
                let template = self.around.deployment.template();
                Err(StepError::Whole(Box::new(invalid_body(template, self.step, self.resource, &breaches))))
            }
        }
    }

    fn check_link(&self, name: &str, link: &Value) -> Result<(), StepError> {
        if link.is_null() {
            return Ok(());
        }
        let wrong = |message: String, path: &[&str]| {
            Err(self.wrong(code::INVALID_TEMPLATE, message, &[&[name], path].concat()))
        };
        let exposed = link.expose();
        let Some(members) = exposed.as_object() else {
            return wrong(format!("`{name}` is an object"), &[]);
        };
        let mut targets = 0;
        for (member, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let is = |known: &&str| equal_ignoring_case(known, member);
            match value {
                _ if !LINK.iter().any(is) => {
                    let message = format!("`{name}` has `{}`, and no other members", LINK.join("`, `"));
                    return wrong(message, &[member]);
                }
                Value::Text(_) | Value::Unknown(_) => targets += usize::from(TARGETS.iter().any(is)),
                _ => return wrong(format!("`{member}` of `{name}` is a string"), &[member]),
            }
        }
        if targets > 1 {
            return wrong(format!("`{name}` has one of `{}`, not several", TARGETS.join("`, `")), &[]);
        }
        Ok(())
    }

    fn check_debug_setting(&self, setting: &Value) -> Result<(), StepError> {
        let is_level = |level: &Value| match level.plain() {
            Value::Null | Value::Unknown(_) => true,
            Value::Text(levels) => levels
                .split(',')
                .all(|level| DETAIL_LEVELS.iter().any(|known| equal_ignoring_case(known, level.trim()))),
            _ => false,
        };
        let is_fine = match setting.plain() {
            Value::Null => true,
            Value::Object(members) => members
                .iter()
                .all(|(name, level)| equal_ignoring_case(name, "detailLevel") && is_level(level)),
            _ => false,
        };
        if is_fine {
            return Ok(());
        }
        let message = "`debugSetting` is an object with `detailLevel`: `none`, or `requestContent` and `responseContent` with a comma between them";
        Err(self.wrong(code::INVALID_TEMPLATE, message.to_owned(), &["debugSetting"]))
    }
}

fn is_one_of(value: &Value, known: &[&str]) -> bool {
    match value.plain() {
        Value::Text(text) => known.iter().any(|word| equal_ignoring_case(word, text)),
        _ => false,
    }
}
