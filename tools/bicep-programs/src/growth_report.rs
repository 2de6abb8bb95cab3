//! `bicep-programs --growth`: how the time of each construct grows with the program, one process for each.

use std::io::Read as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use bicep_programs::{CONSTRUCTS, measure};

use crate::{STACK, processor_time};

/// The greatest exponent.
const MOST: f64 = 1.2;
/// How long a construct may take, with all of its sizes, on a machine that does other things as well.
const PATIENCE: Duration = Duration::from_secs(120);

/// Measures all constructs whose names contain a text.
pub(crate) fn run(part: &str) -> ExitCode {
    let mut bad = 0_u32;
    let mut all = 0_u32;
    for construct in CONSTRUCTS.iter().filter(|it| it.name.contains(part)) {
        all += 1;
        let said = ask(construct.name).unwrap_or_else(|why| why);
        let exponent = said.split(' ').next().and_then(|word| word.parse::<f64>().ok());
        let is_good = exponent.is_some_and(|exponent| exponent <= MOST);
        bad += u32::from(!is_good);
        println!("{} {said}  {}", if is_good { " " } else { "!" }, construct.name);
    }
    println!("{all} constructs, {bad} that grow with more than the power {MOST}");
    if bad == 0 && all > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What a process of its own says of a construct; the error is what became of the process.
fn ask(name: &str) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command.args(["--growth-of", name]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("no process: {error}"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if start.elapsed() > PATIENCE {
            let _gone = child.kill();
            let _status = child.wait();
            return Err(format!("takes more than {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let mut said = String::new();
    if let Some(mut output) = child.stdout.take() {
        let _read = output.read_to_string(&mut said);
    }
    if status.success() {
        Ok(said.trim_end().to_owned())
    } else {
        Err(format!("ends: {status} {}", said.trim_end()))
    }
}

/// Measures one construct, in the process of its own.
pub(crate) fn child(name: &str) -> ExitCode {
    let Some(construct) = CONSTRUCTS.iter().find(|it| it.name == name) else { return ExitCode::from(2) };
    let work = move || match measure(construct, || processor_time().unwrap_or_default()) {
        Ok(growth) => {
            println!(
                "{:.2} {:>6} to {:>6} times, {:>6.1} to {:>7.1} ms{}",
                growth.exponent(),
                growth.small.count,
                growth.large.count,
                growth.small.time.as_secs_f64() * 1e3,
                growth.large.time.as_secs_f64() * 1e3,
                if growth.large.written.is_some() { "" } else { ", rejected" },
            );
            true
        }
        Err(why) => {
            println!("{why}");
            false
        }
    };
    let started = std::thread::Builder::new().stack_size(STACK).spawn(work);
    match started.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
