//! The types that rows of functions leave to the checker: one arm for each rule.

mod arrays;
mod deployment;
mod existing;
mod lambdas;
mod nameof;
mod scopes;
mod texts;

pub(crate) use nameof::name_of;

use super::Checker;
use crate::symbols::CallSyntax;
use crate::types::{ArgumentRule, CallRule, Scopes, Ty};

impl<'m> Checker<'m> {
    /// The type of a call, by the rule of its row.
    pub(super) fn type_of_call(&mut self, rule: CallRule, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        match rule {
            CallRule::FlatArray => arguments.first().map_or_else(Ty::array, |ty| arrays::flat(ty, call)),
            CallRule::ParsedJson => self.json(call, arguments),
            CallRule::Deployment => deployment::deployment(self),
            CallRule::Provider => deployment::provider(self, call),
            CallRule::ProviderResourceType => deployment::resource_type_of_provider(self, call),
            CallRule::FolderListing => self.load_folder(call, arguments),
            CallRule::FileBytes => self.load_bytes(call, arguments),
            CallRule::FileText => self.load_text(call, arguments),
            CallRule::JsonFile => self.load_json(call, arguments),
            CallRule::YamlFile => self.load_yaml(call, arguments),
            CallRule::EnvironmentVariable => self.environment_variable(call, arguments),
            CallRule::MentionedName => nameof::name(call),
            CallRule::Tenant => scopes::tenant(call),
            CallRule::ManagementGroup => scopes::own_management_group(call),
            CallRule::NamedManagementGroup => scopes::named(Scopes::MANAGEMENT_GROUP, call),
            CallRule::ResourceGroup => scopes::own_resource_group(call),
            CallRule::NamedResourceGroup => scopes::named(Scopes::RESOURCE_GROUP, call),
            CallRule::Subscription => scopes::own_subscription(call),
            CallRule::NamedSubscription => scopes::named(Scopes::SUBSCRIPTION, call),
            CallRule::ExistingResource => existing::existing(self, call),
        }
    }

    /// The type of an argument that depends on others, by the rule of its row.
    pub(super) fn type_of_argument(
        &mut self,
        rule: ArgumentRule,
        call: CallSyntax<'m>,
        place: usize,
    ) -> Option<Ty> {
        match rule {
            ArgumentRule::ItemPredicate => lambdas::predicate_of(self, call),
            ArgumentRule::ItemMapping => lambdas::mapping_of(self, call),
            ArgumentRule::ItemSelection => lambdas::selection_of(self, call),
            ArgumentRule::ItemKey => lambdas::key_of(self, call),
            ArgumentRule::ItemOrder => lambdas::order_of(self, call),
            ArgumentRule::ValueSelection => lambdas::values_of(self, call),
            ArgumentRule::Accumulation => lambdas::accumulation_of(self, call),
            ArgumentRule::TextPosition => texts::within_text(self, call, place),
            ArgumentRule::DecoratedPredicate => lambdas::decorated_predicate(self, call),
        }
    }
}
