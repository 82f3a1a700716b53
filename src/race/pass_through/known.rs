//! The delay that slows a server down by a known share.

/// A delay whose effect is known by construction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownDelay {
    /// Microseconds of the servers' CPU that a request takes through a pass-through without delay.
    pub request_us: f64,
    /// The delay in nanoseconds.
    pub delay_ns: u64,
    /// By which share a request takes longer with it: p50 and CPU per request rise by so much.
    pub slower: f64,
}

impl KnownDelay {
    /// By which share requests per second change: below zero.
    pub fn rps_change(&self) -> f64 {
        -self.slower / (1.0 + self.slower)
    }
}

/// The delay that makes a request take longer by the share `slower`, where `rps` requests a second go through a
/// pass-through without delay on the one CPU that it shares with the server; absent where nothing went through.
///
/// A CPU that is always busy serves 1 / rps seconds per request, whatever part of that is the server's, the kernel's or
/// the pass-through's own. With a delay of d it is 1 / rps + d.
pub fn known_delay(rps: f64, slower: f64) -> Option<KnownDelay> {
    let request_us = 1e6 / rps;
    let delay_ns = (request_us * 1e3 * slower).round();
    // A delay of an hour is as wrong as none.
    if !(1.0..3.6e12).contains(&delay_ns) {
        return None;
    }
    // Whole nanoseconds: what was rounded away is no part of what is known.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between the limits above")]
    let whole = delay_ns as u64;
    Some(KnownDelay { request_us, delay_ns: whole, slower: delay_ns / (request_us * 1e3) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_time_that_a_request_takes() {
        // 20,000 a second are 50 us each; 5 % of that are 2.5 us, and 1 / 1.05 of the requests are left.
        let delay = known_delay(20_000.0, 0.05).unwrap();
        assert_eq!((delay.request_us, delay.delay_ns), (50.0, 2_500));
        assert!((delay.slower - 0.05).abs() < 1e-12);
        assert!((delay.rps_change() + 0.047_619_047_6).abs() < 1e-9);
        // 1 / 1.5 is two thirds.
        assert!((known_delay(1_000.0, 0.5).unwrap().rps_change() + 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_not_measured_gives_no_delay() {
        for rps in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, f64::NEG_INFINITY] {
            assert_eq!(known_delay(rps, 0.05), None, "{rps}");
        }
        for slower in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(known_delay(1_000.0, slower), None, "{slower}");
        }
    }
}
