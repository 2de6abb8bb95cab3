//! Icons of types: pictures that a page can show without running anything and without fetching anything.

use document::{Document, FileId, ReadLimits};
use sha2::{Digest as _, Sha256};
use store::{Condition, ResourceId, Write};

use super::{Registry, RegistryError, Result, quoted, record};

/// What stands before the name of a type in the records of icons.
const ICONS: &str = "/planes/radius/local/providers/System.Resources/icons/";

/// How large an icon may be.
const MOST_BYTES: usize = 32 * 1024;

/// How deep its elements may nest.
const DEPTH: usize = 64;

/// The icon of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon {
    /// The text of the SVG file.
    pub svg: String,
    /// The SHA-256 of the text, in hexadecimal.
    pub hash: String,
}

impl Registry {
    /// Keeps the icon of a type.
    pub fn put_icon(&self, full_name: &str, svg: &str) -> Result<()> {
        check_icon(svg)?;
        self.until_settled(|| {
            let id = format!("{ICONS}{full_name}");
            let key = ResourceId::new(&id);
            let before = self.store.resource(&key)?.map(|it| it.version);
            let write = Write::Resource(record(&id, &quoted(svg), "{}", None));
            Ok(((), vec![Condition::ResourceVersion(key, before)], vec![write]))
        })
    }

    /// The icon of a type.
    pub fn icon(&self, full_name: &str) -> Result<Option<Icon>> {
        let Some(found) = self.store.resource(&ResourceId::new(&icon_id(full_name)))? else {
            return Ok(None);
        };
        let document = Document::from_json(&found.body, FileId::FIRST, &ReadLimits::DEFAULT).ok();
        let svg = document.as_ref().and_then(|document| document.root().member("body")?.as_str());
        let svg = svg.ok_or_else(|| RegistryError::Damaged(found.id.clone()))?.to_owned();
        let hash = Sha256::digest(svg.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Some(Icon { svg, hash }))
    }
}

/// The record of the icon of a type.
pub(super) fn icon_id(full_name: &str) -> String {
    format!("{ICONS}{full_name}")
}

/// Whether a record is that of an icon, as it is written here.
pub(super) fn is_record(record: &store::Resource) -> bool {
    let is_icon = record.id.get(..ICONS.len()).is_some_and(|start| start.eq_ignore_ascii_case(ICONS));
    let document = super::stored::document_of(record);
    let svg = document.as_ref().and_then(|document| document.root().member("body")?.as_str());
    is_icon && svg.is_some_and(|svg| check_icon(svg).is_ok())
}

/// Elements that run, style or embed something.
const ELEMENTS: &[&str] = &[
    "script",
    "style",
    "foreignobject",
    "animate",
    "animatecolor",
    "animatemotion",
    "animatetransform",
    "mpath",
    "set",
    "discard",
];

/// Refuses what is not a picture in SVG, or does more than show itself.
pub fn check_icon(svg: &str) -> Result<()> {
    read(svg).map_err(|why| RegistryError::Name(format!("the icon is not accepted: {why}")))
}

fn read(svg: &str) -> std::result::Result<(), String> {
    if svg.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if svg.len() > MOST_BYTES {
        return Err(format!("it has more than {MOST_BYTES} bytes"));
    }
    let mut open: Vec<&str> = Vec::new();
    let mut has_root = false;
    let mut rest = svg.trim_start_matches('\u{feff}');
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        if open.is_empty() && !text.trim().is_empty() {
            return Err("it has text outside of its root element".to_owned());
        }
        if let Some(comment) = tag.strip_prefix("<!--") {
            rest = after(comment, "-->")?;
        } else if let Some(data) = tag.strip_prefix("<![CDATA[") {
            rest = after(data, "]]>")?;
        } else if tag.starts_with("<!") {
            return Err("it has a document type, which can define entities".to_owned());
        } else if let Some(instruction) = tag.strip_prefix("<?") {
            if !instruction.starts_with("xml ") {
                return Err("it has a processing instruction".to_owned());
            }
            rest = after(instruction, "?>")?;
        } else if let Some(end) = tag.strip_prefix("</") {
            let (name, next) = end.split_once('>').ok_or("a tag does not end")?;
            if open.pop() != Some(name.trim_end()) {
                return Err(format!("`</{}>` ends nothing", crate::findings::shorten(name)));
            }
            rest = next;
        } else {
            let (name, is_empty, next) = element(tag.get(1..).unwrap_or_default())?;
            if open.is_empty() && (has_root || name != "svg") {
                return Err("its one root element is not `svg`".to_owned());
            }
            has_root = true;
            if !is_empty {
                open.push(name);
            }
            if open.len() > DEPTH {
                return Err(format!("its elements nest deeper than {DEPTH}"));
            }
            rest = next;
        }
    }
    match (has_root, open.last()) {
        (false, _) => Err("it has no element `svg`".to_owned()),
        (true, Some(open)) => Err(format!("`<{open}>` does not end")),
        (true, None) if !rest.trim().is_empty() => Err("it has text outside of its root element".to_owned()),
        (true, None) => Ok(()),
    }
}

