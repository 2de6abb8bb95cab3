//! Where the artifacts of a template are: the parameters that tools fill in who deploy a folder.
//!
//! Templates that come with scripts and linked templates have two parameters for their place, which tools set to where they have put
//! the folder. Deployed to the state on this machine, the folder is where it lies.

use arm::Value;
use arm::binding::Inputs;
use arm::template::Template;

use super::links::TemplateFile;

/// The address of the folder.
const LOCATION: &str = "_artifactsLocation";
/// What is put behind the addresses of its files, to be allowed to read them.
const TOKEN: &str = "_artifactsLocationSasToken";

/// Gives those of the two parameters a value that have none.
pub(super) fn supply(template: &Template, file: &TemplateFile, inputs: &mut Inputs) {
    let values = [(LOCATION, file.folder_address()), (TOKEN, Some(String::new()))];
    for (name, value) in values {
        let Some(parameter) = template.parameters.get(name).filter(|it| it.default.is_none()) else {
            continue;
        };
        if let Some(value) = value
            && inputs.get(&parameter.name).is_none()
        {
            inputs.set(&parameter.name, Value::text(value));
        }
    }
}
