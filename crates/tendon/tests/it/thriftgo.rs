//! The binary under the name of a thriftgo plugin, called by the real thriftgo and by kitex's tool.
//!
//! The versions of both are pinned in `crates/thrift-codegen/tests/go`. What they write is compiled and run, and is the same as
//! what `tendon thrift gen` writes.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use crate::go::{run, tool};
use crate::support::Folder;

const BASE: &str = r#"
namespace go shop.base

struct Money {
  1: i64 amount (vt.ge = "0")
  2: string currency (vt.in = "[EUR, CHF]")
}
"#;

const ORDER: &str = r#"
namespace go shop.order

include "base.thrift"

struct Order {
  1: string user_id (vt.min_size = "1")
  2: base.Money total (vt.not_nil = "true")
  3: list<base.Money> parts
}

// UPSTREAM: kitex takes an argument that is called like its package for the package.
service Orders {
  void place(1: Order what (vt.not_nil = "true"))
}
"#;

/// Says what the methods say of a few values; `%s` is where the packages are, `%f` the name of a field.
const PROGRAM: &str = r#"package main

import (
	"fmt"

	"%s/shop/base"
	"%s/shop/order"
)

func main() {
	it := order.NewOrder()
	fmt.Println(it.Validate())
	it.%f = "u1"
	fmt.Println(it.IsValid())
	it.Total = &base.Money{Amount: 1, Currency: "EUR"}
	fmt.Println(it.Validate())
	it.Parts = []*base.Money{it.Total, {Amount: -1, Currency: "EUR"}}
	fmt.Println(it.Validate())
	fmt.Println((&order.OrdersPlaceArgs{}).Validate())
	_, ok := it.Validate().(*order.ValidationError)
	fmt.Println(ok)
}
"#;

const SAID: &str = "\
Order.user_id: must have at least 1 byte, has 0, found \"\" (vt.min_size)
Order.total: must be there (vt.not_nil)
<nil>
Order.parts[1].amount: must be at least 0, found -1 (vt.ge)
place_args.what: must be there (vt.not_nil)
true
";

/// Calls through the middleware of the example; `%s` is where the packages are.
const CALLS: &str = r#"package main

import (
	"context"
	"fmt"

	"project/middleware"

	"%s/shop/base"
	"%s/shop/order"
)

func main() {
	handler := func(ctx context.Context, req, resp interface{}) error {
		fmt.Println("handled")
		return nil
	}
	call := middleware.Validate(handler)
	fmt.Println(call(context.Background(), &order.OrdersPlaceArgs{}, nil))
	what := &order.Order{UserId: "u1", Total: &base.Money{Amount: 1, Currency: "EUR"}}
	fmt.Println(call(context.Background(), &order.OrdersPlaceArgs{What: what}, nil))
	what.Total.Amount = -1
	fmt.Println(call(context.Background(), &order.OrdersPlaceArgs{What: what}, nil))
}
"#;

const CALLED: &str = "\
place_args.what: must be there (vt.not_nil)
handled
<nil>
place_args.what.total.amount: must be at least 0, found -1 (vt.ge)
";

