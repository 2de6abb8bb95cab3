//! The unit for systemd: read by systemd itself, which also says how far the service is shut in.

use std::process::Command;

use crate::{Result, process, product};

/// The unit.
const UNIT: &str = "packaging/systemd/tendon.service";
/// Where the package puts the program.
const INSTALLED: &str = "/usr/bin/tendon";
/// The exposure that is too much, in tenths; an unconfined service has 96.
const EXPOSURE: &str = "20";

/// Has systemd verify the unit with the program that was built, and judge its hardening.
pub(crate) fn run() -> Result {
    let tendon = product::built()?.join("tendon");
    let folder = product::target()?.join("systemd");
    let failed = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let text = std::fs::read_to_string(UNIT).map_err(|error| format!("`{UNIT}`: {error}"))?;
    let unit = folder.join("tendon.service");
    std::fs::write(&unit, text.replace(INSTALLED, &tendon.display().to_string())).map_err(failed)?;
    let mut verify = Command::new("systemd-analyze");
    let output = verify.args(["verify", "--man=no"]).arg(&unit).output();
    let output = output.map_err(|error| format!("cannot start `systemd-analyze`: {error}"))?;
    // A key that it does not know is only a warning.
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || said.contains("tendon.service") {
        return Err(format!("systemd says of `{UNIT}`: {said}"));
    }
    let threshold = format!("--threshold={EXPOSURE}");
    let mut security = Command::new("systemd-analyze");
    security.args(["security", "--offline=true", "--no-pager", &threshold]).arg(&unit);
    process::output(&mut security).map(drop)
}
