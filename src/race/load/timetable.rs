//! When the requests of an open loop are intended.

/// The k-th request is intended at start + k / rate, for every k whose time lies inside the slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timetable {
    /// Nanoseconds of the generator's clock; far in the future until the window opens.
    pub(super) start: u64,
    /// Nanoseconds between two requests.
    interval: f64,
    pub(super) sent: u64,
    pub(super) total: u64,
}

impl Timetable {
    /// `rate` in requests per second, kept between one in 1,000 s and 1e9 (what is not a number becomes the slowest);
    /// `length` of the slice in nanoseconds.
    pub(super) fn new(rate: f64, length: u64) -> Self {
        let rate = if rate.is_nan() { 0.0 } else { rate };
        let interval = 1e9 / rate.clamp(1e-3, 1e9);
        Self { start: u64::MAX, interval, sent: 0, total: whole((length as f64 / interval).ceil()) }
    }

    /// When the next request is intended; `None` when all were sent.
    pub(super) fn next(&self) -> Option<u64> {
        (self.sent < self.total).then(|| self.start.saturating_add(whole(self.sent as f64 * self.interval)))
    }

    pub(super) fn unsent(&self) -> u64 {
        self.total - self.sent
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "never negative, and the cast saturates")]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_spread_evenly_over_the_slice() {
        let mut timetable = Timetable::new(5_000.0, 1_000_000_000);
        assert_eq!(timetable.total, 5_000);
        timetable.start = 7;
        assert_eq!(timetable.next(), Some(7));
        timetable.sent = 4_999;
        assert_eq!(timetable.next(), Some(999_800_007));
        timetable.sent = 5_000;
        assert_eq!(timetable.next(), None);
    }

    #[test]
    fn any_rate_gives_a_timetable() {
        for rate in [f64::NAN, 0.0, -1.0, f64::NEG_INFINITY, f64::INFINITY, 1e300] {
            let timetable = Timetable::new(rate, 1_000_000);
            assert!((1..=1_000_000).contains(&timetable.total), "{rate}");
        }
        assert_eq!(Timetable::new(1.0, 0).next(), None);
    }
}
