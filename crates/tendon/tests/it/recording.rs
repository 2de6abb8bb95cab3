//! The recording of a terminal on the first page is what the program prints: the commands are run, and their output is drawn.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::Folder;

/// What is typed, in the order of the recording.
const COMMANDS: [&str; 4] = [
    "tendon what-if main.bicep -p memory=1024",
    "tendon deploy main.bicep -p memory=1024",
    "tendon deploy main.bicep -p memory=1000",
    "tendon destroy --yes",
];

/// How wide a line is drawn, in characters.
const COLUMNS: usize = 104;

/// The size of a character and of a line, in pixels.
const CHARACTER: f64 = 7.8;
const LINE: usize = 18;

/// How many seconds the recording stays at each command.
const STEP: f64 = 2.5;

/// The colour of a part of a line, by the codes that are on.
fn class(codes: &str) -> &'static str {
    let has = |code: &str| codes.split(';').any(|it| it == code);
    match () {
        () if has("31") || has("91") => "red",
        () if has("32") || has("92") => "green",
        () if has("33") || has("93") => "yellow",
        () if has("34") || has("94") || has("36") || has("96") => "blue",
        () if has("2") => "dim",
        () if has("1") => "bold",
        () => "",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A line of a terminal as a line of text in SVG; what is too long is cut.
fn line(text: &str, y: usize) -> String {
    let (mut drawn, mut column) = (String::new(), 0);
    for (place, part) in text.split("\u{1b}[").enumerate() {
        let (codes, shown) = match place {
            0 => ("", part),
            _ => part.split_once('m').unwrap_or(("", part)),
        };
        let rest: String = shown.chars().take(COLUMNS.saturating_sub(column)).collect();
        if rest.is_empty() {
            continue;
        }
        let x = 16.0 + column as f64 * CHARACTER;
        column += rest.chars().count();
        let _ = write!(drawn, "<tspan x=\"{x:.1}\" class=\"{}\">{}</tspan>", class(codes), escaped(&rest));
    }
    format!("<text y=\"{y}\" xml:space=\"preserve\">{drawn}</text>\n")
}

/// The recording: each command appears with its output, and stays.
fn recording(steps: &[(String, String)]) -> String {
    let (mut body, mut y) = (String::new(), 30);
    for (place, (command, output)) in steps.iter().enumerate() {
        let _ = writeln!(body, "<g style=\"animation-delay:{:.1}s\">", STEP * place as f64);
        body.push_str(&line(&format!("\u{1b}[32m$ \u{1b}[1m{command}"), y));
        y += LINE;
        for text in output.lines() {
            body.push_str(&line(text, y));
            y += LINE;
        }
        y += LINE / 2;
        body.push_str("</g>\n");
    }
    let (width, height) = ((COLUMNS as f64 * CHARACTER) as usize + 32, y);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Tendon in a terminal\">\n\
         <style>\n\
         text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d8dee9; }}\n\
         .red {{ fill: #ff7b72; font-weight: bold; }} .green {{ fill: #7ee787; }} .yellow {{ fill: #e3b341; }}\n\
         .blue {{ fill: #79c0ff; }} .dim {{ fill: #8b949e; }} .bold {{ font-weight: bold; }}\n\
         @media (prefers-reduced-motion: no-preference) {{\n\
         g {{ animation: appear 0.3s backwards; }}\n\
         @keyframes appear {{ from {{ opacity: 0; }} }}\n\
         }}\n\
         </style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n\
         {body}</svg>\n"
    )
}

/// The program of the first page.
fn program() -> Vec<u8> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```bicep main.bicep\n").unwrap();
    rest.split_once("```").unwrap().0.as_bytes().to_vec()
}

/// How long it took is another time each time.
fn without_time(text: &str) -> String {
    let line = |line: &str| match line.split_once(" succeeded in ") {
        Some((before, rest)) => {
            let rest = rest.split_once(':').map_or("", |(_, rest)| rest);
            format!("{before} succeeded in 5 ms:{rest}\n")
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_recording_of_the_first_page_is_current() {
    let folder = Folder::with(&[("main.bicep", &program())]);
    let steps: Vec<(String, String)> = COMMANDS
        .iter()
        .map(|command| {
            let output = folder.run_line(&format!("{command} --color always"), b"");
            let text = folder.anonymous(&[output.stdout, output.stderr].concat());
            ((*command).to_owned(), without_time(text.trim_end()))
        })
        .collect();
    assert!(steps[2].1.contains("1000 is not a multiple of 512"), "{steps:?}");
    let drawn = recording(&steps);
    assert!(!drawn.contains('\u{1b}'), "{drawn}");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/recording.svg");
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(&kept, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(kept).unwrap_or_default();
    assert!(kept == drawn, "docs/images/recording.svg is out of date, set TENDON_UPDATE=1");
}
