//! What expressions see of the world around them.

use contract::Admitted;
use smol_str::SmolStr;

use super::{EvaluateError, Evaluator};
use crate::expression::FunctionCall;
use crate::functions::{self, Function, Stage};
use crate::{Expression, Value};

/// What an environment says about something that it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum EnvironmentValue {
    /// It has this value.
    Value(Value),
    /// It is what this expression will give, which cannot be evaluated now.
    Expression(Expression),
    /// It exists, and is not known now: the call stays as it is written.
    Unknown,
}

impl<V: Into<Value>> From<V> for EnvironmentValue {
    fn from(value: V) -> EnvironmentValue {
        EnvironmentValue::Value(value.into())
    }
}

/// Where resource ids start.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Scope {
    /// Not known: functions that depend on it stay as they are written.
    #[default]
    Unknown,
    /// The tenant, above all management groups and subscriptions.
    Tenant,
    /// A management group, by name.
    ManagementGroup(SmolStr),
    /// A subscription, by its id.
    Subscription(SmolStr),
    /// A resource group of a subscription.
    ResourceGroup {
        /// The id of the subscription that it is in.
        subscription: SmolStr,
        /// The name of the group, without a path.
        name: SmolStr,
    },
    /// A resource group of a plane of Radius.
    Plane {
        /// The name of the plane.
        plane: SmolStr,
        /// The name of the group.
        group: SmolStr,
    },
}

impl Scope {
    /// What ids of resources in the scope start with: nothing for the tenant, and for what is not known.
    pub fn id(&self) -> SmolStr {
        match self {
            Scope::Unknown | Scope::Tenant => SmolStr::default(),
            Scope::ManagementGroup(name) => {
                smol_str::format_smolstr!("/providers/Microsoft.Management/managementGroups/{name}")
            }
            Scope::Subscription(id) => smol_str::format_smolstr!("/subscriptions/{id}"),
            Scope::ResourceGroup { subscription, name } => {
                smol_str::format_smolstr!("/subscriptions/{subscription}/resourceGroups/{name}")
            }
            Scope::Plane { plane, group } => {
                smol_str::format_smolstr!("/planes/radius/{plane}/resourceGroups/{group}")
            }
        }
    }

    /// The first name of the scope that the API has for nothing of its kind, with what it would be the name of.
    pub fn unaddressable(&self) -> Option<(&'static str, &str)> {
        let names = match self {
            Scope::Unknown | Scope::Tenant => [None, None],
            Scope::ManagementGroup(name) => [Some(("management group", name)), None],
            Scope::Subscription(id) => [Some((SUBSCRIPTION, id)), None],
            Scope::ResourceGroup { subscription, name } => {
                [Some((SUBSCRIPTION, subscription)), Some(("resource group", name))]
            }
            Scope::Plane { plane, group } => [Some(("plane", plane)), Some(("resource group", group))],
        };
        let wrong = names.into_iter().flatten().find(|(what, name)| !is_name(what, name))?;
        Some((wrong.0, wrong.1.as_str()))
    }

    /// The scope of an id such as `/subscriptions/../resourceGroups/..`; none if it is not the id of a scope.
    pub fn parse(id: &str) -> Option<Scope> {
        let parts: Vec<&str> = id.trim_end_matches('/').split('/').skip(1).collect();
        let is = |part: &str, word: &str| part.eq_ignore_ascii_case(word);
        match parts.as_slice() {
            [] => Some(Scope::Tenant),
            [word, id] if is(word, "subscriptions") => Some(Scope::Subscription((*id).into())),
            [word, id, groups, name] if is(word, "subscriptions") && is(groups, "resourceGroups") => {
                Some(Scope::ResourceGroup { subscription: (*id).into(), name: (*name).into() })
            }
            [word, provider, groups, name]
                if is(word, "providers")
                    && is(provider, "Microsoft.Management")
                    && is(groups, "managementGroups") =>
            {
                Some(Scope::ManagementGroup((*name).into()))
            }
            [planes, radius, plane, groups, group]
                if is(planes, "planes") && is(radius, "radius") && is(groups, "resourceGroups") =>
            {
                Some(Scope::Plane { plane: (*plane).into(), group: (*group).into() })
            }
            _ => None,
        }
    }
}

const SUBSCRIPTION: &str = "subscription";

