//! The figures of a page as texts.

use super::super::label::{self, Style};
use super::super::number::{self, NONE, SPACE};
use super::field::Heat;
use super::series::{Ratio, Span};
use crate::model::{Case, Metric, Polarity, Suite};

/// A multiple: three digits, and more near 1, where two would hide on which side of it it lies.
pub(super) fn multiple(value: f64) -> String {
    if !value.is_finite() || value < 0.0 {
        return NONE.to_owned();
    }
    let decimals = match value {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        value if (0.0005..0.005).contains(&(value - 1.0).abs()) => 3,
        value if (0.00005..0.0005).contains(&(value - 1.0).abs()) => 4,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// `1.12 times (1.09 to 1.15)`; where there is no interval, that is said instead.
pub(super) fn times(ratio: Ratio) -> String {
    let interval = ratio.interval.map_or_else(
        || "no interval".to_owned(),
        |interval| format!("{} to {}", multiple(interval.low), multiple(interval.high)),
    );
    format!("{}{SPACE}times ({interval})", multiple(ratio.centre))
}

/// The same for a column: `1.12× (1.09–1.15)`.
pub(super) fn times_in_a_column(ratio: Ratio) -> String {
    let interval =
        ratio.interval.map(|span| format!(" ({}–{})", multiple(span.low), multiple(span.high))).unwrap_or_default();
    format!("{}×{interval}", multiple(ratio.centre))
}

/// From one value to another, for a column. A unit that both share is said once.
pub(super) fn span(metric: Metric, span: Option<Span>) -> String {
    let Some(span) = span else { return NONE.to_owned() };
    let (low, high) = (number::value(metric, span.low), number::value(metric, span.high));
    match (low.split_once(SPACE), high.split_once(SPACE)) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number}–{high}"),
        _ => format!("{low}–{high}"),
    }
}

/// What a claim is about: `get-user`, `Mix saas under one-core`, `Cold start`, `Wall time of build providers=100`.
pub(super) fn topic(heat: &Heat, metric: Metric, style: Style) -> String {
    let what = match heat.suite {
        Suite::OpenLoop => label::metric_of(heat.suite, metric),
        _ => label::metric(metric).into_owned(),
    };
    let case = label::case_of(heat.case, style);
    let text = match (heat.case, metric) {
        // A name is written as it is.
        (Case::Scenario(_), Metric::Rps) => case,
        (_, Metric::Rps) => label::capital(&case),
        (Case::Start, _) => label::capital(&what),
        _ => label::capital(&format!("{what} of {case}")),
    };
    match heat.regime {
        Some(regime) => format!("{text} under {}", style.name(regime.as_str())),
        None => text,
    }
}

/// The case as a title.
pub(super) fn title(heat: &Heat, style: Style) -> String {
    match heat.case {
        Case::Scenario(_) => case(heat, style),
        _ => label::capital(&case(heat, style)),
    }
}

/// The case by its bare name where its kind is plain from what stands around it, and the regime.
pub(super) fn bare(heat: &Heat, style: Style) -> String {
    let name = match heat.case {
        Case::Category(name) => style.name(name.as_str()),
        other => label::case_of(other, style),
    };
    match heat.regime {
        Some(regime) => format!("{name} under {}", style.name(regime.as_str())),
        None => name,
    }
}

/// The case and, where it has one, the regime.
pub(super) fn case(heat: &Heat, style: Style) -> String {
    let text = label::case_of(heat.case, style);
    match heat.regime {
        Some(regime) => format!("{text} under {}", style.name(regime.as_str())),
        None => text,
    }
}

/// Which direction of a metric is good, for the title of a chart.
pub(super) fn better(polarity: Polarity) -> &'static str {
    match polarity {
        Polarity::Up => "more is better",
        Polarity::Down => "less is better",
        Polarity::Info => "for information",
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace(SPACE, " ")
    }

    #[test]
    fn a_multiple_never_hides_its_interval_nor_its_side_of_one() {
        let ratio = |centre, low, high| Ratio { centre, interval: Some(Span { low, high }) };
        assert_eq!(plain(&times(ratio(2.0, 1.6, 2.4))), "2.00 times (1.60 to 2.40)");
        assert_eq!(plain(&times(ratio(1.003, 1.001, 1.0123))), "1.003 times (1.001 to 1.01)");
        assert_eq!(plain(&times(Ratio { centre: 12.34, interval: None })), "12.3 times (no interval)");
        assert_eq!(times_in_a_column(ratio(0.842, 0.82, 0.861)), "0.84× (0.82–0.86)");
        assert_eq!(
            (multiple(1.0), multiple(1.0 + 1e-12), multiple(0.9998)),
            ("1.00".into(), "1.00".into(), "0.9998".into())
        );
        assert_eq!(multiple(0.9971), "0.997");
        assert_eq!(multiple(1_234.4), "1234");
        assert_eq!(multiple(f64::NAN), NONE);
    }

    #[test]
    fn a_span_says_a_shared_unit_once() {
        let of = |metric, low, high| plain(&span(metric, Some(Span { low, high })));
        assert_eq!(of(Metric::Rps, 18_420.0, 19_000.0), "18.4–19.0 k");
        assert_eq!(of(Metric::Rps, 980.0, 1_900.0), "980–1.90 k");
        assert_eq!(of(Metric::P99, 980.0, 1_900.0), "980 µs–1.90 ms");
        assert_eq!(span(Metric::P99, None), NONE);
    }

    #[test]
    fn lists_read_as_people_write_them() {
        let list = |items: &[&str]| listed(&items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>());
        assert_eq!((list(&[]), list(&["a"])), (String::new(), "a".to_owned()));
        assert_eq!((list(&["a", "b"]), list(&["a", "b", "c"])), ("a and b".to_owned(), "a, b and c".to_owned()));
    }
}
