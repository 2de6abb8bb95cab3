//! What types say of a resource: the properties that its service adds to what was put, with values that belong to the resource.
//!
//! Types know which properties can only be read. Where a service would show one and nobody can know its value, a value is made
//! from the name and the type of the property and from the id of the resource: it looks like what it stands for, and it is the
//! same each time. Names of hosts end with `.example`, which no host on the internet does.

use std::sync::{Arc, OnceLock};

use arm::Caseless as _;
use arm::{Object, ObjectBuilder, Value};
use bicep_types::{
    DiscriminatedObjectType, Location, PropertyFlags, Type, TypeId, TypeProperty, TypeStore, TypesFile,
};

use super::added_properties::SECRETS;

/// How deep objects that are made are nested.
const DEEPEST: usize = 6;

/// How deep secrets are looked for, and how many values are looked at.
const MARKED: usize = 32;
const MOST_MARKED: usize = 100_000;

/// How many values are made for one resource, so that types with very many properties cost no more than they help.
const MOST: usize = 4_096;

/// Types that are opened when the first one is asked for.
pub struct LazyTypes {
    open: Box<dyn Fn() -> Option<Arc<TypeStore>> + Send + Sync>,
    opened: OnceLock<Option<Arc<TypeStore>>>,
}

impl LazyTypes {
    /// Types that a function opens; nothing stands for those that cannot be opened.
    pub fn new(open: impl Fn() -> Option<Arc<TypeStore>> + Send + Sync + 'static) -> LazyTypes {
        LazyTypes { open: Box::new(open), opened: OnceLock::new() }
    }

    /// No types: services add nothing but what the provider knows by itself.
    pub fn none() -> LazyTypes {
        LazyTypes::new(|| None)
    }

    fn store(&self) -> Option<&Arc<TypeStore>> {
        self.opened.get_or_init(|| (self.open)()).as_ref()
    }

    /// The names of the types that begin with a text, whatever its case.
    pub fn names<'t>(&'t self, prefix: &str) -> Box<dyn Iterator<Item = &'t str> + 't> {
        match self.store() {
            Some(store) => store.names(prefix),
            None => Box::new(std::iter::empty()),
        }
    }

    /// The versions of a type, the oldest first.
    pub fn versions(&self, name: &str) -> Vec<&str> {
        let versions = self.store().and_then(|store| store.versions(name).ok()).unwrap_or_default();
        versions.into_iter().filter_map(|row| row.api_version).collect()
    }

    /// The body of a resource with what its service adds. Without types it stays as it is.
    pub(super) fn shown(&self, kind: &str, api_version: &str, body: &Value, values: &dyn Values) -> Value {
        self.filled(kind, api_version, body, values, Adds::ReadOnly)
    }

    /// The body of a resource with all that it may have: somebody has put it, and nobody knows what. Without types it stays as it is.
    pub(super) fn guessed(&self, kind: &str, api_version: &str, body: &Value, values: &dyn Values) -> Value {
        self.filled(kind, api_version, body, values, Adds::All)
    }

    fn filled(&self, kind: &str, api_version: &str, body: &Value, values: &dyn Values, adds: Adds) -> Value {
        let filled = || {
            let store = self.store()?;
            let location = resource_type(store, kind, api_version)?;
            let file = store.file(location.file).ok()?;
            let resource = file.resource_type(location.id).ok()?;
            let mut maker = Maker { file: &file, values, left: MOST };
            Some(maker.filled(resource.body, body, adds, "", 0))
        };
        filled().unwrap_or_else(|| body.clone())
    }

    /// The body of a resource with those of its values marked that the type calls secret, that can only be written, or that are known to
    /// be secrets without types.
    pub fn marked(&self, kind: &str, api_version: &str, body: &Value) -> Value {
        let marked = || {
            let store = self.store()?;
            let location = resource_type(store, kind, api_version)?;
            let file = store.file(location.file).ok()?;
            let resource = file.resource_type(location.id).ok()?;
            Some(Marker { file: &file, left: MOST_MARKED }.marked(resource.body, body, 0))
        };
        let marked = marked().unwrap_or_else(|| body.clone());
        with_known_secrets(kind, marked)
    }

    /// The body of a resource without what can only be read: the service takes no notice of that. Without types it stays as it is.
    pub fn writable(&self, kind: &str, api_version: &str, body: &Value) -> Value {
        let writable = || {
            let store = self.store()?;
            let location = resource_type(store, kind, api_version)?;
            let file = store.file(location.file).ok()?;
            let resource = file.resource_type(location.id).ok()?;
            Some(Writable { file: &file, left: MOST_MARKED }.of(resource.body, body, 0))
        };
        writable().unwrap_or_else(|| body.clone())
    }

    /// The result of an action, where some of it is known already.
    pub(super) fn result(
        &self,
        kind: &str,
        api_version: &str,
        action: &str,
        known: &Value,
        values: &dyn Values,
    ) -> Value {
        let made = || {
            let store = self.store()?;
            let (file, output) = action_output(store, kind, api_version, action)?;
            let mut maker = Maker { file: &file, values, left: MOST };
            Some(maker.filled(output, known, Adds::All, action, 0))
        };
        made().unwrap_or_else(|| known.clone())
    }
}

