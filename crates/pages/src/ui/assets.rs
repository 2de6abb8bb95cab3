//! Styles and scripts. Their addresses have a hash of what is in them, so that browsers keep them for good.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// A file that pages refer to.
#[derive(Debug)]
pub struct Asset {
    /// Its name, as addresses have it.
    pub name: &'static str,
    /// Its media type, with the charset of text.
    pub media: &'static str,
    /// What is in it.
    pub body: String,
    /// A hash of that.
    pub hash: String,
}

/// All files: one row for each.
pub static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let own = [
        include_str!("../../assets/ui.css"),
        include_str!("../../assets/timeline.css"),
        include_str!("../../assets/pieces.css"),
    ]
    .concat();
    let style = format!("{own}{}", themed(graph::svg::STYLE));
    vec![
        file("ui.css", "text/css; charset=utf-8", style),
        file("icon.svg", "image/svg+xml", include_str!("../../assets/icon.svg").to_owned()),
        file("ui.js", "text/javascript; charset=utf-8", include_str!("../../assets/ui.js").to_owned()),
        file("check.js", "text/javascript; charset=utf-8", include_str!("../../assets/check.js").to_owned()),
    ]
});

fn file(name: &'static str, media: &'static str, body: String) -> Asset {
    let digest = Sha256::digest(body.as_bytes());
    let hash = URL_SAFE_NO_PAD.encode(digest.get(..12).unwrap_or_default());
    Asset { name, media, body, hash }
}

/// The style of pictures without the colours of its own: pages have the same names for them, and a switch for dark ones.
fn themed(style: &str) -> String {
    let is_colours = |line: &&str| line.starts_with(".tendon-graph{--") || line.starts_with("@media");
    let mut out: String = style.lines().filter(|line| !is_colours(line)).collect::<Vec<_>>().join("\n");
    out.push_str("\n.tendon-graph{font-family:inherit;max-width:none}\n");
    out
}

/// The file of an address.
pub fn asset(hash: &str, name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name && asset.hash == hash)
}

/// The address of a file.
pub fn asset_path(name: &str) -> String {
    let hash = ASSETS.iter().find(|asset| asset.name == name).map_or("", |asset| &asset.hash);
    format!("/ui/assets/{hash}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_found_at_its_address() {
        for file in ASSETS.iter() {
            assert_eq!(asset_path(file.name), format!("/ui/assets/{}/{}", file.hash, file.name));
            assert!(asset(&file.hash, file.name).is_some());
            assert!(asset("other", file.name).is_none());
            for way in ["https:", "@import", "url(", "eval(", "innerHTML ="] {
                assert!(!file.body.contains(way), "{way} in {}", file.name);
            }
        }
    }

    #[test]
    fn pictures_have_the_colours_of_the_page() {
        let style = themed(graph::svg::STYLE);
        assert!(style.contains(".tendon-graph .bad .bar") && !style.contains("prefers-color-scheme"));
        // The page knows every colour that pictures ask for.
        for name in style.split("var(").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(include_str!("../../assets/ui.css").contains(&format!("{name}:")), "{name}");
        }
    }
}
