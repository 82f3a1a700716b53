//! Snapshots of every format, and what must hold whatever is reported.

use super::sample;
use super::*;
use crate::model::{Results, RoundValue};
use proptest::prelude::*;

fn text(results: &Results, format: Format) -> String {
    render(results, format, &TemplateOverrides::new()).unwrap()
}

macro_rules! snapshots {
    ($($name:ident: $($format:ident),*;)*) => {$(
        #[test]
        fn $name() {
            let results = sample::$name();
            $(insta::assert_snapshot!(concat!(stringify!($name), "_", stringify!($format)), text(&results, Format::$format));)*
        }
    )*};
}

snapshots! {
    changed: Markdown, Summary, Json, Csv;
    unchanged: Markdown;
    unusable: Markdown, Json;
    failing: Markdown, Csv;
    alone: Markdown, Summary, Json;
    quick: Markdown;
    mixed: Markdown, Summary;
    hostile: Markdown, Summary;
}