/// Whether a text can be the name of a scope: up to 90 letters, digits and a few signs, without a period at its end.
///
/// The id of a subscription is a GUID where there is an Azure to ask. Offline it is any name, also a placeholder such as
/// `#_subscriptionId_#` that a pipeline replaces later.
fn is_name(what: &str, text: &str) -> bool {
    const LONGEST: usize = 90;
    let signs = if what == SUBSCRIPTION { "-_.()#" } else { "-_.()" };
    let is_fine = |letter: char| letter.is_alphanumeric() || signs.contains(letter);
    (1..=LONGEST).contains(&text.chars().count()) && !text.ends_with('.') && text.chars().all(is_fine)
}

/// A function that the template defines.
#[derive(Clone, Debug, PartialEq)]
pub struct UserFunction {
    /// The names of its parameters.
    pub parameters: Vec<SmolStr>,
    /// The expression of its output, in which only its parameters are known.
    pub body: Expression,
}

/// A function that a host adds to those of templates. It gets values without secrets; what it makes of them is one if they held one.
pub type ExtraFunction = fn(&[Value]) -> Result<Value, String>;

/// The functions that a host adds, found by namespace and name.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtraFunctions(Option<fn(&str, &str) -> Option<ExtraFunction>>);

impl ExtraFunctions {
    /// Those that a table knows.
    pub fn new(table: fn(&str, &str) -> Option<ExtraFunction>) -> ExtraFunctions {
        ExtraFunctions(Some(table))
    }

    /// The function with a name.
    pub fn find(self, namespace: &str, name: &str) -> Option<ExtraFunction> {
        self.0.and_then(|table| table(namespace, name))
    }
}

/// What a value is to a function of the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionRole {
    /// The argument at a position.
    Argument(usize),
    /// What the function returns.
    Result,
}

/// A moment, as seconds since 1970 and the fraction of the second in units of 100 nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Whole seconds since the start of 1970, UTC; negative before.
    pub seconds: i64,
    /// The rest, below 10,000,000.
    pub ticks: u32,
}

/// What expressions can ask for beyond their own text.
///
/// Every method has a default: an environment without any is that of an expression in the void, where only
/// pure functions work. A host that evaluates other expressions to answer does so through the evaluator that
/// it is handed, so that depth and work are counted together.
pub trait Environment {
    /// The value of a parameter, by whatever case.
    fn parameter(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        let _ = evaluator;
        Err(EvaluateError::missing_parameter(name))
    }

    /// The value of a variable, by whatever case.
    fn variable(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        let _ = evaluator;
        Err(EvaluateError::missing_variable(name))
    }

    /// The value of a variable in the body of a function of the template, where that is allowed.
    fn variable_of_function(
        &self,
        name: &str,
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let _ = (name, evaluator);
        Err(EvaluateError::not_allowed_here("variables"))
    }

    /// What is around an environment that stands inside another one, such as that of a function's body.
    fn outside(&self) -> Option<&dyn Environment> {
        None
    }

    /// The management group that `managementGroupResourceId` means if none is named and the scope is none.
    fn management_group(&self) -> Option<SmolStr> {
        None
    }

    /// The iteration of a copy loop, the innermost if no name is given.
    fn copy_index(&self, loop_name: Option<&str>) -> Result<EnvironmentValue, EvaluateError> {
        let _ = loop_name;
        Err(EvaluateError::not_allowed_here("copyIndex"))
    }

    /// A function of the template, by whatever case.
    fn function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        let _ = (namespace, name);
        None
    }

    /// A function that the host adds to those of templates.
    fn extra_function(&self, namespace: &str, name: &str) -> Option<ExtraFunction> {
        let _ = (namespace, name);
        None
    }

    /// Lets a value into a function of the template, or out of it, if the types of that function allow it.
    fn admit(
        &self,
        call: &FunctionCall,
        role: FunctionRole,
        value: Value,
        evaluator: &Evaluator<'_>,
    ) -> Result<Admitted<Value>, EvaluateError> {
        let _ = (role, value, evaluator);
        Err(EvaluateError::not_allowed_here(&call.name))
    }

    /// The result of a function that only a host can know, such as `reference` or `listKeys`.
    fn host(
        &self,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let _ = (arguments, evaluator);
        Err(EvaluateError::not_allowed_here(name))
    }

    /// Where resource ids start.
    fn scope(&self) -> Scope {
        Scope::Unknown
    }

    /// The time of the deployment; none where `utcNow` cannot be used.
    fn now(&self) -> Option<Moment> {
        None
    }

    /// Whether time and chance are left open: `utcNow` and `newGuid` stay as they are written.
    fn is_timeless(&self) -> bool {
        false
    }

    /// A new random UUID; none where `newGuid` cannot be used.
    fn new_guid(&self) -> Option<[u8; 16]> {
        None
    }
}

