//! `cargo xtask screenshots`: the pictures of reports in the manual, made by the program and a browser.
//!
//! The examples are copied, deployed and validated with values that break every rule; a browser without a
//! screen draws the reports. Times, and ids that are new in every run, are the only things that differ from one picture to the next.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::requirements::{self, Need};
use crate::{Result, folder, process, product};

const IMAGES: &str = "docs/images";

/// The size of a picture.
const SIZE: &str = "1100,760";

/// A picture: its file, the example, and the command that writes its report. It ends with this code.
struct Picture {
    file: &'static str,
    example: &'static str,
    words: &'static [&'static str],
    code: i32,
}

const PICTURES: [Picture; 2] = [
    Picture {
        file: "report.png",
        example: "examples/storefront",
        words: &["deploy", "prod.bicepparam", "--mocks", "mocks.yaml", "--clock", "real"],
        code: 0,
    },
    Picture {
        file: "errors.png",
        example: "examples/validated",
        words: &["validate", "main.bicep", "--parameters", WRONG],
        code: 1,
    },
];

/// A parameters file in which no value keeps its rule, next to the programs of the second example.
const WRONG: &str = "wrong.json";
const WRONG_TEXT: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {
    "team": { "value": "Search & Maps" },
    "budget": { "value": 33 },
    "members": {
      "value": [
        { "name": "ada", "role": "member" },
        { "name": "Grace Hopper", "role": "boss" }
      ]
    },
    "token": { "value": "hush" }
  }
}
"#;

/// Draws all pictures anew.
pub(crate) fn run(mut arguments: Arguments) -> Result {
    let binary: Option<PathBuf> = arguments.value("--binary")?;
    let out: Option<PathBuf> = arguments.value("--out")?;
    arguments.finish()?;
    requirements::provide(Need::Browser)?;
    let tendon = match binary {
        Some(binary) => std::path::absolute(binary).map_err(|error| error.to_string())?,
        None => product::built()?.join("tendon"),
    };
    let out = out.unwrap_or_else(|| PathBuf::from(IMAGES));
    let work = product::target()?.join("screenshots");
    for picture in &PICTURES {
        draw(picture, &tendon, &work, &out)?;
    }
    Ok(())
}

fn draw(picture: &Picture, tendon: &Path, work: &Path, out: &Path) -> Result {
    folder::copy_anew(Path::new(picture.example), work)?;
    let failed = |error: std::io::Error| format!("{}: {error}", picture.file);
    std::fs::write(work.join(WRONG), WRONG_TEXT).map_err(failed)?;
    let mut command = Command::new(tendon);
    command.args(picture.words).args(["--report", "report.html"]).current_dir(work);
    if picture.words.first() == Some(&"deploy") {
        command.args(["--state", "state"]);
    }
    let output = command.output().map_err(failed)?;
    if output.status.code() != Some(picture.code) {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` ended with {}: {said}", process::shown(&command), output.status));
    }
    let target = std::path::absolute(out.join(picture.file)).map_err(failed)?;
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1"]);
    browser.arg(format!("--window-size={SIZE}")).arg(format!("--screenshot={}", target.display()));
    browser.arg(format!("file://{}", work.join("report.html").display()));
    let drawn = browser.output().map_err(failed)?;
    let is_drawn = std::fs::read(&target).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG"));
    if !drawn.status.success() || !is_drawn {
        return Err(format!("`{}` drew nothing: {}", process::shown(&browser), drawn.status));
    }
    println!("{}", target.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_of_a_report_in_the_manual_is_drawn() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let entries = std::fs::read_dir(root.join(IMAGES)).unwrap();
        let mut kept: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        kept.retain(|name| name.ends_with(".png"));
        kept.sort();
        let mut drawn = PICTURES.map(|picture| picture.file);
        drawn.sort_unstable();
        assert_eq!(kept, drawn);
        assert!(PICTURES.iter().all(|picture| root.join(picture.example).is_dir()));
    }
}
