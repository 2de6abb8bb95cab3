//! What a deployment knows of itself and of resource providers.

use crate::check::Checker;
use crate::codes;
use crate::functions::{object_of_texts, texts};
use crate::symbols::CallSyntax;
use crate::types::{Object, Property, PropertyFlags, Range, Scopes, Ty};

/// The type of `deployment()`.
pub(super) fn deployment(checker: &mut Checker<'_>) -> Ty {
    let none = PropertyFlags::empty();
    let mut template = vec![("contentVersion".into(), Property::new(Ty::string(), none))];
    let metadata = &checker.model.declarations.metadata;
    if !metadata.is_empty() {
        let properties = metadata.iter().map(|symbol| {
            (checker.model.symbol(*symbol).name.clone(), Property::new(checker.symbol_type(*symbol), none))
        });
        let properties = properties.collect();
        let object = Object { name: "metadataProperties".into(), properties, ..Object::default() };
        template.push(("metadata".into(), Property::new(Ty::object_of(object), none)));
    }
    let template = Object {
        name: "templateProperties".into(),
        properties: template.into_iter().collect(),
        ..Object::default()
    };
    let properties = Ty::closed_object(
        "properties",
        [
            ("template", Ty::object_of(template), none),
            ("templateLink", object_of_texts("templateLinkProperties", &["id", "uri"]), none),
        ],
    );
    let location = (checker.model.target != Scopes::RESOURCE_GROUP).then(|| ("location", Ty::string(), none));
    let all = [("name", Ty::string(), none), ("properties", properties, none)];
    Ty::closed_object("deployment", all.into_iter().chain(location))
}

/// The type of `providers()` with one argument.
pub(super) fn provider<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Ty {
    let single = resource_type_of_provider(checker, call);
    let none = PropertyFlags::empty();
    Ty::closed_object(
        "Provider",
        [("namespace", Ty::string(), none), ("resourceTypes", Ty::array_of(single, Range::default()), none)],
    )
}

/// The type of `providers()` with two arguments.
pub(super) fn resource_type_of_provider<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Ty {
    checker.push(codes::PROVIDERS_FUNCTION.at(call.name_span(), &[&"providers"]));
    let none = PropertyFlags::empty();
    Ty::closed_object(
        "ProviderResource",
        [("resourceType", Ty::string(), none), ("locations", texts(), none), ("apiVersions", texts(), none)],
    )
}
