//! Resource types as a Bicep extension: `index.json` and `types.json` of the bicep-types format.
//!
//! The order of types is that of Radius's own generator, which published files depend on: what a type is made of comes before
//! it, properties by name, and only `bool` and `any` are shared. In the dialect of Radius the types also say no more than that
//! generator says; otherwise they have lengths, bounds and patterns, and null where it is allowed.

use std::cmp::Ordering;

use arm::Caseless as _;
use bicep_types::{
    ArrayType, Error, ExtensionManifest, ExtensionPackage, FileRef, IntegerType, JsonStyle, ObjectType,
    PropertyFlags, ResourceType as BicepResource, Scopes, StringLiteralType, StringType, Type as Bicep,
    TypeId, TypeIndex, TypeProperty, UnionType, write_index, write_types, write_types_archive,
};
use contract::number::Number;
use contract::{Constant, Node, View as _};
use smol_str::SmolStr;

use crate::manifest::{Manifest, ResourceType};
use crate::rule::ManifestDialect;
use crate::schema::{Additional, Keyword, Schema, SchemaType};

/// The file with the types.
const TYPES_FILE: &str = "types.json";

/// The version of every extension.
const VERSION: &str = "0.0.1";

/// The properties of a resource beside `properties`; those of a schema that have the same name have no alias.
const ENVELOPE: [&str; 6] = ["name", "location", "properties", "apiVersion", "type", "id"];

/// A Bicep extension, as the files that its archive holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The text of `index.json`, which lists the types.
    pub index: String,
    /// The text of `types.json`, which describes them.
    pub types: String,
}

impl Extension {
    /// The extension of all types of manifests; the error says which of them cannot be together.
    pub fn of(manifests: &[Manifest], dialect: ManifestDialect) -> Result<Extension, String> {
        let mut all: Vec<(&Manifest, &ResourceType)> = Vec::new();
        for manifest in manifests {
            all.extend(manifest.types.iter().map(|it| (manifest, it)));
        }
        let mut namespaces: Vec<&str> = manifests.iter().map(|manifest| &*manifest.namespace).collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        if let (ManifestDialect::Radius, [first, second, ..]) = (dialect, namespaces.as_slice()) {
            return Err(format!("an extension of Radius has one namespace, found `{first}` and `{second}`"));
        }
        let key = |(manifest, it): &(&Manifest, &ResourceType)| (manifest.namespace.clone(), it.name.clone());
        all.sort_by_key(key);
        let twice = all.windows(2).find(|pair| matches!(pair, [a, b] if key(a) == key(b)));
        if let Some([(manifest, it), _]) = twice {
            return Err(format!("`{}` is declared twice", manifest.full_name(it)));
        }
        let mut writer = ExtensionWriter { dialect, types: Vec::new(), any: None, boolean: None };
        let mut index = TypeIndex::default();
        for (manifest, it) in all {
            let mut versions: Vec<_> = it.versions.iter().collect();
            versions.sort_by(|a, b| a.name.cmp(&b.name));
            for version in versions {
                let full_name = manifest.full_name(it);
                let id = writer.resource(&full_name, &it.name, &version.name, &version.schema)?;
                let name = SmolStr::from(format!("{full_name}@{}", version.name));
                index.resources.push((name, FileRef { path: TYPES_FILE.into(), id }));
            }
        }
        index.resources.sort_by(|a, b| a.0.cmp(&b.0));
        let names: String = namespaces.iter().map(|name| name.caseless().replace('.', "")).collect();
        index.settings = Some(ExtensionManifest {
            name: format!("radius{names}").into(),
            version: VERSION.into(),
            ..ExtensionManifest::default()
        });
        Ok(Extension {
            index: write_index(&index, JsonStyle::Sorted),
            types: write_types(&writer.types, JsonStyle::Sorted),
        })
    }

    /// The extension as the one file that a `bicepconfig.json` names.
    pub fn package(&self) -> Result<Vec<u8>, Error> {
        package(&self.index, &|path: &str| match path {
            TYPES_FILE => Ok(self.types.clone().into_bytes()),
            _ => Err(Error::MissingFile { file: path.to_owned() }),
        })
    }
}