/// Marks the secrets of a value.
struct Marker<'m> {
    file: &'m TypesFile,
    /// How many more values are looked at: types may refer to themselves in many ways.
    left: usize,
}

impl Marker<'_> {
    /// A value whose secrets are marked. What is not looked at counts as one.
    fn marked(&mut self, ty: TypeId, given: &Value, depth: usize) -> Value {
        if given.is_secret() {
            return given.clone();
        }
        if depth > MARKED || self.left == 0 {
            return given.clone().secret();
        }
        self.left -= 1;
        let file = self.file;
        match (file.get(ty), given) {
            (Ok(Type::String(string)), Value::Text(_)) if string.sensitive => given.clone().secret(),
            (Ok(Type::Object(kind)), Value::Object(_)) if kind.sensitive => given.clone().secret(),
            (Ok(Type::Object(kind)), Value::Object(_)) => self.object(&[&kind.properties], given, depth),
            (Ok(Type::DiscriminatedObject(kind)), Value::Object(members)) => {
                self.object(&[&kind.base_properties, variant(file, kind, members)], given, depth)
            }
            (Ok(Type::Array(array)), Value::Array(list)) => {
                let items = list.items().iter().map(|item| self.marked(array.item, item, depth + 1));
                Value::array(items.collect())
            }
            // Whichever of them calls it a secret is right.
            (Ok(Type::Union(union)), _) => union
                .elements
                .iter()
                .fold(given.clone(), |value, element| self.marked(*element, &value, depth + 1)),
            _ => given.clone(),
        }
    }

    fn object(&mut self, lists: &[&[TypeProperty]], given: &Value, depth: usize) -> Value {
        let mut members = ObjectBuilder::default();
        for (name, member) in given.as_object().into_iter().flatten() {
            let mut properties = lists.iter().copied().flatten();
            let property = properties.find(|property| property.name.eq_ignore_ascii_case(name));
            let member = match property {
                Some(property) if property.flags.contains(PropertyFlags::WRITE_ONLY) => {
                    member.clone().secret()
                }
                Some(property) => self.marked(property.ty, member, depth + 1),
                None => member.clone(),
            };
            members.insert(name.clone(), member);
        }
        members.finish()
    }
}

/// The properties that only the alternative has which a value chooses.
fn variant<'t>(file: &'t TypesFile, kind: &DiscriminatedObjectType, members: &Object) -> &'t [TypeProperty] {
    let chosen = members.get(&kind.discriminator).and_then(Value::as_str).unwrap_or_default();
    let chosen = kind.elements.iter().find(|element| element.value.eq_ignore_ascii_case(chosen));
    match chosen.map(|element| file.get(element.ty)) {
        Some(Ok(Type::Object(variant))) => &variant.properties,
        _ => &[],
    }
}

/// Leaves out of a value what can only be read.
struct Writable<'w> {
    file: &'w TypesFile,
    /// How many more values are looked at.
    left: usize,
}

