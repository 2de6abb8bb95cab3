//! Where the value of a contract stands in what the result is about: a resource has it in `properties`.

use contract::{Constant, Definitions, Form, Shape};

/// What the environment of a resource is called in values that are made.
const ENVIRONMENT: &str =
    "/planes/radius/local/resourceGroups/default/providers/Applications.Core/environments/default";

/// The members of properties that every type has, whether it declares them or not.
const OF_RADIUS: &[&str] =
    &["environment", "application", "recipe", "provisioningState", "connections", "codeReference"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrapping {
    /// The value is the whole.
    None,
    /// The value is the member `properties`, beside which others know `environment`.
    Properties,
}

impl Wrapping {
    /// The shape of the value within the shape of the whole.
    pub(super) fn inside(self, shape: &Shape, definitions: &Definitions) -> (Shape, Definitions) {
        let same = || (shape.clone(), definitions.clone());
        let (Wrapping::Properties, Form::Object(whole)) = (self, &shape.form) else { return same() };
        let Some(property) = whole.properties.iter().find(|it| it.name == "properties") else {
            return same();
        };
        let mut inner = property.shape.clone();
        if let Form::Object(object) = &mut inner.form {
            // What Radius itself reads beside the properties of a type is no part of the value.
            object.properties.retain(|it| !OF_RADIUS.contains(&it.name.as_str()));
        }
        (inner, definitions.clone())
    }

    /// The whole value around one; none if there is nothing around it.
    pub(super) fn outside(self, value: &Constant) -> Option<Constant> {
        if self == Wrapping::None {
            return None;
        }
        let properties = match value {
            Constant::Object(members) => {
                let environment = (Constant::text("environment"), Constant::text(ENVIRONMENT));
                Constant::Object(std::iter::once(environment).chain(members.iter().cloned()).collect())
            }
            other => other.clone(),
        };
        Some(Constant::Object(vec![(Constant::text("properties"), properties)]))
    }
}
