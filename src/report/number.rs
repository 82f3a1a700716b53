//! Numbers as people read them: three significant digits, an adaptive unit, signed percentages.
//!
//! A value and its unit are joined by a no-break space, so that a table never wraps between them. Figures that are no
//! numbers (NaN, infinities) are written as a dash, never as a number.

use crate::model::{Metric, Unit};

/// Between a value and its unit.
pub(super) const SPACE: char = '\u{a0}';
/// A minus sign as wide as a plus.
const MINUS: char = '\u{2212}';
/// Stands where there is no figure.
pub(super) const NONE: &str = "\u{2013}";
const MEBI: f64 = 1024.0 * 1024.0;

/// `value` with three significant digits and no exponent: `9.90`, `48.2`, `512`, `98304`.
fn three_digits(value: f64) -> String {
    let magnitude = value.abs();
    // Each limit is where rounding would give a fourth digit.
    let decimals = [9.995, 99.95].iter().filter(|limit| magnitude < **limit).count();
    let text = format!("{magnitude:.decimals$}");
    let zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    if zero {
        "0".to_owned()
    } else if value < 0.0 {
        format!("{MINUS}{text}")
    } else {
        text
    }
}

/// Chooses the first step whose rounded value stays below the next step.
fn scaled(value: f64, steps: &[(f64, &str)]) -> String {
    let mut chosen = (1.0, "");
    for (index, &(size, unit)) in steps.iter().enumerate() {
        // 999.5 of a step rounds to 1000 and belongs to the next.
        if index == 0 || value.abs() >= size * 0.9995 {
            chosen = (size, unit);
        }
    }
    let number = three_digits(value / chosen.0);
    if chosen.1.is_empty() { number } else { format!("{number}{SPACE}{}", chosen.1) }
}

/// A metric's value in a column that already names the metric: `18.4 k` for requests per second, `412 µs`, `48.2 MiB`.
pub fn value(metric: Metric, value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    match metric.unit() {
        Unit::PerSecond | Unit::Count => scaled(value, &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")]),
        Unit::Microseconds => scaled(value, &[(1.0, "µs"), (1e3, "ms"), (1e6, "s")]),
        Unit::Milliseconds => scaled(value, &[(1.0, "ms"), (1e3, "s")]),
        Unit::Seconds => scaled(value, &[(1.0, "s")]),
        Unit::Bytes if metric == Metric::OutputSize && value < 1024.0 => format!("{value:.0}{SPACE}B"),
        Unit::Bytes if metric == Metric::OutputSize => {
            scaled(value, &[(1024.0, "KiB"), (MEBI, "MiB"), (1024.0 * MEBI, "GiB")])
        }
        Unit::Bytes => scaled(value / MEBI, &[(1.0, "MiB"), (1024.0, "GiB"), (MEBI, "TiB")]),
        Unit::BytesPerSecond => scaled(value / MEBI, &[(1.0, "MiB/s"), (1024.0, "GiB/s"), (MEBI, "TiB/s")]),
        Unit::Share => percent(value * 100.0),
    }
}

/// The same in a sentence: `18.4 k req/s`.
pub(super) fn value_in_words(metric: Metric, amount: f64) -> String {
    let text = value(metric, amount);
    match metric.unit() {
        Unit::PerSecond if amount.is_finite() && metric == Metric::Rps => format!("{text}{SPACE}req/s"),
        Unit::PerSecond if amount.is_finite() => format!("{text}{SPACE}per{SPACE}second"),
        _ => text,
    }
}

/// A log-ratio as a percentage: e^x - 1, times 100.
pub(super) fn log_to_percent(log: f64) -> f64 {
    let percent = log.exp_m1() * 100.0;
    // So that -0 is never stored or shown.
    if percent == 0.0 { 0.0 } else { percent }
}

/// The digits of a percentage without sign and unit: one decimal, none from 100 on, and no trailing `.0`.
fn percent_digits(percent: f64) -> String {
    let magnitude = percent.abs();
    if magnitude >= 1e6 {
        return "over\u{a0}1,000,000".to_owned();
    }
    let text = if magnitude < 99.95 { format!("{magnitude:.1}") } else { format!("{magnitude:.0}") };
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A percentage without a plus sign: `3 %`, `0.5 %`.
pub fn percent(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let digits = percent_digits(value);
    let sign = if value < 0.0 && digits != "0" { MINUS.to_string() } else { String::new() };
    format!("{sign}{digits}{SPACE}%")
}

/// A chance or the like in percent, which may be small and is then not rounded to nothing: `0.18 %`, `0.0034 %`.
pub fn small_percent(value: f64) -> String {
    if !(1e-9..1.0).contains(&value) {
        return percent(value);
    }
    let mut decimals = 1;
    while decimals < 11 && value * 10_f64.powi(decimals - 1) < 0.995 {
        decimals += 1;
    }
    let decimals = usize::try_from(decimals).unwrap_or(1);
    let text = format!("{value:.decimals$}");
    format!("{}{SPACE}%", text.trim_end_matches('0').trim_end_matches('.'))
}

fn signed_digits(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let digits = percent_digits(value);
    match digits.as_str() {
        "0" => digits,
        _ if value < 0.0 => format!("{MINUS}{digits}"),
        _ => format!("+{digits}"),
    }
}

/// A difference with its sign: `+9 %`, `−9.8 %`, `0 %`.
pub fn signed_percent(value: f64) -> String {
    if value.is_finite() { format!("{}{SPACE}%", signed_digits(value)) } else { NONE.to_owned() }
}

/// An interval: `−11.2 to −8.4 %`. It may break before its second figure, for narrow columns.
pub(super) fn percent_interval(low: f64, high: f64) -> String {
    if low.is_finite() && high.is_finite() {
        format!("{}{SPACE}to {}{SPACE}%", signed_digits(low), signed_digits(high))
    } else {
        NONE.to_owned()
    }
}

/// A noise threshold: `±1.4 %`.
pub(super) fn plus_minus(value: f64) -> String {
    if value.is_finite() { format!("±{}", percent(value.abs())) } else { NONE.to_owned() }
}

/// A time in seconds: `45 s`, `12 min 5 s`, `2 h 3 min`.
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return NONE.to_owned();
    }
    if seconds < 9.95 {
        return format!("{seconds:.1}{SPACE}s").replace(".0", "");
    }
    let whole = seconds.round();
    if whole < 60.0 {
        format!("{whole:.0}{SPACE}s")
    } else if whole < 3600.0 {
        format!("{:.0}{SPACE}min{SPACE}{:.0}{SPACE}s", (whole / 60.0).floor(), whole % 60.0)
            .replace("min\u{a0}0\u{a0}s", "min")
    } else {
        format!("{:.0}{SPACE}h{SPACE}{:.0}{SPACE}min", (whole / 3600.0).floor(), (whole % 3600.0 / 60.0).floor())
    }
}