/// A folder with the IDL, and the plugin in its `bin`.
fn project() -> Folder {
    let folder = Folder::with(&[("base.thrift", BASE.as_bytes()), ("order.thrift", ORDER.as_bytes())]);
    std::fs::create_dir(folder.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tendon"), folder.path("bin/thrift-gen-tendon")).unwrap();
    folder
}

/// A tool that finds the plugin by its name alone.
fn with_plugin(folder: &Folder, tool: &Path) -> Command {
    let mut paths = vec![folder.path("bin")];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let mut command = Command::new(tool);
    command.env("PATH", std::env::join_paths(paths).unwrap()).current_dir(folder.path(""));
    command
}

/// Compiles a program that uses the structs, and runs it.
fn answers(folder: &Folder, packages: &str, field: &str) -> String {
    let program = PROGRAM.replace("%s", packages).replace("%f", field);
    folder.write("main/main.go", program.as_bytes());
    run(Command::new("go").args(["build", "-o", "program", "./main"]).current_dir(folder.path("")));
    run(&mut Command::new(folder.path("program")))
}

/// The files of the plugin, which `tendon thrift gen` must find as it would write them.
fn same_as_the_command(folder: &Folder, arguments: &[&str]) {
    let checked = folder.run(&[&["thrift", "gen", "--check", "-v", "-r"], arguments].concat(), b"");
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{said}");
    assert_eq!(said.lines().filter(|line| line.ends_with(": unchanged")).count(), 4, "{said}");
}

#[test]
fn thriftgo_runs_the_plugin_and_the_result_compiles() {
    let folder = project();
    let mut thriftgo = with_plugin(&folder, &tool("github.com/cloudwego/thriftgo"));
    let generator = "go:no_default_serdes=true,no_processor=true,package_prefix=project/gen-go";
    run(thriftgo.args(["-r", "-g", generator, "-p", "tendon:is_valid", "order.thrift"]));
    same_as_the_command(
        &folder,
        &["--lang", "go", "--method", "validate,is-valid,validate-all", "order.thrift"],
    );
    folder.write("go.mod", b"module project\n\ngo 1.18\n");
    assert_eq!(answers(&folder, "project/gen-go", "UserID"), SAID);
}

#[test]
fn kitex_runs_the_plugin_and_the_result_compiles() {
    let folder = project();
    let kitex = tool("github.com/cloudwego/kitex/tool/cmd/kitex");
    // With its client and its server, kitex needs many modules; those that the proxy is tried with are the same.
    let pinned = Path::new(env!("CARGO_MANIFEST_DIR")).join("../thrift-proxy/tests/clients/kitex");
    let modules = std::fs::read_to_string(pinned.join("go.mod")).unwrap();
    folder.write("go.mod", modules.replace("module kitex", "module project").as_bytes());
    folder.write("go.sum", &std::fs::read(pinned.join("go.sum")).unwrap());
    let mut kitex = with_plugin(&folder, &kitex);
    run(kitex.args(["-module", "project", "--thrift-plugin", "tendon:is_valid", "order.thrift"]));
    let methods =
        ["--lang", "go", "--types", "kitex", "--method", "validate,is-valid,validate-all", "order.thrift"];
    same_as_the_command(&folder, &methods);
    assert_eq!(answers(&folder, "project/kitex_gen", "UserId"), SAID);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/thrift/kitex/middleware.go");
    folder.write("middleware/middleware.go", &std::fs::read(example).unwrap());
    folder.write("calls/main.go", CALLS.replace("%s", "project/kitex_gen").as_bytes());
    run(Command::new("go").args(["build", "-o", "calls/program", "./calls"]).current_dir(folder.path("")));
    assert_eq!(run(&mut Command::new(folder.path("calls/program"))), CALLED);
    // The packages of services too: clients, servers and what both share.
    assert!(folder.path("kitex_gen/shop/order/orders/client.go").exists());
    run(Command::new("go").args(["build", "./kitex_gen/..."]).current_dir(folder.path("")));
}

#[test]
fn mistakes_in_the_idl_fail_the_run_of_thriftgo() {
    let folder = project();
    folder.write("base.thrift", BASE.replace("vt.ge", "vt.min_sise").as_bytes());
    let mut thriftgo = with_plugin(&folder, &tool("github.com/cloudwego/thriftgo"));
    let output = thriftgo.args(["-r", "-g", "go", "-p", "tendon", "order.thrift"]).output().unwrap();
    assert!(!output.status.success());
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(
        said.contains(
            "base.thrift:5:18: Money.amount: there is no validator `min_sise`; did you mean `min_size`?"
        ),
        "{said}"
    );
}

#[test]
fn called_by_hand_the_plugin_says_what_it_is() {
    let folder = project();
    let said = run(Command::new(folder.path("bin/thrift-gen-tendon")).arg("--version"));
    assert!(said.starts_with(concat!("thrift-gen-tendon ", env!("CARGO_PKG_VERSION"), "\n")), "{said}");
}