/// An index and the files that it names, as the one file that a `bicepconfig.json` names.
pub fn package(index: &str, files: &dyn bicep_types::TypeFiles) -> Result<Vec<u8>, Error> {
    let types = write_types_archive(index.as_bytes(), files)?;
    ExtensionPackage { types, binaries: Vec::new() }.write()
}

struct ExtensionWriter {
    dialect: ManifestDialect,
    types: Vec<Bicep>,
    any: Option<TypeId>,
    boolean: Option<TypeId>,
}

impl ExtensionWriter {
    fn add(&mut self, ty: Bicep) -> TypeId {
        let id = TypeId(u32::try_from(self.types.len()).unwrap_or(u32::MAX));
        self.types.push(ty);
        id
    }

    fn any(&mut self) -> TypeId {
        let id = self.any.unwrap_or_else(|| self.add(Bicep::Any));
        *self.any.insert(id)
    }

    fn boolean(&mut self) -> TypeId {
        let id = self.boolean.unwrap_or_else(|| self.add(Bicep::Boolean));
        *self.boolean.insert(id)
    }

    fn text(&mut self) -> TypeId {
        self.add(Bicep::String(StringType::default()))
    }

    fn literal(&mut self, value: &str, sensitive: bool) -> TypeId {
        self.add(Bicep::StringLiteral(StringLiteralType { value: value.into(), sensitive }))
    }

    /// A resource type, with its body.
    fn resource(
        &mut self,
        full_name: &str,
        name: &str,
        version: &str,
        schema: &Schema,
    ) -> Result<TypeId, String> {
        let wrong = |path: &str| format!("`{full_name}@{version}`: {path}");
        let properties = self.node(schema, &format!("{name}Properties")).map_err(|why| wrong(&why))?;
        let (id_name, location) = (self.text(), self.text());
        let (api_version, type_name) = (self.literal(version, false), self.literal(full_name, false));
        let id = self.text();
        let flags = |flags: &[PropertyFlags]| flags.iter().fold(PropertyFlags::NONE, |all, flag| all | *flag);
        let constant = flags(&[PropertyFlags::READ_ONLY, PropertyFlags::DEPLOY_TIME_CONSTANT]);
        let envelope = [
            (
                id_name,
                flags(&[PropertyFlags::REQUIRED, PropertyFlags::IDENTIFIER]),
                "The name of the resource.",
            ),
            (location, PropertyFlags::NONE, "Where the resource is."),
            (properties, PropertyFlags::REQUIRED, "The properties of the resource."),
            (api_version, constant, "The version of the API."),
            (type_name, constant, "The type of the resource."),
            (id, PropertyFlags::READ_ONLY, "The id of the resource."),
        ];
        let mut body: Vec<TypeProperty> = ENVELOPE
            .iter()
            .zip(envelope)
            .map(|(name, (ty, flags, description))| TypeProperty {
                name: (*name).into(),
                ty,
                flags,
                description: self.own_words(description),
            })
            .collect();
        if let Some(Bicep::Object(object)) = self.types.get(properties.index()) {
            let aliases = object.properties.iter().filter(|it| !ENVELOPE.contains(&it.name.as_str()));
            body.extend(aliases.map(|it| TypeProperty { flags: PropertyFlags::READ_ONLY, ..it.clone() }));
        }
        let full = SmolStr::from(format!("{full_name}@{version}"));
        let body = self.object(full.clone(), body, None, false);
        Ok(self.add(Bicep::Resource(BicepResource {
            name: full,
            body,
            readable_scopes: Scopes::NONE,
            writable_scopes: Scopes::NONE,
            functions: None,
        })))
    }

    /// A description that the generator of Radius does not write.
    fn own_words(&self, description: &str) -> Option<Box<str>> {
        (self.dialect == ManifestDialect::Tendon).then(|| description.into())
    }

