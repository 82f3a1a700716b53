//! What the job that publishes leaves for people and for later steps: its summary and its outputs.

use super::conclude::Arrived;
use super::ledger::Ledger;
use crate::commands::step::outputs;
use crate::github::{ActionsContext, append_outputs, append_summary};
use crate::report::{Format, Publication, TemplateOverrides, render_published};

/// Appends what was found in a dispatched run to the job's summary.
pub(super) fn write(context: &ActionsContext, arrived: &Arrived, publication: &Publication, ledger: &mut Ledger) {
    let Some(file) = &context.step_summary else { return };
    let text = match arrived {
        Arrived::Nothing(nothing) => format!("# deadheat\n\n{}\n", nothing.text),
        Arrived::Judged(judged) => {
            let templates = TemplateOverrides::new();
            match render_published(&judged.results, &judged.verdict, Some(publication), Format::Summary, &templates) {
                Ok(text) => text,
                Err(error) => return ledger.fail(error),
            }
        }
    };
    match append_summary(file, &text) {
        Ok(()) => ledger.say("the job's summary was written"),
        Err(error) => ledger.fail(format!("failed to write the job's summary to {}: {error}", file.display())),
    }
}

/// Sets the outputs that `run` sets too, by the verdicts that the publisher found.
pub(super) fn set_outputs(context: &ActionsContext, arrived: &Arrived, ledger: &mut Ledger) {
    let (Some(file), Arrived::Judged(judged)) = (&context.output, arrived) else { return };
    if let Err(error) = append_outputs(file, &outputs(judged.outcome, &judged.verdict)) {
        ledger.fail(format!("failed to write the step's outputs to {}: {error}", file.display()));
    }
}
