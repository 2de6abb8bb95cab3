//! Values that a service would make up: keys, addresses and ids, the same ones for the same resource.

use arm::{Caseless as _, Value};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use machine::records::parse;

use super::super::generated_properties::Values;
use super::resource_name::{ResourceName, base_of};
use super::{Local, TENANT};

impl Local {
    /// Fills in what a row of the table says.
    pub(super) fn filled(
        &self,
        holds: &str,
        id: &str,
        name: &ResourceName,
        location: &str,
        label: &str,
    ) -> Value {
        let text = self.with_names(holds, id, name, location, label);
        if (text.starts_with('{') || text.starts_with('['))
            && let Ok(value) = parse(&text)
        {
            return value;
        }
        match text.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::text(text),
        }
    }

    /// A text with what stands in its braces.
    pub(super) fn with_names(
        &self,
        text: &str,
        id: &str,
        name: &ResourceName,
        location: &str,
        label: &str,
    ) -> String {
        let group = id.split("/providers/").next().unwrap_or_default();
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let made = after.split_once('}').and_then(|(word, after)| {
                let made = match word {
                    "name" => name.last.clone(),
                    "lower" => name.last.caseless(),
                    "parent" => name.parent_name.clone(),
                    "id" => id.to_owned(),
                    "group" => group.to_owned(),
                    "groupname" => group.rsplit('/').next().unwrap_or_default().to_owned(),
                    "location" => location.replace(' ', ""),
                    "tenant" => TENANT.to_owned(),
                    "guid" => self.guid(id, label),
                    "identity" => self.guid(base_of(id).unwrap_or(id), "identity"),
                    "hex" => self.hex(id, label, 16),
                    "hex8" => self.hex(id, label, 4).to_uppercase(),
                    "thumbprint" => self.hex(id, label, 20).to_uppercase(),
                    "ip" => self.address(id),
                    "private" => self.private_address(id, label),
                    "key" => self.secret_key(id, label),
                    _ => return None,
                };
                Some((made, after))
            });
            match made {
                Some((made, after)) => {
                    out.push_str(&made);
                    rest = after;
                }
                None => {
                    out.push('{');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// A key as services make them: 64 bytes in base64.
    pub(super) fn secret_key(&self, id: &str, label: &str) -> String {
        let of = |half: u8| {
            let of = format!("{}\0{label}\0{half}", id.caseless());
            self.key.derive("local resource", of.as_bytes()).unwrap_or([0; 32])
        };
        STANDARD.encode([of(1), of(2)].concat())
    }

    /// An address in the private network that most templates use.
    pub(super) fn private_address(&self, id: &str, label: &str) -> String {
        let hex = self.hex(id, label, 1);
        let last = u8::from_str_radix(&hex, 16).unwrap_or(0) % 250 + 4;
        format!("10.0.0.{last}")
    }

    /// Bytes that belong to a resource and a purpose, in hexadecimal.
    pub(super) fn hex(&self, id: &str, label: &str, bytes: usize) -> String {
        let of = format!("{}\0{label}", id.caseless());
        let derived = self.key.derive("local resource", of.as_bytes()).unwrap_or([0; 32]);
        derived.iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn guid(&self, id: &str, label: &str) -> String {
        let hex = self.hex(id, label, 16);
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
        format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
    }

    pub(super) fn address(&self, id: &str) -> String {
        let hex = self.hex(id, "address", 2);
        let byte = |from: usize| u8::from_str_radix(hex.get(from..from + 2).unwrap_or("0"), 16).unwrap_or(0);
        format!("203.0.{}.{}", byte(0), byte(2).max(1))
    }
}

/// The values that belong to a resource.
pub(super) struct GeneratedValues<'o> {
    pub(super) local: &'o Local,
    pub(super) id: &'o str,
    pub(super) name: &'o ResourceName,
    pub(super) location: &'o str,
}

impl Values for GeneratedValues<'_> {
    fn id(&self) -> &str {
        self.id
    }

    fn name(&self) -> &str {
        &self.name.last
    }

    fn location(&self) -> &str {
        self.location
    }

    fn hex(&self, label: &str, bytes: usize) -> String {
        self.local.hex(self.id, label, bytes)
    }

    fn key(&self, label: &str) -> String {
        self.local.secret_key(self.id, label)
    }

    fn guid(&self, label: &str) -> String {
        self.local.guid(self.id, label)
    }

    fn address(&self) -> String {
        self.local.address(self.id)
    }
}
