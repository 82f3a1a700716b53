//! Which permission a refused request probably misses, where GitHub doesn't say it.

use http::Method;

/// The permission as it is written in a workflow, guessed from the request.
pub(super) fn probable(method: &Method, path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split(['/', '?']).collect();
    // "", "repos", owner, name, then what it is about.
    let [_, "repos", _, _, subject @ ..] = parts.as_slice() else { return None };
    let name = match subject {
        ["issues" | "pulls", ..] => "pull-requests",
        ["check-runs", ..] | ["commits", _, "check-runs"] => "checks",
        ["actions", ..] => "actions",
        ["git" | "contents" | "commits" | "compare", ..] => "contents",
        _ => return None,
    };
    let level = if *method == Method::GET { "read" } else { "write" };
    Some(format!("`{name}: {level}`"))
}