impl Writable<'_> {
    /// A value without what can only be read. What is not looked at stays.
    fn of(&mut self, ty: TypeId, given: &Value, depth: usize) -> Value {
        if depth > MARKED || self.left == 0 || given.is_secret() {
            return given.clone();
        }
        self.left -= 1;
        let file = self.file;
        match (file.get(ty), given) {
            (Ok(Type::Object(kind)), Value::Object(_)) => self.object(&[&kind.properties], given, depth),
            (Ok(Type::DiscriminatedObject(kind)), Value::Object(members)) => {
                self.object(&[&kind.base_properties, variant(file, kind, members)], given, depth)
            }
            (Ok(Type::Array(array)), Value::Array(list)) => {
                let items = list.items().iter().map(|item| self.of(array.item, item, depth + 1));
                Value::array(items.collect())
            }
            _ => given.clone(),
        }
    }

    fn object(&mut self, lists: &[&[TypeProperty]], given: &Value, depth: usize) -> Value {
        let mut members = ObjectBuilder::default();
        for (name, member) in given.as_object().into_iter().flatten() {
            let mut properties = lists.iter().copied().flatten();
            match properties.find(|property| property.name.eq_ignore_ascii_case(name)) {
                Some(property) if property.flags.contains(PropertyFlags::READ_ONLY) => {}
                Some(property) => {
                    members.insert(name.clone(), self.of(property.ty, member, depth + 1));
                }
                None => {
                    members.insert(name.clone(), member.clone());
                }
            }
        }
        members.finish()
    }
}

/// A resource type of that version, or else of the newest.
fn resource_type(store: &TypeStore, kind: &str, api_version: &str) -> Option<Location> {
    if let Ok(Some(found)) = store.resource_type(kind, Some(api_version)) {
        return Some(found.location);
    }
    store.versions(kind).ok()?.last().map(|newest| newest.location)
}

/// The type of the result of an action, of that version or else of the newest that has it.
fn action_output(
    store: &TypeStore,
    kind: &str,
    api_version: &str,
    action: &str,
) -> Option<(Arc<TypesFile>, TypeId)> {
    let of_version = |version: &str| {
        store.resource_functions(kind, version).ok()?.into_iter().find_map(|location| {
            let file = store.file(location.file).ok()?;
            let function = file.resource_function(location.id).ok()?;
            let output = function.name.eq_ignore_ascii_case(action).then_some(function.output)?;
            Some((file, output))
        })
    };
    of_version(api_version).or_else(|| {
        let versions = store.versions(kind).ok()?;
        versions.iter().rev().filter_map(|row| row.api_version).find_map(of_version)
    })
}

/// Values that belong to a resource.
pub(super) trait Values {
    /// The id of the resource.
    fn id(&self) -> &str;
    fn name(&self) -> &str;
    fn location(&self) -> &str;
    /// Bytes that belong to it and to a purpose, in hexadecimal.
    fn hex(&self, label: &str, bytes: usize) -> String;
    /// A key that belongs to it and to a purpose, in base64.
    fn key(&self, label: &str) -> String;
    /// An id that belongs to it and to a purpose.
    fn guid(&self, label: &str) -> String;
    /// An address that belongs to it.
    fn address(&self) -> String;
}

/// Which members are added to an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Adds {
    /// Those that can only be read.
    ReadOnly,
    /// All: the object itself can only be read.
    All,
}

struct Maker<'m> {
    file: &'m TypesFile,
    values: &'m dyn Values,
    left: usize,
}

