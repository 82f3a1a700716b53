//! `deadheat demo`: a small repository with a base and a pull request, raced and judged for real.
//!
//! The pull request puts a checksum into one of three routes. How much of it makes ten percent was measured once; on
//! another machine it is a little more or less, which is why its figure is said to be rough.

use super::outcome::{CommandError, Finish};
use super::surroundings::Surroundings;
use crate::cli::{DemoArgs, DemoRoute, RunArgs, SelectionArgs};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every file of the base, with its text.
const FILES: [(&str, &str); 15] = [
    ("deadheat.toml", include_str!("../../templates/demo/deadheat.toml")),
    ("README.md", include_str!("../../templates/demo/README.md")),
    ("package.json", include_str!("../../templates/demo/package.json")),
    (".gitignore", include_str!("../../templates/demo/gitignore")),
    ("lib/answers.js", ANSWERS),
    ("lib/checksum.js", include_str!("../../templates/demo/lib/checksum.js")),
    ("bench/contract/routes.toml", include_str!("../../templates/demo/bench/contract/routes.toml")),
    ("bench/contract/golden/get-user.json", include_str!("../../templates/demo/bench/contract/golden/get-user.json")),
    ("bench/contract/golden/hello.json", include_str!("../../templates/demo/bench/contract/golden/hello.json")),
    ("bench/contract/golden/ping.txt", include_str!("../../templates/demo/bench/contract/golden/ping.txt")),
    ("bench/variants/fastify/variant.toml", include_str!("../../templates/demo/bench/variants/fastify/variant.toml")),
    ("bench/variants/fastify/server.js", include_str!("../../templates/demo/bench/variants/fastify/server.js")),
    ("bench/variants/fastify/package.json", include_str!("../../templates/demo/bench/variants/fastify/package.json")),
    (
        "bench/variants/fastify/package-lock.json",
        include_str!("../../templates/demo/bench/variants/fastify/package-lock.json"),
    ),
    (
        "bench/variants/node-http/variant.toml",
        include_str!("../../templates/demo/bench/variants/node-http/variant.toml"),
    ),
];
const CONTROL: (&str, &str) =
    ("bench/variants/node-http/server.mjs", include_str!("../../templates/demo/bench/variants/node-http/server.mjs"));
const ANSWERS: &str = include_str!("../../templates/demo/lib/answers.js");

/// Characters in the checksum that slow a route down by about one percent, as measured on Node 20.
const CHARACTERS_PER_PERCENT: u32 = 36;

/// Makes the repository, races its pull request, prints the comment.
///
/// # Errors
/// [`CommandError`].
pub fn demo(around: &mut Surroundings, arguments: &DemoArgs) -> Result<Finish, CommandError> {
    let folder = place(around, arguments)?;
    let directory = folder.join("repository");
    make_repository(&directory, arguments)?;
    // The demo's builds go with its folder, and not into the cache of the user's own repositories.
    around.environment.insert("XDG_CACHE_HOME".to_owned(), folder.join("cache").display().to_string());
    let what = if arguments.unchanged {
        "a pull request that changes a comment".to_owned()
    } else {
        format!("a pull request that slows {} by about {} %", route_name(arguments.route), arguments.slowdown)
    };
    super::progress::note(
        around.show,
        &format!(
            "{what}, in {}; measuring takes {} at most",
            directory.display(),
            super::progress::minutes(arguments.budget)
        ),
    );
    around.directory.clone_from(&directory);
    around.configuration = None;
    let run = RunArgs {
        base: Some("main".to_owned()),
        head: Some("pull-request".to_owned()),
        selection: SelectionArgs { budget: Some(arguments.budget), ..SelectionArgs::default() },
        rounds: None,
        seed: arguments.seed,
        quick: false,
        resume: false,
        out: PathBuf::from(".deadheat/latest"),
        json: arguments.json,
    };
    let finish = super::run(around, &run)?;
    super::progress::note(
        around.show,
        &format!("everything is kept in {}; remove it when you have seen enough", folder.display()),
    );
    Ok(finish)
}

