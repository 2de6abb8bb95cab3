//! Many heavy requests at the same time by one caller, while another one goes on working.

use std::path::Path;

use cluster::client;

use crate::Result;
use crate::server::{Client, Server, Watch, body, expect};
use crate::table::Bomb;

/// How many callers ask at the same time.
const CALLERS: usize = 48;
/// How often each of them does.
const TIMES: usize = 2;

/// What they ask: each of these of a template.
const REQUESTS: &[(&str, &str)] = &[("POST", "/validate"), ("POST", "/whatIf"), ("PUT", "")];

/// What may be answered: done, refused, or too much at the moment.
const FINE: &[u16] = &[200, 201, 202, 400, 409, 413, 429, 503];

/// Cancels whatever is under way.
fn cancel_all(client: Client) -> Result {
    let path = format!(
        "{}/providers/Microsoft.Resources/deployments?api-version=2025-04-01&$filter=provisioningState%20eq%20'Running'",
        client::GROUP
    );
    let list = expect(client.ask("GET", &path, ""), "the list", &[200])?;
    for (_, rest) in
        list.body.split("\"name\":\"storm-").skip(1).filter_map(|rest| Some(("", rest.split('"').next()?)))
    {
        let cancel = client::deployment(&format!("storm-{rest}"), "/cancel");
        expect(client.ask("POST", &cancel, ""), "to cancel", &[204, 404, 409, 429])?;
    }
    Ok(())
}

/// Sends each of the bombs many times at once, in every way; the process lives and another caller is served.
pub fn run(program: &Path, folder: &Path, bombs: &[Bomb], tell: &dyn Fn(&str)) -> Result {
    let state = folder.join("storm");
    let mut server = Server::start(program, &state)?;
    let mut client = Client(server.address);
    let group = format!("{}?api-version=2025-04-01", client::GROUP);
    expect(client.ask("PUT", &group, r#"{"location": "eastus"}"#), "the group", &[200, 201])?;
    let mut wrong = Vec::new();
    for (number, bomb) in bombs.iter().enumerate() {
        let Some((method, rest)) = REQUESTS.get(number % REQUESTS.len()) else { continue };
        let name = format!("{CALLERS} times {method}{rest} of {}", bomb.name);
        tell(&name);
        let watch = Watch::start(server.address, &group);
        let text = body(&bomb.template);
        let answers: Vec<Result> = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..CALLERS)
                .map(|caller| {
                    let text = &text;
                    scope.spawn(move || -> Result {
                        for time in 0..TIMES {
                            let own = format!("storm-{number}-{caller}-{time}");
                            let path = client::deployment(&own, rest);
                            expect(client.ask(method, &path, text), &own, FINE)?;
                        }
                        Ok(())
                    })
                })
                .collect();
            callers
                .into_iter()
                .map(|it| it.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
                .collect()
        });
        if let Some(why) = server.revived(program, &state, &name)? {
            wrong.push(why);
            client = Client(server.address);
            continue;
        }
        wrong.extend(answers.into_iter().filter_map(Result::err).take(3).map(|why| format!("{name}: {why}")));
        wrong.extend(watch.end().err().map(|why| format!("{name}: {why}")));
        // What waits for long makes room for the next ones.
        cancel_all(client)?;
    }
    // What was acknowledged before is there.
    expect(client.ask("GET", &group, ""), "the group", &[200])?;
    server.check("the storms")?;
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