/// The environment that has nothing: pure functions alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Void;

impl Environment for Void {}

/// Methods of an [`Environment`] that hand on what they are asked to the environment in a field.
macro_rules! forwarded {
    ($field:ident: $($method:ident),+) => { $(forwarded!(@$method $field);)+ };
    (@parameter $field:ident) => {
        fn parameter(&self, name: &str, evaluator: &$crate::evaluate::Evaluator<'_>) -> Result<$crate::evaluate::EnvironmentValue, $crate::evaluate::EvaluateError> {
            self.$field.parameter(name, evaluator)
        }
    };
    (@variable $field:ident) => {
        fn variable(&self, name: &str, evaluator: &$crate::evaluate::Evaluator<'_>) -> Result<$crate::evaluate::EnvironmentValue, $crate::evaluate::EvaluateError> {
            self.$field.variable(name, evaluator)
        }
    };
    (@variable_of_function $field:ident) => {
        fn variable_of_function(&self, name: &str, evaluator: &$crate::evaluate::Evaluator<'_>) -> Result<$crate::evaluate::EnvironmentValue, $crate::evaluate::EvaluateError> {
            self.$field.variable_of_function(name, evaluator)
        }
    };
    (@function $field:ident) => {
        fn function(&self, namespace: &str, name: &str) -> Option<&$crate::evaluate::UserFunction> {
            self.$field.function(namespace, name)
        }
    };
    (@extra_function $field:ident) => {
        fn extra_function(&self, namespace: &str, name: &str) -> Option<$crate::evaluate::ExtraFunction> {
            self.$field.extra_function(namespace, name)
        }
    };
    (@admit $field:ident) => {
        fn admit(
            &self,
            call: &$crate::expression::FunctionCall,
            role: $crate::evaluate::FunctionRole,
            value: $crate::Value,
            evaluator: &$crate::evaluate::Evaluator<'_>,
        ) -> Result<contract::Admitted<$crate::Value>, $crate::evaluate::EvaluateError> {
            self.$field.admit(call, role, value, evaluator)
        }
    };
    (@host $field:ident) => {
        fn host(
            &self,
            name: &str,
            arguments: &[$crate::Value],
            evaluator: &$crate::evaluate::Evaluator<'_>,
        ) -> Result<$crate::evaluate::EnvironmentValue, $crate::evaluate::EvaluateError> {
            self.$field.host(name, arguments, evaluator)
        }
    };
    (@scope $field:ident) => {
        fn scope(&self) -> $crate::evaluate::Scope {
            self.$field.scope()
        }
    };
    (@now $field:ident) => {
        fn now(&self) -> Option<$crate::evaluate::Moment> {
            self.$field.now()
        }
    };
    (@is_timeless $field:ident) => {
        fn is_timeless(&self) -> bool {
            self.$field.is_timeless()
        }
    };
    (@new_guid $field:ident) => {
        fn new_guid(&self) -> Option<[u8; 16]> {
            self.$field.new_guid()
        }
    };
}

pub(crate) use forwarded;

/// What the body of a function of the template sees: its own arguments, the other functions, and where the template is deployed.
pub(crate) struct UserFunctionEnvironment<'e> {
    pub(crate) outer: &'e dyn Environment,
    pub(crate) names: &'e [SmolStr],
    pub(crate) arguments: &'e [Admitted<Value>],
}

impl Environment for UserFunctionEnvironment<'_> {
    fn parameter(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        let mut both = self.names.iter().zip(self.arguments);
        let found = both.find(|(parameter, _)| crate::value::equal_ignoring_case(parameter, name));
        match found {
            Some((_, value)) => Ok(EnvironmentValue::Value(value.get().clone())),
            None => Err(EvaluateError::missing_parameter(name)),
        }
    }

    /// Where the language lets a function use variables, they are those of its template.
    fn variable(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        self.outer.variable_of_function(name, evaluator)
    }

    fn outside(&self) -> Option<&dyn Environment> {
        Some(self.outer)
    }

    fn host(
        &self,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let legal = |function: &Function| function.stages.contains(Stage::Function);
        if !functions::find(name).is_some_and(legal) {
            return Err(EvaluateError::not_allowed_here(name));
        }
        self.outer.host(name, arguments, evaluator)
    }

    forwarded!(outer: variable_of_function, function, extra_function, admit, scope);
}