/// A count with its noun: `1 round`, `12 rounds`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{}{SPACE}{}", grouped(number), if number == 1 { one } else { many })
}

/// Digits in groups of three: `15,000`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(text: &str) -> String {
        text.replace(SPACE, " ").replace(MINUS, "-")
    }

    #[test]
    fn values_have_three_digits_and_a_fitting_unit() {
        let table = [
            (Metric::Rps, 18_420.0, "18.4 k"),
            (Metric::Rps, 984.4, "984"),
            (Metric::Rps, 999.6, "1.00 k"),
            (Metric::Rps, 6_018.0, "6.02 k"),
            (Metric::Rps, 192_000.0, "192 k"),
            (Metric::Rps, 2_531_000.0, "2.53 M"),
            (Metric::Rps, 0.0, "0"),
            (Metric::P50, 412.3, "412 µs"),
            (Metric::P50, 1_240.0, "1.24 ms"),
            (Metric::P99, 90_000.0, "90.0 ms"),
            (Metric::P99, 1.5e6, "1.50 s"),
            (Metric::CpuPerRequest, 5.04, "5.04 µs"),
            (Metric::ColdStart, 42.0, "42.0 ms"),
            (Metric::ColdStart, 1_613.0, "1.61 s"),
            (Metric::IdleMemory, 43.6 * MEBI, "43.6 MiB"),
            (Metric::IdleMemory, 4096.0, "0 MiB"),
            (Metric::LoadedMemory, 2.0 * 1024.0 * MEBI, "2.00 GiB"),
            (Metric::BytesPerSecond, 3.5 * MEBI, "3.50 MiB/s"),
            (Metric::LayerCost, 0.231, "23.1 %"),
            (Metric::LayerCost, -0.004, "-0.4 %"),
            (Metric::Rps, f64::NAN, "–"),
            (Metric::P50, f64::INFINITY, "–"),
        ];
        for (metric, number, text) in table {
            assert_eq!(plain(&value(metric, number)), text, "{metric} {number}");
        }
        assert_eq!(plain(&value_in_words(Metric::Rps, 18_420.0)), "18.4 k req/s");
    }

    #[test]
    fn a_small_chance_is_not_rounded_to_nothing() {
        let table = [
            (0.0, "0 %"),
            (0.184, "0.18 %"),
            (0.5, "0.5 %"),
            (0.0034, "0.0034 %"),
            (0.997, "1 %"),
            (3.25, "3.2 %"),
            (1e-12, "0 %"),
            (f64::NAN, "–"),
        ];
        for (number, text) in table {
            assert_eq!(plain(&small_percent(number)), text, "{number}");
        }
    }

    #[test]
    fn percentages_have_one_decimal_and_no_negative_zero() {
        let table = [
            (0.0, "0 %"),
            (-0.0, "0 %"),
            (-0.04, "0 %"),
            (-0.06, "-0.1 %"),
            (9.0, "+9 %"),
            (-9.84, "-9.8 %"),
            (99.94, "+99.9 %"),
            (99.96, "+100 %"),
            (1234.5, "+1234 %"),
            (1e300, "+over 1,000,000 %"),
            (f64::NAN, "–"),
            (f64::NEG_INFINITY, "–"),
        ];
        for (number, text) in table {
            assert_eq!(plain(&signed_percent(number)), text, "{number}");
        }
        assert_eq!(plain(&percent_interval(-11.23, -0.01)), "-11.2 to 0 %");
        assert_eq!(plain(&plus_minus(1.43)), "±1.4 %");
        // e^.0953102 - 1 = .1
        assert_eq!(plain(&signed_percent(log_to_percent(0.095_310_2))), "+10 %");
        assert!(log_to_percent(-0.0).is_sign_positive());
    }

    #[test]
    fn durations_counts_and_groups() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (4.25, "4.2 s"),
            (45.4, "45 s"),
            (725.0, "12 min 5 s"),
            (720.0, "12 min"),
            (7_400.0, "2 h 3 min"),
        ] {
            assert_eq!(plain(&duration(seconds)), text);
        }
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(100), "100");
        assert_eq!(plain(&count(1, "round", "rounds")), "1 round");
    }

    proptest! {
        #[test]
        fn any_float_gives_a_short_text(bits: u64) {
            let number = f64::from_bits(bits);
            for metric in Metric::ALL {
                let text = value(metric, number);
                prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
            }
            for text in [signed_percent(number), percent_interval(number, -number), plus_minus(number), duration(number)] {
                prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
            }
            prop_assert!(signed_percent(number).chars().count() < 24);
        }
    }
}
