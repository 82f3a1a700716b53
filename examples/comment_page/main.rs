//! Writes the comments of several runs as pages that look as GitHub shows them, to be looked at in a browser.
//!
//! ```sh
//! cargo run --example comment_page -- target/page
//! chromium --headless --window-size=900,1200 --screenshot=comment.png file://$PWD/target/page/regression.dark.html
//! ```
//!
//! Each comment comes in light, dark and as wide as a telephone (`regression.telephone.html`, in a frame of 360 pixels).
//! The style sheet follows what GitHub's shows: hard line breaks, tables that scroll on their own, alerts.

mod scenes;

use comrak::{Options, markdown_to_html};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

const STYLE: &str = include_str!("style.css");

/// The Markdown of a comment on GitHub as HTML.
fn html(markdown: &str) -> String {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.alerts = true;
    // In comments, unlike in files, every end of a line is a break.
    options.render.hardbreaks = true;
    options.render.r#unsafe = true;
    markdown_to_html(markdown, &options)
}

fn page(markdown: &str, theme: &str, open: bool) -> String {
    let mut body = html(markdown);
    if open {
        body = body.replace("<details>", "<details open>");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\" class=\"{theme}\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<style>\n{STYLE}</style>\n\
         <article>\n<header><b>github-actions</b> <i>bot</i> commented now</header>\n\
         <div class=\"body\">\n{body}</div>\n</article>\n</html>\n"
    )
}

/// A page that shows another one as narrow as a telephone, since a browser's window can't be.
fn telephone(name: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<style>body {{ margin: 0 }} iframe {{ border: 0; width: 360px; \
         height: 100vh }}</style>\n<iframe src=\"{name}.light.html\"></iframe>\n"
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let out = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/page"), PathBuf::from);
    let out: &Path = &out;
    fs::create_dir_all(out)?;
    for (name, markdown) in scenes::scenes()? {
        fs::write(out.join(format!("{name}.md")), &markdown)?;
        fs::write(out.join(format!("{name}.light.html")), page(&markdown, "light", false))?;
        fs::write(out.join(format!("{name}.dark.html")), page(&markdown, "dark", false))?;
        fs::write(out.join(format!("{name}.open.html")), page(&markdown, "light", true))?;
        fs::write(out.join(format!("{name}.telephone.html")), telephone(name))?;
    }
    Ok(())
}
