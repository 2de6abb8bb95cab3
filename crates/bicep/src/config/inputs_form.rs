//! The two forms in which parameters JSON asks for external inputs.

/// Where a configuration says which form is written.
pub(crate) const SETTING: &str = "externalInputsForm";

/// How parameters JSON asks for external inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputsForm {
    /// Under `externalInputs`, by number, with `type` and `config`.
    Proposal,
    /// As Azure's tools know it: under `externalInputDefinitions`, by kind and number, with `kind` and `config`.
    Azure,
}

impl InputsForm {
    /// The form that goes by a name in configurations and on command lines.
    #[must_use]
    pub fn named(name: &str) -> Option<InputsForm> {
        match name {
            "proposal" => Some(InputsForm::Proposal),
            "azure" => Some(InputsForm::Azure),
            _ => None,
        }
    }

    /// The member of parameters JSON with all inputs.
    pub(crate) const fn section(self) -> &'static str {
        match self {
            InputsForm::Proposal => "externalInputs",
            InputsForm::Azure => "externalInputDefinitions",
        }
    }

    /// The member of an input with its name.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            InputsForm::Proposal => "type",
            InputsForm::Azure => "kind",
        }
    }

    /// The key of the input at a position.
    pub(crate) fn key(self, kind: &str, position: usize) -> String {
        match self {
            InputsForm::Proposal => position.to_string(),
            InputsForm::Azure => {
                let word = |character: char| {
                    if character.is_alphanumeric() || character == '_' { character } else { '_' }
                };
                format!("{}_{position}", kind.chars().map(word).collect::<String>())
            }
        }
    }
}
