//! What went wrong in a slice.

use super::lapping::LapFailure;
use crate::model::FailureKind;
use crate::race::load::{ErrorKind, SliceReport};
use crate::race::server::{LOG_LIMIT, Running, died, output_of, printed_too_much};

/// What went wrong in a slice, if anything did: a single unexpected answer is enough.
pub(super) fn lap_failure(report: &SliceReport, server: &Running) -> Option<LapFailure> {
    let log = server.child.log();
    if server.child.log_length() > LOG_LIMIT {
        let message = printed_too_much();
        return Some(LapFailure { kind: FailureKind::PrintedTooMuch, message, output: output_of(log) });
    }
    if report.errors.total() == 0 && report.all_answers > 0 {
        return None;
    }
    if let Ok(Some(exit)) = server.child.try_exit() {
        let message = died(exit.status, "under load");
        return Some(LapFailure { kind: FailureKind::DiedUnderLoad, message, output: output_of(log) });
    }
    if report.errors.total() == 0 {
        let message = "answered nothing in a whole slice".to_owned();
        return Some(LapFailure { kind: FailureKind::ConnectionErrors, message, output: output_of(log) });
    }
    let wrong =
        [ErrorKind::Status, ErrorKind::Length, ErrorKind::Body].into_iter().any(|kind| report.errors.get(kind) > 0);
    let kind = if wrong { FailureKind::WrongAnswer } else { FailureKind::ConnectionErrors };
    let first = report.first_error.as_ref().map(|text| format!("; the first: {text}")).unwrap_or_default();
    let good = report.all_answers.saturating_sub(report.errors.total());
    let message = format!("errors under load ({}) beside {good} good answers{first}", report.errors);
    Some(LapFailure { kind, message, output: output_of(log) })
}
