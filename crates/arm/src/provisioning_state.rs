//! How far a resource or a deployment has come, in the words of Azure Resource Manager.

use crate::Value;

/// The member of `properties` that says how far something has come.
pub const PROVISIONING_STATE: &str = "provisioningState";

/// How far a resource or a deployment has come. Services have further words of their own, all of which mean that the work goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProvisioningState {
    /// It was let in, and nothing has been done for it.
    Accepted,
    /// It is worked on.
    Running,
    /// It has ended, and everything was done.
    Succeeded,
    /// Something was not done.
    Failed,
    /// It has ended because somebody cancelled it.
    Canceled,
}

impl ProvisioningState {
    /// The word, as the REST API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            ProvisioningState::Accepted => "Accepted",
            ProvisioningState::Running => "Running",
            ProvisioningState::Succeeded => "Succeeded",
            ProvisioningState::Failed => "Failed",
            ProvisioningState::Canceled => "Canceled",
        }
    }

    /// The state that a word stands for, in any case; none if it is a word of a service.
    pub fn parse(word: &str) -> Option<ProvisioningState> {
        // Some services spell it the British way.
        if word.eq_ignore_ascii_case("Cancelled") {
            return Some(ProvisioningState::Canceled);
        }
        let all = [
            ProvisioningState::Accepted,
            ProvisioningState::Running,
            ProvisioningState::Succeeded,
            ProvisioningState::Failed,
            ProvisioningState::Canceled,
        ];
        all.into_iter().find(|state| state.as_str().eq_ignore_ascii_case(word))
    }

    /// Returns whether nothing more will be done.
    pub fn is_terminal(self) -> bool {
        match self {
            ProvisioningState::Succeeded | ProvisioningState::Failed | ProvisioningState::Canceled => true,
            ProvisioningState::Accepted | ProvisioningState::Running => false,
        }
    }

    /// The word in the properties of a body, whatever it is.
    pub fn word_in(body: &Value) -> Option<&str> {
        body.as_object()?.get("properties")?.as_object()?.get(PROVISIONING_STATE)?.as_str()
    }

    /// The state in the properties of a body; none if it has none, or a word of a service.
    pub fn of(body: &Value) -> Option<ProvisioningState> {
        ProvisioningState::parse(ProvisioningState::word_in(body)?)
    }

    /// The properties of something of which nothing else is known.
    pub fn properties(self) -> Value {
        Value::object([(PROVISIONING_STATE, Value::text(self.as_str()))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_in_any_case_and_written_in_one() {
        for (word, state) in [
            ("accepted", ProvisioningState::Accepted),
            ("RUNNING", ProvisioningState::Running),
            ("Succeeded", ProvisioningState::Succeeded),
            ("failed", ProvisioningState::Failed),
            ("canceled", ProvisioningState::Canceled),
            ("Cancelled", ProvisioningState::Canceled),
        ] {
            assert_eq!(ProvisioningState::parse(word), Some(state), "{word}");
            assert_eq!(ProvisioningState::parse(state.as_str()), Some(state), "{word}");
        }
        assert_eq!(ProvisioningState::parse("Creating"), None);
    }

    #[test]
    fn a_body_says_it_in_its_properties() {
        let body = Value::object([("properties", ProvisioningState::Failed.properties())]);
        assert_eq!(ProvisioningState::of(&body), Some(ProvisioningState::Failed));
        assert_eq!(ProvisioningState::of(&ProvisioningState::Failed.properties()), None);
        let word = Value::object([("properties", Value::object([(PROVISIONING_STATE, "Attaching".into())]))]);
        assert_eq!(ProvisioningState::of(&word), None);
        assert_eq!(ProvisioningState::word_in(&word), Some("Attaching"));
    }
}
