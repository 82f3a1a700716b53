//! The load generators: how each is called, and where it prints requests/s.

use serde_json::Value;
use std::path::{Path, PathBuf};

pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) command: Vec<String>,
    pub(crate) read_rps: fn(&str) -> Option<f64>,
}

/// The tools that are there; deadheat's own binary is looked for beside this example.
pub(crate) fn find(url: &str, seconds: u32, connections: u32) -> Result<Vec<Tool>, String> {
    let (time, count) = (format!("{seconds}s"), connections.to_string());
    let own = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.parent()?.join("deadheat")));
    let own = own.filter(|path| path.exists()).ok_or("find deadheat: run `cargo build --release` first")?;
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut tools = vec![Tool {
        name: "deadheat",
        command: owned(&[
            &own.to_string_lossy(),
            "load",
            url,
            "-c",
            &count,
            "-d",
            &time,
            "--warmup",
            "0s",
            "--cpu",
            "1",
            "--json",
        ]),
        read_rps: |text| serde_json::from_str::<Value>(text).ok()?["rps"].as_f64(),
    }];
    if let Some(wrk) = on_path("wrk") {
        tools.push(Tool {
            name: "wrk",
            command: owned(&[&wrk, "-t", "1", "-c", &count, "-d", &time, url]),
            read_rps: |text| {
                text.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:")?.trim().parse().ok())
            },
        });
    }
    if let Some(oha) = on_path("oha") {
        tools.push(Tool {
            name: "oha",
            command: owned(&[&oha, "--no-tui", "--output-format", "json", "-c", &count, "-z", &time, url]),
            read_rps: |text| serde_json::from_str::<Value>(text).ok()?["summary"]["requestsPerSec"].as_f64(),
        });
    }
    if let Some(autocannon) = on_path("autocannon") {
        tools.push(Tool {
            name: "autocannon",
            command: owned(&[&autocannon, "-j", "-n", "-c", &count, "-d", &seconds.to_string(), url]),
            read_rps: |text| serde_json::from_str::<Value>(text).ok()?["requests"]["average"].as_f64(),
        });
    }
    Ok(tools)
}

fn on_path(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let found: Option<PathBuf> =
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_file(file));
    Some(found?.to_string_lossy().into_owned())
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
}