fn place(around: &Surroundings, arguments: &DemoArgs) -> Result<PathBuf, CommandError> {
    let Some(out) = &arguments.out else {
        let made = tempfile::Builder::new().prefix("deadheat-demo-").tempdir();
        return Ok(made.map_err(CommandError::infrastructure)?.keep());
    };
    let directory = around.directory.join(out);
    let failed =
        |error: std::io::Error| CommandError::usage(format!("failed to create {}: {error}", directory.display()));
    fs::create_dir_all(&directory).map_err(failed)?;
    if fs::read_dir(&directory).map_err(failed)?.next().is_some() {
        return Err(CommandError::usage(format!(
            "failed to make the demo in {}: the directory is not empty; name another with --out",
            directory.display()
        )));
    }
    Ok(directory)
}

fn make_repository(directory: &Path, arguments: &DemoArgs) -> Result<(), CommandError> {
    for (path, text) in FILES.into_iter().chain([CONTROL]) {
        write(&directory.join(path), text)?;
    }
    git(directory, &["init", "--quiet", "--initial-branch=main"])?;
    commit(directory, "Answer three routes")?;
    git(directory, &["checkout", "--quiet", "-b", "pull-request"])?;
    let (answers, message) = if arguments.unchanged {
        (ANSWERS.replace("// What the routes answer.", "// What every route answers."), "Say it better")
    } else {
        (slowed(arguments.route, u32::from(arguments.slowdown)), "Check what is answered")
    };
    write(&directory.join("lib/answers.js"), &answers)?;
    commit(directory, message)
}

fn route_name(route: DemoRoute) -> &'static str {
    match route {
        DemoRoute::GetUser => "get-user",
        DemoRoute::Hello => "hello",
        DemoRoute::Ping => "ping",
    }
}

/// The answers with a checksum in one route. Every route checks the same text, so that it costs the same in each.
fn slowed(route: DemoRoute, percent: u32) -> String {
    let (signature, answer) = match route {
        DemoRoute::GetUser => ("getUser(id) {\n", "  return users[id - 1]\n"),
        DemoRoute::Hello => ("hello() {\n", "  return { message: 'Hello, world!' }\n"),
        DemoRoute::Ping => ("ping() {\n", "  return 'pong'\n"),
    };
    let text = "user1@example.com is User 1 and has the number 1 of 1,000";
    let check = format!("  checksum('{text}', {})\n", percent * CHARACTERS_PER_PERCENT);
    let before = format!("export function {signature}{answer}");
    let after = format!("export function {signature}{check}{answer}");
    format!("import {{ checksum }} from './checksum.js'\n\n{}", ANSWERS.replace(&before, &after))
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let failed =
        |error: std::io::Error| CommandError::infrastructure(format!("failed to write {}: {error}", path.display()));
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}

fn commit(directory: &Path, message: &str) -> Result<(), CommandError> {
    git(directory, &["add", "--all"])?;
    git(directory, &["commit", "--quiet", "--no-verify", "-m", message])
}

fn git(directory: &Path, arguments: &[&str]) -> Result<(), CommandError> {
    let identity = ["-c", "user.name=deadheat demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"];
    let output = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(identity)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            CommandError::infrastructure(format!("failed to start git: {error}; install git, or put it on PATH"))
        })?;
    if output.status.success() {
        Ok(())
    } else {
        let words = String::from_utf8_lossy(&output.stderr);
        Err(CommandError::infrastructure(format!("failed to make the demo's repository: git says: {}", words.trim())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pull_request_changes_the_route_that_it_names_and_no_other() {
        for (route, function) in
            [(DemoRoute::GetUser, "getUser"), (DemoRoute::Hello, "hello"), (DemoRoute::Ping, "ping")]
        {
            let text = slowed(route, 10);
            let functions: Vec<&str> = text.split("export function ").skip(1).collect();
            assert_eq!(functions.len(), 3);
            for body in functions {
                assert_eq!(body.contains("checksum("), body.starts_with(function), "{route:?}: {body}");
            }
        }
    }
}
