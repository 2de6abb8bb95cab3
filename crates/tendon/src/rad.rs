//! What `rad` needs to know to use a server: a home folder of its own, with its configuration and that of a cluster.

use std::path::Path;

use crate::az::quoted;

/// The name of the server among the workspaces of `rad`, and of the context that stands for it.
const NAME: &str = "tendon";

/// A server that `rad` is to use.
pub(crate) struct RadServer<'t> {
    pub(crate) url: &'t str,
    /// The certificate to trust, if it speaks TLS.
    pub(crate) certificate: Option<&'t Path>,
    /// The resource group that commands are about.
    pub(crate) group: &'t str,
    /// The folder that is written.
    pub(crate) folder: &'t Path,
    /// The compiler that `rad deploy` and `rad bicep` run.
    pub(crate) bicep: &'t Path,
}

impl RadServer<'_> {
    /// The settings of the environment that `rad` runs with, one row for each.
    fn variables(&self) -> Vec<(&'static str, String)> {
        let path = |path: &Path| path.display().to_string();
        let mut variables = vec![
            ("HOME", path(self.folder)),
            // What Helm, inside of `rad`, looks at before the home folder.
            ("KUBECONFIG", path(&self.folder.join(".kube").join("config"))),
            ("BICEP", path(self.bicep)),
        ];
        variables.extend(self.certificate.map(|certificate| ("SSL_CERT_FILE", path(certificate))));
        variables
    }

    /// The files, one for each row, by their path in the folder.
    pub(crate) fn files(&self) -> Vec<(&'static str, String)> {
        vec![(".rad/config.yaml", self.config()), (".kube/config", self.cluster()), ("env.sh", self.env())]
    }

    fn config(&self) -> String {
        let url = yaml(self.url);
        let scope = yaml(&format!("/planes/radius/local/resourceGroups/{}", self.group));
        format!(
            "workspaces:\n  default: {NAME}\n  items:\n    {NAME}:\n      connection:\n        kind: kubernetes\n        context: {NAME}\n        \
             overrides:\n          ucp: {url}\n      scope: {scope}\n"
        )
    }

    /// `rad` reads it after a deployment, and asks it for its version.
    fn cluster(&self) -> String {
        let trusted = self.certificate.map(|certificate| {
            format!("\n      certificate-authority: {}", yaml(&certificate.display().to_string()))
        });
        format!(
            "apiVersion: v1\nkind: Config\nclusters:\n  - name: {NAME}\n    cluster:\n      server: {}{}\nusers:\n  - name: {NAME}\n    user: {{}}\n\
             contexts:\n  - name: {NAME}\n    context:\n      cluster: {NAME}\n      user: {NAME}\ncurrent-context: {NAME}\n",
            yaml(self.url),
            trusted.unwrap_or_default()
        )
    }

    /// A function in the place of `rad`: other programs keep the home folder that they have.
    fn env(&self) -> String {
        let settings: Vec<String> =
            self.variables().iter().map(|(name, value)| format!("{name}={}", quoted(value))).collect();
        format!("rad() {{ {} command rad \"$@\"; }}\n", settings.join(" "))
    }

    /// What a person pastes.
    pub(crate) fn lines_to_paste(&self) -> String {
        let env = quoted(&self.folder.join("env.sh").display().to_string());
        let mut text = format!("`rad` uses {} after:\n  . {env}\n\nOther programs set:\n", self.url);
        for (name, value) in self.variables() {
            text.push_str(&format!("  {name}={}\n", quoted(&value)));
        }
        text
    }
}

/// A text in YAML, in quotes.
fn yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    use super::*;

    fn text(yaml: &str, pointer: &str) -> Option<String> {
        let document = Document::from_yaml(yaml, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        document.root().pointer(pointer).and_then(|found| found.as_str()).map(str::to_owned)
    }

    #[test]
    fn the_files_name_the_server_and_the_group() {
        let certificate = Path::new("/a folder/cert's.pem");
        let target = RadServer {
            url: "https://127.0.0.1:8443",
            certificate: Some(certificate),
            group: "shop",
            folder: Path::new("/folder/rad"),
            bicep: Path::new("/folder/rad/bin/bicep"),
        };
        let files = target.files();
        let file = |name: &str| files.iter().find(|(file, _)| *file == name).unwrap().1.as_str();
        let workspace = "/workspaces/items/tendon";
        let config = |rest: &str| text(file(".rad/config.yaml"), &format!("{workspace}{rest}"));
        assert_eq!(config("/connection/overrides/ucp").as_deref(), Some(target.url));
        assert_eq!(config("/connection/kind").as_deref(), Some("kubernetes"));
        assert_eq!(config("/scope").as_deref(), Some("/planes/radius/local/resourceGroups/shop"));
        let cluster = |pointer: &str| text(file(".kube/config"), pointer);
        assert_eq!(cluster("/clusters/0/cluster/server").as_deref(), Some(target.url));
        assert_eq!(
            cluster("/clusters/0/cluster/certificate-authority").as_deref(),
            certificate.to_str(),
            "quotes in a path are quotes"
        );
        assert_eq!(cluster("/current-context"), config("/connection/context"));
        assert_eq!(
            file("env.sh"),
            "rad() { HOME=/folder/rad KUBECONFIG=/folder/rad/.kube/config BICEP=/folder/rad/bin/bicep SSL_CERT_FILE='/a folder/cert'\\''s.pem' command rad \"$@\"; }\n"
        );
        let plain = RadServer { url: "http://127.0.0.1:8080", certificate: None, ..target };
        assert!(!plain.lines_to_paste().contains("SSL_CERT_FILE"));
        assert!(plain.lines_to_paste().contains("  . /folder/rad/env.sh\n"));
    }
}