    fn object(
        &mut self,
        name: SmolStr,
        mut properties: Vec<TypeProperty>,
        additional_properties: Option<TypeId>,
        sensitive: bool,
    ) -> TypeId {
        properties.sort_by(|a, b| a.name.cmp(&b.name));
        self.add(Bicep::Object(ObjectType {
            name,
            properties: properties.into(),
            additional_properties,
            sensitive,
        }))
    }

    /// A node; depth is bounded by that of schemas. The error names a type that Bicep does not have.
    fn node(&mut self, schema: &Schema, name: &str) -> Result<TypeId, String> {
        let id = self.plain_node(schema, name)?;
        if !schema.nullable || self.dialect == ManifestDialect::Radius {
            return Ok(id);
        }
        let null = self.add(Bicep::Null);
        Ok(self.add(Bicep::Union(UnionType { elements: [id, null].into() })))
    }

    fn plain_node(&mut self, schema: &Schema, name: &str) -> Result<TypeId, String> {
        Ok(match schema.kind {
            // The generator of Radius takes a node without a type for an object.
            SchemaType::Any if self.dialect == ManifestDialect::Radius && !schema.says_any => {
                self.object(name.into(), Vec::new(), None, false)
            }
            SchemaType::Any => self.any(),
            SchemaType::Boolean => self.boolean(),
            SchemaType::Number if self.dialect == ManifestDialect::Radius => {
                return Err(format!("`{name}` is a number, which extensions of Radius cannot have"));
            }
            // Bicep has no numbers with fractions.
            SchemaType::Number => self.any(),
            SchemaType::Integer => self.integer(schema),
            SchemaType::String => self.string(schema),
            SchemaType::Array => {
                let item = match &schema.items {
                    Some(items) => self.node(items, &format!("{name}Item"))?,
                    None => self.any(),
                };
                let (min_length, max_length) = self.lengths(schema, Keyword::MinItems, Keyword::MaxItems);
                self.add(Bicep::Array(ArrayType { item, min_length, max_length }))
            }
            SchemaType::Object => {
                let mut sorted: Vec<_> = schema.properties().iter().collect();
                sorted.sort_by(|a, b| a.name.cmp(&b.name));
                let mut properties = Vec::with_capacity(sorted.len());
                for property in sorted {
                    let inner = &property.schema;
                    let ty = self.node(inner, &property.name)?;
                    properties.push(TypeProperty {
                        name: (&*property.name).into(),
                        ty,
                        flags: self.flags(inner, schema.requires(&property.name)),
                        description: inner.description.clone().filter(|text| !text.is_empty()),
                    });
                }
                let additional = match &schema.additional {
                    Additional::Schema(values) => {
                        Some(self.node(values, &format!("{name}AdditionalProperties"))?)
                    }
                    // An object that says nothing may hold anything; the generator of Radius has no way to say it.
                    Additional::Unsaid
                        if schema.properties.is_none() && self.dialect == ManifestDialect::Tendon =>
                    {
                        Some(self.any())
                    }
                    Additional::Unsaid | Additional::None => None,
                };
                self.object(name.into(), properties, additional, schema.sensitive)
            }
        })
    }

    fn flags(&self, schema: &Schema, required: bool) -> PropertyFlags {
        let all = [
            (PropertyFlags::REQUIRED, required),
            (PropertyFlags::READ_ONLY, schema.read_only),
            (PropertyFlags::WRITE_ONLY, schema.write_only && self.dialect == ManifestDialect::Tendon),
        ];
        all.into_iter().filter(|(_, set)| *set).fold(PropertyFlags::NONE, |flags, (flag, _)| flags | flag)
    }

    fn string(&mut self, schema: &Schema) -> TypeId {
        let texts = schema.values.iter().filter_map(|value| match value {
            Constant::Text(text) => Some(text.clone()),
            _ => None,
        });
        let texts: Vec<SmolStr> = texts.collect();
        if !texts.is_empty() {
            let elements: Vec<TypeId> =
                texts.iter().map(|text| self.literal(text, schema.sensitive)).collect();
            return self.add(Bicep::Union(UnionType { elements: elements.into() }));
        }
        let (min_length, max_length) = self.lengths(schema, Keyword::MinLength, Keyword::MaxLength);
        let pattern = schema.constraint(Keyword::Pattern).filter(|_| self.dialect == ManifestDialect::Tendon);
        let pattern = pattern.and_then(|constraint| match &constraint.operand {
            Constant::Text(text) => Some(text.clone()),
            _ => None,
        });
        self.add(Bicep::String(StringType { sensitive: schema.sensitive, min_length, max_length, pattern }))
    }

