//! The chart for Kubernetes: linted and rendered by the real `helm`, which is built from the Go module proxy; the program reads the configuration in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, process, product};

/// The chart.
const CHART: &str = "packaging/helm/tendon";
/// What is built.
const MODULE: &str = "helm.sh/helm/v3/cmd/helm";
const VERSION: &str = "v3.16.4";

/// Values, with words that are in what is rendered; and words that are not, behind a `!`.
const RENDERED: &[(&[&str], &[&str])] = &[
    (
        &[],
        &[
            "kind: StatefulSet",
            "kind: Service",
            "kind: ConfigMap",
            "runAsNonRoot: true",
            "readOnlyRootFilesystem: true",
            "allowPrivilegeEscalation: false",
            "drop: [ALL]",
            "path: /readyz",
            "auth = \"token\"",
            "tls-name = [\"try-tendon\", \"try-tendon.space\", \"try-tendon.space.svc\"]",
            "!kind: PodDisruptionBudget",
            "!kind: ServiceMonitor",
            "!TENDON_DATABASE",
        ],
    ),
    (
        &["replicas=3", "database.secretName=db", "sealKey.secretName=seal", "tls.secretName=tls"],
        &[
            "replicas: 3",
            "kind: PodDisruptionBudget",
            "name: TENDON_DATABASE",
            "seal-key = \"/seal/seal.key\"",
            "tls-cert = \"/tls/tls.crt\"",
            "!tls-name",
        ],
    ),
    (
        &["options.history=50", "options.audit-required=true", "grace=90"],
        &["history = 50", "audit-required = true", "grace = 90", "terminationGracePeriodSeconds: 105"],
    ),
    (
        &["tls.secretName=tls", "serviceMonitor.enabled=true", "serviceMonitor.tokenSecretName=t"],
        &["kind: ServiceMonitor", "credentials: {name: t, key: token}"],
    ),
];

/// Values that mean nothing, with words of what is said.
const REFUSED: &[(&[&str], &str)] = &[
    (&["replicas=2"], "more than one replica needs a database"),
    (&["database.secretName=db"], "nodes of a database share a key"),
    (&["serviceMonitor.enabled=true"], "serviceMonitor needs tls.secretName"),
    (&["replicas=0"], "replicas"),
    (&["option.auth=token"], "option"),
    (&["options.listen=127.0.0.1:1"], "options"),
    (&["options.auth=local"], "auth"),
];

/// Lints and renders the chart, and has the program check the configuration that it makes.
pub(crate) fn run() -> Result {
    let target = product::target()?;
    let tendon = product::built()?.join("tendon");
    let folder = target.join("helm");
    let helm = build(&folder)?;
    process::run(Command::new(&helm).args(["lint", "--strict", CHART]))?;
    for (values, words) in RENDERED {
        let (text, is_fine) = render(&helm, values)?;
        if !is_fine {
            return Err(format!("{values:?}: {text}"));
        }
        for word in *words {
            let (word, expected) = word.strip_prefix('!').map_or((*word, true), |word| (word, false));
            if text.contains(word) != expected {
                return Err(format!(
                    "{values:?}: `{word}` is {} in\n{text}",
                    if expected { "not" } else { "" }
                ));
            }
        }
        check(&tendon, &folder, &text)?;
    }
    for (values, word) in REFUSED {
        let (text, is_fine) = render(&helm, values)?;
        if is_fine || !text.contains(word) {
            return Err(format!("{values:?} are not refused with `{word}`: {text}"));
        }
    }
    Ok(())
}

/// Builds `helm` unless it is there.
fn build(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("bin").join("helm");
    if !program.exists() {
        println!("building helm {VERSION}, which takes minutes once");
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
        let mut go = Command::new("go");
        go.env("GOPATH", folder.join("gopath")).env("GOCACHE", folder.join("gocache"));
        go.env("GOBIN", folder.join("bin")).env("GOFLAGS", "-modcacherw -buildvcs=false");
        process::run(go.arg("install").arg(format!("{MODULE}@{VERSION}")).current_dir(folder))?;
    }
    Ok(program)
}

/// What the chart is with some values, or why it is not.
fn render(helm: &Path, values: &[&str]) -> Result<(String, bool)> {
    let mut command = Command::new(helm);
    // A program that is built from its module knows no newer version of Kubernetes than 1.20.
    command.args(["template", "try", CHART, "--namespace", "space", "--kube-version", "1.30.0"]);
    values.iter().for_each(|value| {
        command.args(["--set", value]);
    });
    let output = command.output().map_err(|error| format!("cannot run `helm`: {error}"))?;
    let text = [output.stdout, output.stderr].concat();
    Ok((String::from_utf8_lossy(&text).into_owned(), output.status.success()))
}

/// Has the program check the configuration, without the files that only a cluster has.
fn check(tendon: &Path, folder: &Path, text: &str) -> Result {
    let lines = text.lines().skip_while(|line| line.trim() != "serve.toml: |").skip(1);
    let lines = lines.take_while(|line| line.starts_with("    ")).map(str::trim_start);
    let is_here =
        |line: &&str| !["tls-cert", "tls-key", "seal-key"].iter().any(|name| line.starts_with(name));
    let all: Vec<&str> = lines.filter(is_here).collect();
    if all.len() < 3 {
        return Err(format!("the chart has no configuration:\n{text}"));
    }
    let file = folder.join("serve.toml");
    std::fs::write(&file, all.join("\n")).map_err(|error| format!("`{}`: {error}", file.display()))?;
    let mut command = Command::new(tendon);
    command.args(["serve", "--check-config", "--config"]).arg(&file);
    process::run(command.arg("--state").arg(folder.join("state")))
}
