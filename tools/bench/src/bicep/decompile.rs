//! Decompiling all templates of a folder, against reading them as JSON in Python.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use super::find_named;
use crate::Result;
use crate::processes::calibrate;
use crate::timing::{mean_processor_time, show};

/// How long it is measured.
const BUDGET: Duration = Duration::from_secs(2);

/// How many calibrators decompiling may take.
const MOST: f64 = 10.0;

pub(super) fn run(folder: &Path) -> Result {
    let templates = find_named(folder, "main.json")?;
    let options = ::decompile::DecompileOptions::default();
    let mut files = 0;
    for template in &templates {
        let made = ::decompile::decompile(&template.text, &options);
        files += made.map_err(|problem| format!("`{}`: {problem}", template.name))?.files.len();
    }
    let mut all = || {
        for template in &templates {
            drop(black_box(::decompile::decompile(&template.text, &options)));
        }
    };
    let time = mean_processor_time(BUDGET, &mut all);
    let bytes: usize = templates.iter().map(|template| template.text.len()).sum();
    println!(
        "Decompiling {} templates, {bytes} bytes, to {files} files takes {}.",
        templates.len(),
        show(time)
    );
    if let Some(unit) = calibrate(folder) {
        let ratio = time / unit.as_nanos() as f64;
        println!("That is {ratio:.2} times json.loads of all in Python; {MOST} are allowed.\n");
    }
    Ok(())
}
