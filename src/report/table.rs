//! A table as templates see it: finished texts, and the line that Markdown wants below the header.

use serde::Serialize;

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    /// Texts.
    Left,
    /// Figures.
    Right,
}

/// A table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Table {
    /// What it is about.
    pub(super) title: String,
    /// A sentence below it, or nothing.
    pub(super) note: String,
    /// The headers, joined as Markdown joins cells.
    pub(super) header: String,
    /// The rule below the headers.
    pub(super) rule: String,
    /// The rows, each a line of cells.
    pub(super) rows: Vec<String>,
}

impl Table {
    /// An empty table with `columns`.
    pub(super) fn new(title: impl Into<String>, columns: &[(&str, Align)]) -> Self {
        let header = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let rule =
            columns.iter().map(|(_, align)| if *align == Align::Left { "---" } else { "---:" }).collect::<Vec<_>>();
        Self { title: title.into(), note: String::new(), header: line(&header), rule: line(&rule), rows: Vec::new() }
    }

    /// Adds a row; its texts are safe already.
    pub(super) fn push<T: AsRef<str>>(&mut self, cells: &[T]) {
        self.rows.push(line(cells));
    }

    /// Roughly how long it is once rendered, in bytes.
    pub(super) fn size(&self) -> usize {
        self.title.len()
            + self.note.len()
            + self.header.len()
            + self.rule.len()
            + self.rows.iter().map(|row| row.len() + 1).sum::<usize>()
    }
}

fn line<T: AsRef<str>>(cells: &[T]) -> String {
    let mut line = String::from("|");
    for cell in cells {
        line.push(' ');
        line.push_str(cell.as_ref());
        line.push_str(" |");
    }
    line
}
