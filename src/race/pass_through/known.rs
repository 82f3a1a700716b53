//! The delay that slows a server down by a known share.

/// A delay whose effect is known by construction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownDelay {
    /// CPU microseconds of a request through a pass-through without delay.
    pub request_us: f64,
    /// The delay in nanoseconds.
    pub delay_ns: u64,
    /// By which share a request costs more with it: CPU per request, and on a busy CPU p50, rise by so much.
    pub slower: f64,
}

/// The delay that makes a request cost more by the share `slower`, where server and pass-through use `request_us`
/// microseconds of CPU time for one without delay; absent where that is no time.
///
/// With a delay of d they use `request_us` + d, and on a CPU that they share and keep busy so much less is answered, also
/// where other processes take a part of it: they take as much from either side.
pub fn known_delay(request_us: f64, slower: f64) -> Option<KnownDelay> {
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
        // 5 % of 50 us are 2.5 us.
        let delay = known_delay(50.0, 0.05).unwrap();
        assert_eq!((delay.request_us, delay.delay_ns), (50.0, 2_500));
        assert!((delay.slower - 0.05).abs() < 1e-12);
        // Whole nanoseconds are known more exactly than the share that was asked for.
        let delay = known_delay(0.03, 0.05).unwrap();
        assert_eq!(delay.delay_ns, 2);
        assert!((delay.slower - 2.0 / 30.0).abs() < 1e-12);
    }

    #[test]
    fn what_was_not_measured_gives_no_delay() {
        for request in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300, f64::NEG_INFINITY] {
            assert_eq!(known_delay(request, 0.05), None, "{request}");
        }
        for slower in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(known_delay(1_000.0, slower), None, "{slower}");
        }
    }
}