    fn lengths(&self, schema: &Schema, least: Keyword, most: Keyword) -> (Option<i64>, Option<i64>) {
        if self.dialect == ManifestDialect::Radius {
            return (None, None);
        }
        let length = |keyword| match schema.constraint(keyword)?.operand {
            Constant::Int(length) => Some(length),
            _ => None,
        };
        (length(least), length(most))
    }

    fn integer(&mut self, schema: &Schema) -> TypeId {
        if self.dialect == ManifestDialect::Radius {
            return self.add(Bicep::Integer(IntegerType::default()));
        }
        let format = schema.format.as_ref().and_then(|(name, _)| format_bounds(name));
        let (mut least, mut most) = format.unwrap_or((None, None));
        let raise = |least: &mut Option<i64>, to: Option<i64>| *least = (*least).max(to);
        let lower = |most: &mut Option<i64>, to: Option<i64>| {
            *most = match (*most, to) {
                (Some(most), Some(to)) => Some(most.min(to)),
                (most, to) => most.or(to),
            };
        };
        let bound = |keyword| Some(schema.constraint(keyword)?.operand.clone());
        let step = |exclusive| i64::from(schema.is_set(exclusive));
        if let Some(minimum) = bound(Keyword::Minimum).and_then(|it| rounded(&it, Ordering::Greater)) {
            raise(
                &mut least,
                minimum.0.checked_add(if minimum.1 { step(Keyword::ExclusiveMinimum) } else { 0 }),
            );
        }
        if let Some(maximum) = bound(Keyword::Maximum).and_then(|it| rounded(&it, Ordering::Less)) {
            lower(
                &mut most,
                maximum.0.checked_sub(if maximum.1 { step(Keyword::ExclusiveMaximum) } else { 0 }),
            );
        }
        let values: Vec<i64> = schema.values.iter().filter_map(whole).collect();
        if values.len() == schema.values.len() {
            raise(&mut least, values.iter().copied().min());
            lower(&mut most, values.iter().copied().max());
        }
        self.add(Bicep::Integer(IntegerType { min_value: least, max_value: most }))
    }
}

/// A whole number of 64 bits.
fn whole(constant: &Constant) -> Option<i64> {
    Number::from_node(&constant.node()).and_then(|number| number.as_i64())
}

/// The whole number nearest to a bound on its inner side, and whether the bound is that number.
fn rounded(constant: &Constant, inner: Ordering) -> Option<(i64, bool)> {
    if let Some(whole) = whole(constant) {
        return Some((whole, true));
    }
    let Node::Float(float) = constant.node() else { return None };
    let rounded = if inner == Ordering::Greater { float.ceil() } else { float.floor() };
    // What has no place in 64 bits is no bound of theirs; below 2^53 a double is the number that it says.
    (rounded.abs() < 9_007_199_254_740_992.0).then_some((rounded as i64, false))
}

/// The least and greatest values of a format, where 64 bits have them.
fn format_bounds(name: &str) -> Option<(Option<i64>, Option<i64>)> {
    Some(match name {
        "int8" => (Some(i64::from(i8::MIN)), Some(i64::from(i8::MAX))),
        "int16" => (Some(i64::from(i16::MIN)), Some(i64::from(i16::MAX))),
        "int32" => (Some(i64::from(i32::MIN)), Some(i64::from(i32::MAX))),
        "uint8" => (Some(0), Some(i64::from(u8::MAX))),
        "uint16" => (Some(0), Some(i64::from(u16::MAX))),
        "uint32" => (Some(0), Some(i64::from(u32::MAX))),
        "uint64" => (Some(0), None),
        _ => return None,
    })
}
