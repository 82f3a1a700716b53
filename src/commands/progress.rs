//! What is shown while a command works: bars on a terminal, plain lines elsewhere, in Actions in a group per phase.
//!
//! Nothing ticks by itself: a line changes when something happened, so that this process sleeps while slices run.

use super::surroundings::{Progress, Show};
use crate::build::BuildWatch;
use crate::model::{Results, Side};
use crate::race::{Turn, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Says the standing of a race in a few words.
pub(super) type Standing = fn(&Results) -> String;

/// Shows progress.
pub(super) struct Display {
    show: Show,
    bar: ProgressBar,
    standing: Standing,
    last: String,
    /// Whether a group of the log is open.
    grouped: bool,
}

impl Display {
    /// A display; `standing` is asked after every round.
    pub(super) fn new(show: Show, standing: Standing) -> Self {
        let target =
            if show.progress == Progress::Bars { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        Self { show, bar, standing, last: "measuring".to_owned(), grouped: false }
    }

    /// What follows belongs to another phase, such as `build`.
    pub(super) fn phase(&mut self, title: &str) {
        self.close_group();
        if self.show.log.is_actions() && self.show.progress != Progress::Nothing {
            self.show.log.open_group(title);
            self.grouped = true;
        }
    }

    fn close_group(&mut self) {
        if std::mem::take(&mut self.grouped) {
            self.show.log.close_group();
        }
    }

    /// Something that stays on the screen.
    pub(super) fn say(&self, text: &str) {
        match self.show.progress {
            Progress::Bars => self.bar.println(text),
            Progress::Lines => self.show.log.write(text),
            Progress::Nothing => {}
        }
    }

    /// Something that is over soon: on a terminal it is replaced by what comes next.
    pub(super) fn passing(&self, text: &str) {
        match self.show.progress {
            Progress::Bars => {
                self.bar.set_message(text.to_owned());
                self.bar.tick();
            }
            Progress::Lines => self.show.log.write(text),
            Progress::Nothing => {}
        }
    }

    /// Nothing more comes.
    pub(super) fn end(&mut self) {
        self.bar.finish_and_clear();
        self.close_group();
    }
}

impl Drop for Display {
    /// An error that ended the work is no part of its phase.
    fn drop(&mut self) {
        self.close_group();
    }
}

/// A line for people who did not ask for silence.
pub(super) fn note(show: Show, text: &str) {
    if show.progress != Progress::Nothing {
        show.log.write(text);
    }
}

impl BuildWatch for Display {
    fn step(&self, side: Option<Side>, what: &str, command: &str) {
        let place = side.map_or("reference", Side::as_str);
        self.passing(&format!("build {place} {what}: {command}"));
    }
}

impl Watch for Display {
    fn turn(&mut self, turn: &Turn, of_rounds: u32, left: Duration) {
        let again = if turn.attempt > 0 { format!(", again ({})", turn.attempt) } else { String::new() };
        let text = format!(
            "round {} of at most {of_rounds}: {}{again}; {} left; {}",
            turn.round + 1,
            turn.lane,
            minutes(left),
            self.last
        );
        if self.show.progress == Progress::Bars || self.show.verbose {
            self.passing(&text);
        }
    }

    fn round(&mut self, results: &Results, left: Duration) {
        self.last = (self.standing)(results);
        if self.show.progress == Progress::Lines {
            let rounds = results.rounds;
            let most = results.protocol.rounds_max;
            self.show.log.write(&format!(
                "round {rounds} of at most {most} done; {} left; {}",
                minutes(left),
                self.last
            ));
        }
    }
}

/// `4 min 05 s`.
pub(super) fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}