fn after<'t>(text: &'t str, end: &str) -> std::result::Result<&'t str, String> {
    text.split_once(end).map(|(_, rest)| rest).ok_or_else(|| format!("`{end}` is missing"))
}

/// An element behind its `<`: its name, whether it ends at once, and what follows.
fn element(text: &str) -> std::result::Result<(&str, bool, &str), String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, ':' | '-' | '_' | '.');
    let length = text.find(|c| !is_part(c)).ok_or("a tag does not end")?;
    let (name, mut rest) = text.split_at(length);
    if name.is_empty() {
        return Err("a `<` begins no element".to_owned());
    }
    let local = name.rsplit(':').next().unwrap_or(name);
    if ELEMENTS.iter().any(|refused| refused.eq_ignore_ascii_case(local)) {
        return Err(format!("it has an element `{}`", crate::findings::shorten(name)));
    }
    loop {
        let trimmed = rest.trim_start();
        if let Some(next) = trimmed.strip_prefix("/>") {
            return Ok((name, true, next));
        }
        if let Some(next) = trimmed.strip_prefix('>') {
            return Ok((name, false, next));
        }
        if trimmed.len() == rest.len() {
            return Err("attributes are not apart".to_owned());
        }
        let length = trimmed.find(|c| !is_part(c)).ok_or("a tag does not end")?;
        let (attribute, value) = trimmed.split_at(length);
        let value = value.trim_start().strip_prefix('=').ok_or("an attribute has no value")?.trim_start();
        let quote =
            value.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or("a value has no quotes")?;
        let (value, next) = value
            .get(1..)
            .and_then(|value| value.split_once(quote))
            .ok_or("the value of an attribute does not end")?;
        check_attribute(attribute, value)?;
        rest = next;
    }
}

fn check_attribute(name: &str, value: &str) -> std::result::Result<(), String> {
    let shown = crate::findings::shorten(name);
    let local = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
    if name.is_empty() || value.contains('<') {
        return Err("an attribute is malformed".to_owned());
    }
    if local.starts_with("on") || local == "style" {
        return Err(format!("it has an attribute `{shown}`"));
    }
    // What is written as a character reference is read as the character by whoever shows the picture.
    if value.contains('\\') || (value.contains("&#") && (local == "href" || value.contains('('))) {
        return Err(format!("the value of `{shown}` hides characters"));
    }
    let plain: String = value.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    if local == "href" && !plain.starts_with('#') && !plain.starts_with("data:image/") {
        return Err(format!("`{shown}` leads out of the picture"));
    }
    let leads_out = plain.match_indices("url(").any(|(at, found)| {
        let inside = plain.get(at + found.len()..).unwrap_or_default().trim_start_matches(['"', '\'']);
        !inside.starts_with('#') && !inside.starts_with("&quot;#") && !inside.starts_with("&apos;#")
    });
    if leads_out || plain.contains("javascript:") {
        return Err(format!("`{shown}` leads out of the picture"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_accepted() {
        for svg in [
            "<svg/>",
            "<?xml version='1.0'?>\n<!-- a -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"><g><path d='M0 0'/></g></svg>\n",
            "<svg><rect fill=\"url(#a)\" /><use href=\"#b\"/><image href='data:image/png;base64,AA=='/><title>x &lt; y</title></svg>",
        ] {
            assert_eq!(read(svg), Ok(()), "{svg}");
        }
    }

    #[test]
    fn what_does_more_than_show_itself_is_refused() {
        let large = format!("<svg>{}</svg>", " ".repeat(MOST_BYTES));
        for svg in [
            "",
            "text",
            "<html/>",
            "<svg>",
            "<svg></g></svg>",
            "<svg/><svg/>",
            "<svg a=b/>",
            "<svg a='1'b='2'/>",
            "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>",
            "<svg><script>1</script></svg>",
            "<svg><SCRIPT/></svg>",
            "<svg><x:script/></svg>",
            "<svg><style/></svg>",
            "<svg><foreignObject/></svg>",
            "<svg><animate/></svg>",
            "<svg onload='x()'/>",
            "<svg style='a:b'/>",
            "<svg><a href='https://example.com'/></svg>",
            "<svg><a xlink:href=' java\nscript:x'/></svg>",
            "<svg><a href='&#106;avascript:x'/></svg>",
            "<svg><rect fill='url(https://example.com)'/></svg>",
            "<svg><rect fill='u\\rl(x)'/></svg>",
            &large,
        ] {
            assert!(read(svg).is_err(), "{svg}");
        }
    }
}
