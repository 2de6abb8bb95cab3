//! Writes the JavaScript and the types beside a WebAssembly module: for browsers into `web`, for Node.js into `node`.

use std::path::PathBuf;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

/// Says for whom the files are written.
type SetForm = fn(&mut Bindgen);

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(module), Some(folder), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: tendon-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let forms: [(&str, SetForm); 2] = [
        ("web", |bindgen| {
            let _ = bindgen.omit_default_module_path(false).web(true);
        }),
        ("node", |bindgen| {
            let _ = bindgen.nodejs(true);
        }),
    ];
    for (name, form) in forms {
        let mut bindgen = Bindgen::new();
        form(&mut bindgen);
        bindgen
            .input_path(&module)
            .out_name("tendon")
            .typescript(true)
            .remove_producers_section(true)
            .remove_name_section(true);
        if let Err(error) = bindgen.generate(folder.join(name)) {
            eprintln!("error: cannot write what `{name}` loads: {error:#}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
