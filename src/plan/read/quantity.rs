//! Quantities as people write them: durations, percentages, rates, lists of CPUs. The command line reads them too.

use crate::plan::CpuChoice;
use std::collections::BTreeSet;
use std::time::Duration;

/// The highest logical CPU that Linux can be built for.
const HIGHEST_CPU: usize = 8191;

/// Reads `12m`, `500ms`, `1h30m`: whole numbers with h, m, s or ms, each unit at most once, larger ones first.
///
/// # Errors
/// What is wrong and what would be right, as a lowercase fragment.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    const RULE: &str = "write whole numbers with h, m, s or ms, such as \"500ms\", \"12m\" or \"1h30m\"";
    const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];
    let mut rest = text;
    let mut total: u64 = 0;
    let mut next_unit = 0;
    while !rest.is_empty() || next_unit == 0 {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let unit_end = rest[digits..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |end| digits + end);
        let number: u64 = rest[..digits].parse().map_err(|_| RULE.to_owned())?;
        let unit = &rest[digits..unit_end];
        let found = UNITS.iter().skip(next_unit).position(|(name, _)| *name == unit).ok_or_else(|| RULE.to_owned())?;
        let milliseconds = number.checked_mul(UNITS[next_unit + found].1);
        total = milliseconds
            .and_then(|milliseconds| total.checked_add(milliseconds))
            .ok_or_else(|| "write a shorter duration".to_owned())?;
        next_unit += found + 1;
        rest = &rest[unit_end..];
    }
    Ok(Duration::from_millis(total))
}

/// Reads `1%` or `0.5%` as a share: 0.01, 0.005. More than zero and at most 100 %.
///
/// # Errors
/// What would be right, as a lowercase fragment.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let rule = || "write a percentage above 0% and up to 100%, such as \"1%\" or \"0.5%\"".to_owned();
    let number = text.strip_suffix('%').ok_or_else(rule)?;
    let percent = plain_decimal(number).ok_or_else(rule)?;
    if percent > 0.0 && percent <= 100.0 { Ok(percent / 100.0) } else { Err(rule()) }
}

/// Reads `5000/s` as requests per second. More than zero and at most ten million.
///
/// # Errors
/// What would be right, as a lowercase fragment.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let rule = || "write requests per second above 0/s and up to 10000000/s, such as \"5000/s\"".to_owned();
    let number = text.strip_suffix("/s").ok_or_else(rule)?;
    let rate = plain_decimal(number).ok_or_else(rule)?;
    if rate > 0.0 && rate <= 1e7 { Ok(rate) } else { Err(rule()) }
}

/// Reads `auto`, or a list of logical CPUs such as `0` or `0,2-3`.
///
/// # Errors
/// What is wrong and what would be right, as a lowercase fragment.
pub fn parse_cpus(text: &str) -> Result<CpuChoice, String> {
    const RULE: &str = "write \"auto\", or a list of CPUs such as \"0\" or \"0,2-3\"";
    let number = |text: &str| -> Result<usize, String> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let cpu = text.parse().ok().filter(|_| digits).ok_or_else(|| RULE.to_owned())?;
        if cpu > HIGHEST_CPU { Err(format!("CPUs end at {HIGHEST_CPU}")) } else { Ok(cpu) }
    };
    if text == "auto" {
        return Ok(CpuChoice::Auto);
    }
    let mut cpus = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first.trim())?, number(last.trim())?);
        if first > last {
            return Err(format!("the range runs backwards: write {last}-{first}"));
        }
        for cpu in first..=last {
            if !cpus.insert(cpu) {
                return Err(format!("CPU {cpu} is listed twice"));
            }
        }
    }
    Ok(CpuChoice::List(cpus.into_iter().collect()))
}

/// Digits with at most one point: no sign, exponent, `inf` or `nan`.
fn plain_decimal(text: &str) -> Option<f64> {
    let plain = text.starts_with(|c: char| c.is_ascii_digit()) && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

/// A duration above zero and of at most a day.
pub(super) fn positive_duration(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        Duration::ZERO => Err("write more than zero".to_owned()),
        duration if duration > Duration::from_hours(24) => Err("write at most \"24h\"".to_owned()),
        duration => Ok(duration),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, milliseconds) in [
            ("12m", 720_000),
            ("500ms", 500),
            ("1h30m", 5_400_000),
            ("0s", 0),
            ("1m1ms", 60_001),
            ("1h2m3s4ms", 3_723_004),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in [
            "",
            "1",
            "m",
            "1.5s",
            "-1s",
            "1 s",
            "30m1h",
            "1m1m",
            "1d",
            "1M",
            "99999999999999999999s",
            "9999999999999999h",
            "ü",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn percentages_and_rates() {
        assert_eq!(parse_percent("1%"), Ok(0.01));
        assert_eq!(parse_percent("0.5%"), Ok(0.005));
        assert_eq!(parse_percent("100%"), Ok(1.0));
        for text in ["", "1", "%", "0%", "-1%", "101%", "1e1%", "inf%", "nan%", "1 %", ".5%", "1.2.3%"] {
            assert!(parse_percent(text).is_err(), "{text}");
        }
        assert_eq!(parse_rate("5000/s"), Ok(5000.0));
        assert_eq!(parse_rate("0.5/s"), Ok(0.5));
        for text in ["", "5000", "0/s", "-1/s", "1/m", "10000001/s", "inf/s"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lists_of_cpus() {
        assert_eq!(parse_cpus("auto"), Ok(CpuChoice::Auto));
        assert_eq!(parse_cpus("0"), Ok(CpuChoice::List(vec![0])));
        assert_eq!(parse_cpus("4, 0,2-3"), Ok(CpuChoice::List(vec![0, 2, 3, 4])));
        for text in ["", "a", "0,", "0-", "-1", "3-2", "0,0-1", "+1", "0-1-2", "8192", "0-99999999999", "AUTO"] {
            assert!(parse_cpus(text).is_err(), "{text}");
        }
    }
}