impl Maker<'_> {
    /// A value with what is added to it; one that does not fit its type stays as it is.
    fn filled(&mut self, ty: TypeId, given: &Value, adds: Adds, label: &str, depth: usize) -> Value {
        if depth > DEEPEST || given.is_secret() {
            return given.clone();
        }
        // The borrow of the file is not that of the maker, which counts.
        let file = self.file;
        match (file.get(ty), given) {
            (Ok(Type::Object(object)), Value::Object(_)) => {
                self.object(&[&object.properties], given, adds, label, depth)
            }
            (Ok(Type::DiscriminatedObject(object)), Value::Object(members)) => {
                let chosen = members.get(&object.discriminator).and_then(Value::as_str);
                let element = chosen.and_then(|chosen| {
                    object.elements.iter().find(|element| element.value.eq_ignore_ascii_case(chosen))
                });
                match element.map(|element| file.get(element.ty)) {
                    Some(Ok(Type::Object(variant))) => {
                        let lists = [&*object.base_properties, &*variant.properties];
                        self.object(&lists, given, adds, label, depth)
                    }
                    _ => self.object(&[&object.base_properties], given, adds, label, depth),
                }
            }
            (Ok(Type::Array(array)), Value::Array(list)) => {
                let item = |(at, item): (usize, &Value)| {
                    self.filled(array.item, item, adds, &format!("{label}/{at}"), depth + 1)
                };
                Value::array(list.items().iter().enumerate().map(item).collect())
            }
            (Ok(Type::Union(union)), Value::Object(_) | Value::Array(_)) => {
                let fits = |id: &&TypeId| {
                    matches!(
                        (file.get(**id), given),
                        (Ok(Type::Object(_) | Type::DiscriminatedObject(_)), Value::Object(_))
                            | (Ok(Type::Array(_)), Value::Array(_))
                    )
                };
                match union.elements.iter().find(fits) {
                    Some(element) => self.filled(*element, given, adds, label, depth + 1),
                    None => given.clone(),
                }
            }
            _ => given.clone(),
        }
    }

    fn object(
        &mut self,
        lists: &[&[TypeProperty]],
        given: &Value,
        adds: Adds,
        label: &str,
        depth: usize,
    ) -> Value {
        let mut members = ObjectBuilder::default();
        for (name, member) in given.as_object().into_iter().flatten() {
            members.insert(name.clone(), member.clone());
        }
        for property in lists.iter().copied().flatten() {
            // The directory gives identities; what identifies a resource is there.
            if depth == 0 && (property.name == "identity" || property.name == "systemData") {
                continue;
            }
            let label = format!("{label}/{}", property.name);
            match members.get(&property.name).cloned() {
                Some(member) => {
                    let filled = self.filled(property.ty, &member, adds, &label, depth + 1);
                    members.set(property.name.clone(), filled);
                }
                None if adds == Adds::All || property.flags.contains(PropertyFlags::READ_ONLY) => {
                    if !property.flags.contains(PropertyFlags::WRITE_ONLY)
                        && let Some(made) = self.made(property.ty, &property.name, &label, depth + 1)
                    {
                        members.set(property.name.clone(), made);
                    }
                }
                None => {}
            }
        }
        members.finish()
    }

    /// A value of a type; nothing if none makes sense.
    fn made(&mut self, ty: TypeId, name: &str, label: &str, depth: usize) -> Option<Value> {
        if depth > DEEPEST || self.left == 0 || tells_of_trouble(name) {
            return None;
        }
        self.left -= 1;
        let file = self.file;
        match file.get(ty).ok()? {
            Type::Boolean => Some(Value::Bool(false)),
            Type::Integer(integer) => {
                let wanted = if name.caseless().ends_with("port") { 443 } else { 1 };
                let least = integer.min_value.unwrap_or(wanted).max(wanted);
                Some(Value::Int(integer.max_value.map_or(least, |most| least.min(most))))
            }
            Type::String(string) => {
                let mut made = generate_text(self.values, name, label);
                if let Some(most) = string.max_length.and_then(|most| usize::try_from(most).ok())
                    && let Some((end, _)) = made.char_indices().nth(most)
                {
                    made.truncate(end);
                }
                let made = Value::text(made);
                Some(if string.sensitive { made.secret() } else { made })
            }
            Type::StringLiteral(literal) => Some(Value::Text(literal.value.clone())),
            Type::BuiltIn(kind) => self.built_in(*kind, name, label),
            Type::Array(array) => {
                // A list of texts has one; whether there is any object to list, nobody knows.
                let is_text = matches!(file.get(array.item), Ok(Type::String(_)));
                let in_result = !label.starts_with('/');
                let item = (is_text || in_result)
                    .then(|| self.made(array.item, singular(name), &format!("{label}/0"), depth + 1));
                Some(Value::array(item.flatten().into_iter().collect()))
            }
            Type::Object(object) => {
                let empty = Value::object::<&str>([]);
                let made = self.object(&[&object.properties], &empty, Adds::All, label, depth);
                Some(if object.sensitive { made.secret() } else { made })
            }
            Type::DiscriminatedObject(_) => None,
            Type::Union(union) => {
                let literal = |id: &TypeId| match file.get(*id) {
                    Ok(Type::StringLiteral(literal)) => Some(literal.value.clone()),
                    _ => None,
                };
                let literals: Vec<_> = union.elements.iter().filter_map(literal).collect();
                let good = GOOD.iter().find_map(|good| {
                    literals.iter().find(|literal| literal.eq_ignore_ascii_case(good)).cloned()
                });
                if let Some(literal) = good.or_else(|| literals.into_iter().next()) {
                    return Some(Value::Text(literal));
                }
                // Recursion is bounded by depth.
                union.elements.iter().find_map(|element| self.made(*element, name, label, depth + 1))
            }
            Type::Any
            | Type::Null
            | Type::Resource(_)
            | Type::ResourceFunction(_)
            | Type::Function(_)
            | Type::NamespaceFunction(_) => None,
        }
    }

    fn built_in(&self, kind: bicep_types::BuiltInKind, name: &str, label: &str) -> Option<Value> {
        use bicep_types::BuiltInKind;
        match kind {
            BuiltInKind::Bool => Some(Value::Bool(false)),
            BuiltInKind::Int => Some(Value::Int(1)),
            BuiltInKind::String => Some(Value::text(generate_text(self.values, name, label))),
            BuiltInKind::Array => Some(Value::array(Vec::new())),
            BuiltInKind::Object => Some(Value::object::<&str>([])),
            BuiltInKind::Any | BuiltInKind::Null | BuiltInKind::ResourceRef => None,
        }
    }
}

