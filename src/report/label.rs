//! How metrics, cases, verdicts and failures are called in texts.

use super::safe;
use crate::model::{Case, CaseName, CellKey, FailureKind, FigureName, Metric, ObservationKind, Side, Standing, Suite};
use crate::verdict::{FailingCause, UnmeasuredReason};
use std::borrow::Cow;

/// How a text marks names: as Markdown, or plainly for interfaces that show no Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Names in code spans, weight in asterisks.
    Markdown,
    /// Nothing but text.
    Plain,
}

impl Style {
    /// A name.
    pub(super) fn name(self, name: &str) -> String {
        match self {
            Self::Markdown => safe::code(name),
            Self::Plain => safe::line(name, 140),
        }
    }

    /// A sentence of which foreign text is a part.
    pub(super) fn prose(self, text: &str) -> String {
        match self {
            Self::Markdown => safe::prose(text),
            Self::Plain => safe::line(text, 400),
        }
    }

    /// Words with weight.
    pub(super) fn strong(self, text: &str) -> String {
        match self {
            Self::Markdown => format!("**{text}**"),
            Self::Plain => text.to_owned(),
        }
    }
}

/// A metric as people call it.
pub(super) fn metric(metric: Metric) -> Cow<'static, str> {
    let text = match metric {
        Metric::Rps => "req/s",
        Metric::P50 => "p50",
        Metric::P99 => "p99",
        Metric::CpuPerRequest => "CPU/request",
        Metric::LoadedMemory => "memory under load",
        Metric::P90 => "p90",
        Metric::P999 => "p99.9",
        Metric::Max => "max. latency",
        Metric::Mean => "mean latency",
        Metric::Deviation => "sd of latency",
        Metric::BytesPerSecond => "bytes/s",
        Metric::Requests => "requests",
        Metric::Bytes => "bytes",
        Metric::LateSends => "late sends",
        Metric::ColdStart => "cold start",
        Metric::BootCpu => "boot CPU",
        Metric::IdleMemory => "idle memory",
        Metric::LayerCost => "layer's cost",
        Metric::Wall => "wall time",
        Metric::Cpu => "CPU time",
        Metric::PeakMemory => "peak memory",
        Metric::OutputSize => "output size",
        Metric::Figure(name) => return Cow::Owned(figure(name)),
    };
    Cow::Borrowed(text)
}

/// A figure as people read it: `create` for `create_ms`, since its values have the unit beside them.
fn figure(name: FigureName) -> String {
    let ends = ["_per_s", "_us", "_ms", "_s", "_bytes"];
    let stem = ends.iter().find_map(|end| name.as_str().strip_suffix(end)).unwrap_or(name.as_str());
    stem.replace('_', " ")
}

/// A metric of a suite: the open loop's latencies are other quantities than the closed loop's.
pub(super) fn metric_of(suite: Suite, which: Metric) -> String {
    match suite {
        Suite::OpenLoop => format!("open-loop {}", metric(which)),
        Suite::Build => format!("build {}", metric(which)),
        Suite::Http | Suite::Boot | Suite::Process => metric(which).into_owned(),
    }
}

/// A case by its name.
pub(super) fn case_of(case: &Case, style: Style) -> String {
    match case {
        Case::Scenario(name) => style.name(name.as_str()),
        Case::Mix(name) => format!("mix {}", style.name(name.as_str())),
        Case::Category(name) => format!("category {}", style.name(name.as_str())),
        Case::Start => "start".to_owned(),
        Case::Process(name) => run("process", name, style),
        Case::Build(name) => run("build", name, style),
    }
}

/// A case and, where it has one, its regime.
pub(super) fn case(key: &CellKey, style: Style) -> String {
    let case = case_of(&key.case, style);
    match &key.regime {
        Some(regime) => format!("{case} under {}", style.name(regime.as_str())),
        None => case,
    }
}

/// A command's run: of a command without cases it is the only one and needs no name.
pub(super) fn run(what: &str, name: &CaseName, style: Style) -> String {
    if *name == CaseName::once() { what.to_owned() } else { format!("{what} {}", style.name(name.as_str())) }
}

/// The same as the rest of a name that starts with the entry: a start needs no word of its own beside its metric.
pub(super) fn case_of_entry(key: &CellKey, style: Style) -> String {
    match (&key.case, &key.regime) {
        (Case::Start, None) => String::new(),
        (Case::Start, Some(regime)) => format!(" under {}", style.name(regime.as_str())),
        _ => format!(" {}", case(key, style)),
    }
}

/// With a capital letter first, where a letter stands there.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// A standing in files.
pub(super) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Judged => "judged",
        Standing::Control => "control",
        Standing::Outside => "outside",
    }
}

/// Why there is nothing to compare.
pub(super) fn reason(reason: UnmeasuredReason) -> &'static str {
    match reason {
        UnmeasuredReason::Quick => "a quick run judges nothing",
        UnmeasuredReason::NoBase => "no base was raced",
        UnmeasuredReason::New => "new, so there is no base to compare with",
        UnmeasuredReason::Gone => "gone from head",
        UnmeasuredReason::NotPassing => "neither side answers by the contract",
        UnmeasuredReason::OneSided => "raced on head alone, for the standings",
        UnmeasuredReason::NoRounds => "no round gave a figure on both sides",
        UnmeasuredReason::GeneratorLimited => "the load generator was the limit",
    }
}

/// Why a cell is failing.
pub(super) fn cause(cause: FailingCause) -> &'static str {
    match cause {
        FailingCause::Gate => "head does not answer by the contract, base does",
        FailingCause::NotRunning => "head did not build or start, base did",
        FailingCause::OneSide { .. } => "one side failed alone too often for chance",
        FailingCause::Often { .. } => "over a fifth of the attempts failed",
    }
}

/// What a failure did, as the rest of a sentence that starts with the entry.
pub(super) fn failure(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::BuildFailed => "did not build",
        FailureKind::BuildTimeout => "was not built in time",
        FailureKind::RunFailed => "failed to run",
        FailureKind::RunTimeout => "ran out of time",
        FailureKind::SpawnFailed => "could not be started",
        FailureKind::DiedAtStart => "died at start",
        FailureKind::NeverReady => "was never ready",
        FailureKind::AnotherPort => "listened on another port",
        FailureKind::ForeignPort => "was answered for by a foreign process",
        FailureKind::WrongAnswer => "gave a wrong answer",
        FailureKind::DiedUnderLoad => "died under load",
        FailureKind::ConnectionErrors => "broke connections under load",
        FailureKind::PrintedTooMuch => "printed too much",
        FailureKind::ServiceFailed => "lacked its service",
    }
}

/// What was noticed, as the rest of a sentence that starts with the entry.
pub(super) fn observation(kind: ObservationKind) -> &'static str {
    match kind {
        ObservationKind::IgnoredTermination => "ignored SIGTERM and was killed",
        ObservationKind::LeftProcesses => "left processes behind, which were killed",
        ObservationKind::WorkedWhileIdle => "used CPU while only its partner was asked",
        ObservationKind::MemoryGrew => "grew steeply in memory under load",
        ObservationKind::Stalled => "stood still again and again",
        ObservationKind::ClosedConnections => "closed connections, which were opened again",
        ObservationKind::GeneratorLimited => "was faster than the load generator could ask",
        ObservationKind::SelfCheckFailed => "had slices that failed the self-check by Little's law",
    }
}

/// ` on head`, or nothing where both sides share it.
pub(super) fn on(side: Option<Side>) -> String {
    side.map(|side| format!(" on {side}")).unwrap_or_default()
}
