//! The summary of the job that publishes a dispatched run.

use super::conclude::Arrived;
use super::ledger::Ledger;
use crate::github::{ActionsContext, append_summary};
use crate::report::{Format, TemplateOverrides, render_judged};

/// Appends what was found to the job's summary.
pub(super) fn write(context: Option<&ActionsContext>, arrived: &Arrived, ledger: &mut Ledger) {
    let Some(file) = context.and_then(|context| context.step_summary.as_ref()) else { return };
    let text = match arrived {
        Arrived::Nothing(nothing) => format!("# deadheat\n\n{}\n", nothing.text),
        Arrived::Judged(judged) => {
            match render_judged(&judged.results, &judged.verdict, Format::Summary, &TemplateOverrides::new()) {
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