/// A text that belongs to a resource and looks like what its name says.
pub(super) fn generate_text(values: &dyn Values, name: &str, label: &str) -> String {
    let host = || {
        let own: String = values.name().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        format!("{}.{}.example", own.caseless(), name.caseless())
    };
    let lower = name.caseless();
    let row = LOOKS.iter().find(|(ends, _)| ends.iter().any(|end| lower.ends_with(end)));
    // `primaryEndpoints.blob` and its like.
    let around = label.rsplit('/').nth(1).unwrap_or_default();
    let is_endpoint = || around.caseless().ends_with("endpoints").then_some(StringFormat::Url);
    let is_id = || (lower == "id").then_some(StringFormat::Id);
    match row.map(|(_, look)| *look).or_else(is_endpoint).or_else(is_id) {
        Some(StringFormat::Id) => format!("{}{}", values.id(), label.trim_end_matches("/id")),
        Some(StringFormat::Subscription) => {
            let mut parts = values.id().split('/').filter(|part| !part.is_empty());
            let first = parts.next().filter(|first| first.eq_ignore_ascii_case("subscriptions"));
            let own = first.and_then(|_| parts.next());
            own.map_or_else(|| arm::deployment::LOCAL_SUBSCRIPTION.to_owned(), str::to_owned)
        }
        Some(StringFormat::Tenant) => arm::deployment::LOCAL_TENANT.to_owned(),
        Some(StringFormat::Guid) => values.guid(label),
        Some(StringFormat::Address) => values.address(),
        Some(StringFormat::Addresses) => format!("{}/28", values.address()),
        Some(StringFormat::SecretUrl) => {
            format!("https://{}/secrets/{}/{}", host(), values.name(), values.hex(label, 16))
        }
        Some(StringFormat::Url) => format!("https://{}/", host()),
        Some(StringFormat::Host) => host(),
        Some(StringFormat::Key) => values.key(label),
        Some(StringFormat::Hash) => values.hex(label, 16),
        Some(StringFormat::Time) => "2025-01-01T00:00:00Z".to_owned(),
        Some(StringFormat::State) => "Succeeded".to_owned(),
        Some(StringFormat::Place) => values.location().to_owned(),
        Some(StringFormat::Version) => "1.0".to_owned(),
        None => values.name().to_owned(),
    }
}

/// States that resources have when all is well; the first that a type knows is taken.
const GOOD: &[&str] = &[
    "Succeeded",
    "Provisioned",
    "Ready",
    "Running",
    "Online",
    "Available",
    "Active",
    "Enabled",
    "Approved",
    "Connected",
    "Healthy",
    "OK",
    "Normal",
    "None",
];

/// What a text looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StringFormat {
    Id,
    Subscription,
    Tenant,
    Guid,
    Address,
    Addresses,
    Url,
    Host,
    Key,
    Hash,
    SecretUrl,
    Time,
    State,
    Place,
    Version,
}

/// What texts look like by how their name ends, in lower case; the first row wins.
const LOOKS: &[(&[&str], StringFormat)] = &[
    (&["resourceid", "armid", "resourceuri"], StringFormat::Id),
    (&["subscriptionid"], StringFormat::Subscription),
    (&["tenantid"], StringFormat::Tenant),
    (&["principalid", "clientid", "objectid", "uniqueid", "guid", "uuid"], StringFormat::Guid),
    (&["connectionstring", "key", "token", "secret", "password"], StringFormat::Key),
    (&["ipaddress", "ipaddresses", "ip", "address", "addresses"], StringFormat::Address),
    (&["prefix", "cidr", "range"], StringFormat::Addresses),
    (&["secreturi", "secreturl", "secretidentifier"], StringFormat::SecretUrl),
    (&["uri", "url", "endpoint", "endpoints", "link"], StringFormat::Url),
    (&["fqdn", "hostname", "domain", "domainname", "dnsname", "server", "suffix"], StringFormat::Host),
    (&["identifier"], StringFormat::Guid),
    (&["thumbprint", "etag", "hash", "signature", "digest"], StringFormat::Hash),
    (
        &["time", "date", "timestamp", "timeutc", "createdat", "modifiedat", "createdon", "expiry"],
        StringFormat::Time,
    ),
    (&["state", "status"], StringFormat::State),
    (&["location", "region", "regionname"], StringFormat::Place),
    (&["version"], StringFormat::Version),
];

