//! The exact sign test.

/// Two-sided p of `successes` against `failures` under even chances; 1 where there are none.
///
/// Meant for at most a few hundred trials: past 1,000 the probabilities of single outcomes underflow.
pub fn sign_test(successes: u32, failures: u32) -> f64 {
    let trials = f64::from(successes) + f64::from(failures);
    let mut term = 0.5_f64.powf(trials);
    let mut tail = 0.0;
    for outcome in 0..=successes.min(failures) {
        tail += term;
        term *= (trials - f64::from(outcome)) / (f64::from(outcome) + 1.0);
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_tails() {
        for (successes, failures, p) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (0, 7, 2.0 / 128.0),
            (8, 0, 2.0 / 256.0),
            (1, 9, 22.0 / 1024.0),
            (10, 1, 24.0 / 2048.0),
            (5, 5, 1.0),
        ] {
            assert!((sign_test(successes, failures) - p).abs() < 1e-12, "{successes} {failures}");
        }
    }
}
