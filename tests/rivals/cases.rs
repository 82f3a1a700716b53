//! Rounds that are made up: every size, effect and kind of noise that the rules treat differently, always the same ones.

/// The values of both sides.
pub(crate) type Case = (Vec<f64>, Vec<f64>);

/// Fixed numbers without a pattern (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `end`.
    fn below(&mut self, end: u64) -> usize {
        usize::try_from(self.next() % end).unwrap()
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap()) / f64::from(u32::MAX)
    }

    /// Nearly Gaussian: mean 0, standard deviation 1.
    fn noise(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

/// 600 cases, from one value a side to 26, ties and values that don't scatter among them.
pub(crate) fn cases() -> Vec<Case> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    (0..600).map(|_| case(&mut numbers)).collect()
}

fn case(numbers: &mut Numbers) -> Case {
    const EFFECTS: [f64; 11] = [0.7, 0.88, 0.905, 0.94, 0.97, 1.0, 1.04, 1.06, 1.09, 1.12, 1.4];
    const NOISE: [f64; 6] = [0.0, 0.001, 0.01, 0.03, 0.08, 0.2];
    // Whole numbers, tens and fifties tie; so do the medians of most of them.
    const GRID: [f64; 4] = [1e-9, 1.0, 10.0, 50.0];
    let effect = EFFECTS[numbers.below(11)];
    let noise = NOISE[numbers.below(6)];
    let grid = GRID[numbers.below(4)];
    let equal = numbers.below(3) > 0;
    let first = if numbers.below(2) == 0 { 1 + numbers.below(8) } else { 1 + numbers.below(26) };
    let second = if equal { first } else { 1 + numbers.below(26) };
    let mut side = |count: usize, level: f64| -> Vec<f64> {
        let value = |_| ((level * (1.0 + noise * numbers.noise())).max(50.0) / grid).round() * grid;
        (0..count).map(value).collect()
    };
    let base = side(first, 1000.0);
    let head = side(second, 1000.0 * effect);
    (base, head)
}