/// The body of a resource with those of its values marked that are known to be secrets whatever its type says.
pub(super) fn with_known_secrets(kind: &str, body: Value) -> Value {
    let rows = SECRETS.iter().filter(|(of, _)| of.eq_ignore_ascii_case(kind));
    rows.fold(body, |body, (_, path)| marked_at(&body, path))
}

/// A value with a part of it marked; depth is bounded by the length of the way.
fn marked_at(value: &Value, path: &[&str]) -> Value {
    let Some((first, rest)) = path.split_first() else { return value.clone().secret() };
    match value {
        Value::Array(list) if *first == "*" => {
            Value::array(list.items().iter().map(|item| marked_at(item, rest)).collect())
        }
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, member) in &**object {
                let is_it = name.eq_ignore_ascii_case(first) && !matches!(member, Value::Null);
                members.insert(name.clone(), if is_it { marked_at(member, rest) } else { member.clone() });
            }
            members.finish()
        }
        other => other.clone(),
    }
}

/// Properties that are there when something went wrong.
fn tells_of_trouble(name: &str) -> bool {
    let lower = name.caseless();
    ["error", "fail", "warning", "blocked", "reason"].iter().any(|word| lower.contains(word))
}

fn singular(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl Values for Fixed {
        fn id(&self) -> &str {
            "/subscriptions/s/resourceGroups/g/providers/Our.Rp/things/one"
        }

        fn name(&self) -> &str {
            "one"
        }

        fn location(&self) -> &str {
            "eastus"
        }

        fn hex(&self, label: &str, bytes: usize) -> String {
            format!("hex{bytes}:{label}")
        }

        fn key(&self, label: &str) -> String {
            format!("key:{label}")
        }

        fn guid(&self, label: &str) -> String {
            format!("guid:{label}")
        }

        fn address(&self) -> String {
            "203.0.113.1".to_owned()
        }
    }

    fn types() -> LazyTypes {
        const TEXT: &str = r##"[
            {"$type": "StringType"},
            {"$type": "StringType", "sensitive": true},
            {"$type": "IntegerType", "minValue": 3},
            {"$type": "StringLiteralType", "value": "Broken"},
            {"$type": "StringLiteralType", "value": "Ready"},
            {"$type": "UnionType", "elements": [{"$ref": "#/3"}, {"$ref": "#/4"}]},
            {"$type": "ArrayType", "itemType": {"$ref": "#/0"}},
            {"$type": "ObjectType", "name": "loop", "properties": {"next": {"type": {"$ref": "#/7"}, "flags": 2}, "url": {"type": {"$ref": "#/0"}, "flags": 0}}},
            {"$type": "ObjectType", "name": "part", "properties": {"ruleGuid": {"type": {"$ref": "#/0"}, "flags": 2}}},
            {"$type": "ArrayType", "itemType": {"$ref": "#/8"}},
            {"$type": "ObjectType", "name": "properties", "properties": {
                "given": {"type": {"$ref": "#/0"}, "flags": 0},
                "endpoint": {"type": {"$ref": "#/0"}, "flags": 2},
                "accessKey": {"type": {"$ref": "#/1"}, "flags": 2},
                "count": {"type": {"$ref": "#/2"}, "flags": 2},
                "state": {"type": {"$ref": "#/5"}, "flags": 2},
                "hosts": {"type": {"$ref": "#/6"}, "flags": 2},
                "lastError": {"type": {"$ref": "#/0"}, "flags": 2},
                "password": {"type": {"$ref": "#/0"}, "flags": 6},
                "loop": {"type": {"$ref": "#/7"}, "flags": 2},
                "rules": {"type": {"$ref": "#/9"}, "flags": 0}}},
            {"$type": "ObjectType", "name": "body", "properties": {
                "properties": {"type": {"$ref": "#/10"}, "flags": 1},
                "identity": {"type": {"$ref": "#/7"}, "flags": 2}}},
            {"$type": "ResourceType", "name": "Our.Rp/things@2025-01-01", "body": {"$ref": "#/11"}, "readableScopes": 8, "writableScopes": 8},
            {"$type": "ObjectType", "name": "keys", "properties": {"primaryKey": {"type": {"$ref": "#/1"}, "flags": 2}, "rules": {"type": {"$ref": "#/9"}, "flags": 0}}},
            {"$type": "ResourceFunctionType", "name": "listKeys", "resourceType": "Our.Rp/things", "apiVersion": "2025-01-01", "output": {"$ref": "#/13"}}
        ]"##;
        let read = |_: &str| Ok(TEXT.as_bytes().to_vec());
        let bytes = bicep_types::pack(&["types.json".into()], &read, None).unwrap();
        let store = Arc::new(TypeStore::from_pack(Arc::new(bytes)).unwrap());
        LazyTypes::new(move || Some(Arc::clone(&store)))
    }

    fn shown(version: &str, body: &str) -> Value {
        types().shown("our.rp/THINGS", version, &machine::records::parse(body).unwrap(), &Fixed)
    }

    fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
        path.iter().try_fold(value, |value, name| value.as_object()?.get(name))
    }

    #[test]
    fn what_can_only_be_read_is_added() {
        let seen = shown(
            "2025-01-01",
            r#"{"properties": {"given": "x", "count": 7, "rules": [{}, {"ruleGuid": "own"}]}}"#,
        );
        let text = |path: &[&str]| at(&seen, path).and_then(Value::as_str).map(str::to_owned);
        assert_eq!(text(&["properties", "given"]).as_deref(), Some("x"));
        assert_eq!(text(&["properties", "endpoint"]).as_deref(), Some("https://one.endpoint.example/"));
        assert_eq!(text(&["properties", "state"]).as_deref(), Some("Ready"), "a good state is taken");
        assert_eq!(at(&seen, &["properties", "count"]), Some(&Value::Int(7)), "what was put stays");
        assert_eq!(at(&seen, &["properties", "hosts"]).unwrap().to_json(), r#"["one"]"#);
        let rules = at(&seen, &["properties", "rules"]).unwrap();
        assert_eq!(
            rules.to_json(),
            r#"[{"ruleGuid":"guid:/properties/rules/0/ruleGuid"},{"ruleGuid":"own"}]"#
        );
    }

    #[test]
    fn what_is_wrong_or_cannot_be_read_is_not_added() {
        let seen = shown("2025-01-01", r#"{"properties": {}}"#);
        for absent in ["given", "lastError", "password", "rules"] {
            assert_eq!(at(&seen, &["properties", absent]), None, "{absent}");
        }
        assert_eq!(at(&seen, &["identity"]), None, "the directory gives identities");
    }

    #[test]
    fn a_guess_has_all_that_the_type_says() {
        let body = machine::records::parse(r#"{"properties": {"given": "x"}}"#).unwrap();
        let guess = types().guessed("our.rp/THINGS", "2025-01-01", &body, &Fixed);
        assert_eq!(at(&guess, &["properties", "given"]), Some(&Value::text("x")));
        assert_eq!(at(&guess, &["properties", "rules"]).map(Value::to_json).as_deref(), Some("[]"));
        assert_eq!(at(&guess, &["properties", "password"]), None, "what can only be written is not shown");
        let bare = machine::records::parse("{}").unwrap();
        let guess = types().guessed("Our.Rp/things", "2025-01-01", &bare, &Fixed);
        assert_eq!(at(&guess, &["properties", "given"]).and_then(Value::as_str), Some("one"));
        assert_eq!(LazyTypes::none().guessed("Our.Rp/things", "2025-01-01", &bare, &Fixed), bare);
    }

    #[test]
    fn members_of_endpoints_are_addresses() {
        let text = |label: &str| generate_text(&Fixed, "blob", label);
        assert_eq!(text("/properties/primaryEndpoints/blob"), "https://one.blob.example/");
        assert_eq!(text("/properties/blob"), "one");
    }

    #[test]
    fn ids_of_parts_are_ids() {
        let text = generate_text(&Fixed, "id", "/properties/parts/0/id");
        assert_eq!(text, format!("{}/properties/parts/0", Fixed.id()));
    }

    #[test]
    fn what_somebody_sends_is_a_secret_where_the_type_says_so() {
        let body = r#"{"properties": {"given": "x", "ACCESSKEY": "k", "password": {"a": 1}, "other": "y"}}"#;
        let body = machine::records::parse(body).unwrap();
        let marked = types().marked("Our.Rp/Things", "2025-01-01", &body);
        for (member, is_secret) in
            [("given", false), ("accessKey", true), ("password", true), ("other", false)]
        {
            assert_eq!(at(&marked, &["properties", member]).unwrap().is_secret(), is_secret, "{member}");
        }
        assert_eq!(types().marked("Our.Rp/unknown", "2025-01-01", &body), body);
        // What is too deep to be looked at is taken for one.
        let deep = format!("{}{}", r#"{"next":"#.repeat(40), "1".to_owned() + &"}".repeat(40));
        let deep = machine::records::parse(&format!(r#"{{"properties": {{"loop": {deep}}}}}"#)).unwrap();
        assert!(types().marked("Our.Rp/things", "2025-01-01", &deep).has_secret());
    }

    #[test]
    fn some_values_are_secrets_whatever_their_type_says() {
        let marked = |kind: &str, body: &str| {
            LazyTypes::none().marked(kind, "2023-07-01", &machine::records::parse(body).unwrap())
        };
        let secret = marked(
            "microsoft.keyvault/Vaults/secrets",
            r#"{"properties": {"Value": "hush", "contentType": "x"}}"#,
        );
        assert!(at(&secret, &["properties", "Value"]).unwrap().is_secret());
        assert!(!at(&secret, &["properties", "contentType"]).unwrap().is_secret());
        let app = r#"{"properties": {"configuration": {"secrets": [{"name": "a", "value": "hush"}, {"name": "b"}]}}}"#;
        let app = marked("Microsoft.App/containerApps", app);
        assert!(app.has_secret() && app.to_json().contains(r#""name":"b""#), "{}", app.to_json());
        let other = r#"{"properties":{"value":1}}"#;
        assert_eq!(marked("Our.Things/things", other).to_json(), other);
    }

    #[test]
    fn what_can_only_be_read_is_left_out() {
        let body = r#"{"location":"north","identity":{},"properties":{"given":"g","endpoint":"e","rules":[{"ruleGuid":"r","other":1}],"unknown":1}}"#;
        let body = machine::records::parse(body).unwrap();
        assert_eq!(
            types().writable("our.rp/THINGS", "2025-01-01", &body).to_json(),
            r#"{"location":"north","properties":{"given":"g","rules":[{"other":1}],"unknown":1}}"#
        );
        assert_eq!(types().writable("Our.Rp/unknown", "2025-01-01", &body), body);
        assert_eq!(LazyTypes::none().writable("Our.Rp/things", "2025-01-01", &body), body);
    }

    #[test]
    fn secrets_are_secrets() {
        let seen = shown("2025-01-01", r#"{"properties": {}}"#);
        assert!(at(&seen, &["properties", "accessKey"]).unwrap().is_secret());
        assert!(!seen.to_json().contains("key:"), "{}", seen.to_json());
    }

    #[test]
    fn a_type_that_contains_itself_has_an_end() {
        let seen = shown("2025-01-01", r#"{"properties": {}}"#);
        assert!(seen.depth() < 12, "{}", seen.depth());
        assert!(at(&seen, &["properties", "loop", "next", "url"]).is_some());
    }

    #[test]
    fn another_version_is_taken_from_the_newest_and_another_type_from_none() {
        let seen = shown("2020-01-01", r#"{"properties": {}}"#);
        assert!(at(&seen, &["properties", "endpoint"]).is_some());
        let body = machine::records::parse(r#"{"properties": {}}"#).unwrap();
        assert_eq!(types().shown("Our.Rp/others", "2025-01-01", &body, &Fixed), body);
        assert_eq!(LazyTypes::none().shown("Our.Rp/things", "2025-01-01", &body, &Fixed), body);
    }

    #[test]
    fn results_of_actions_have_what_their_type_says() {
        let known = machine::records::parse(r#"{"other": 1}"#).unwrap();
        let result = types().result("Our.Rp/things", "2025-01-01", "LISTKEYS", &known, &Fixed);
        assert_eq!(at(&result, &["other"]), Some(&Value::Int(1)));
        assert!(at(&result, &["primaryKey"]).unwrap().is_secret());
        assert_eq!(at(&result, &["rules"]).unwrap().as_array().unwrap().len(), 1);
        let unknown = types().result("Our.Rp/things", "2025-01-01", "listOthers", &known, &Fixed);
        assert_eq!(unknown, known);
    }
}
