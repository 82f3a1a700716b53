//! What the machine did besides, while it measured: one fact, and a caution where it was much.

use super::cells::Run;
use super::number;
use crate::model::MachineRecord;

/// From here on a reader is warned: the share of measured pairs that were repeated, and the share of counted pairs that
/// count though they were disturbed. A repeat mends what it was for; a virtual machine whose own agent wakes up once a
/// second repeats an eighth of its pairs, and that is no news in every comment.
const MANY_REPEATED: f64 = 0.25;
const SOME_DISTURBED: f64 = 0.02;
/// A CPU quota that held the run for a larger share of the watched time is worth a word.
const HELD: f64 = 0.01;

/// How the pairs of slices fared and who was at work beside the race; nothing where that was not watched.
pub(super) fn fact(run: &Run) -> Option<String> {
    let machine = run.results.machine.filter(|machine| machine.measured() > 0)?;
    let pairs = |count: u32, one: &str, many: &str| number::count(count as usize, one, many);
    let mut parts = vec![format!(
        "{}, {} measured again because the machine was disturbed, {} though it was",
        pairs(machine.slice_pairs, "pair of slices counts", "pairs of slices count"),
        pairs(machine.repeated, "was", "were"),
        pairs(machine.disturbed, "counts", "count"),
    )];
    if let (Some(foreign), Some(steal)) = (percent(&machine, machine.foreign_s), percent(&machine, machine.steal_s)) {
        parts.push(format!(
            "of the measuring CPUs' time other processes took {foreign} from the servers and the load generator, and the hypervisor {steal}"
        ));
    }
    if let Some(pressure) = machine.pressure_s {
        parts.push(format!("some process waited for a CPU for {}", number::duration(pressure)));
    }
    if let Some(throttles) = machine.thermal_throttles {
        let times = usize::try_from(throttles).unwrap_or(usize::MAX);
        parts.push(format!("heat slowed a CPU {}", number::count(times, "time", "times")));
    }
    if let Some(held) = machine.quota_throttled_s.filter(|held| *held > 0.0) {
        parts.push(format!("a CPU quota held the run for {}", number::duration(held)));
    }
    Some(parts.join("; "))
}

fn percent(machine: &MachineRecord, seconds: f64) -> Option<String> {
    machine.share(seconds).map(|share| number::percent(share * 100.0))
}

/// What changes how much the rest can prove.
pub(super) fn caution(run: &Run) -> Option<String> {
    let machine = run.results.machine.filter(|machine| machine.measured() > 0)?;
    let share = |count: u32, of: u32| f64::from(count) / f64::from(of.max(1));
    let repeated = share(machine.repeated, machine.measured());
    let disturbed = share(machine.disturbed, machine.slice_pairs);
    let held = machine.share(machine.quota_throttled_s.unwrap_or(0.0)).filter(|share| *share > HELD);
    if repeated <= MANY_REPEATED && disturbed <= SOME_DISTURBED {
        let held = number::percent(held? * 100.0);
        return Some(format!("A CPU quota held the run for {held} of its time, which makes the rounds noisier."));
    }
    let whole = |share: f64| match share * 100.0 {
        percent if percent < 1.0 => format!("under {}", number::percent(1.0)),
        percent => number::percent(percent.round()),
    };
    let counted = if machine.disturbed > 0 {
        format!(", and {} of those that count were disturbed all the same", whole(disturbed))
    } else {
        String::new()
    };
    let who = if machine.steal_s > machine.foreign_s {
        "The hypervisor gave CPU time to others"
    } else {
        "Other processes were at work on the measuring CPUs"
    };
    Some(format!(
        "{who}: {} of the measured pairs of slices were thrown away and measured again{counted}. That makes the rounds noisier \
         and the race longer; a quiet machine proves more.",
        whole(repeated)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::verdict::judge;

    fn texts(machine: Option<MachineRecord>) -> (Option<String>, Option<String>) {
        let mut results = sample::unchanged();
        results.machine = machine;
        let verdict = judge(&results);
        let run = Run::new(&results, &verdict);
        let plain = |text: Option<String>| text.map(|text| text.replace('\u{a0}', " "));
        (plain(fact(&run)), plain(caution(&run)))
    }

    const QUIET: MachineRecord = MachineRecord {
        slice_pairs: 1920,
        repeated: 4,
        disturbed: 0,
        watched_s: 480.0,
        steal_s: 0.0,
        foreign_s: 0.48,
        pressure_s: None,
        thermal_throttles: None,
        quota_throttled_s: None,
    };

    #[test]
    fn a_quiet_machine_has_a_fact_and_no_caution() {
        let (fact, caution) = texts(Some(QUIET));
        assert_eq!(
            fact.unwrap(),
            "1,920 pairs of slices count, 4 were measured again because the machine was disturbed, 0 count though it was; of the \
             measuring CPUs' time other processes took 0.1 % from the servers and the load generator, and the hypervisor 0 %"
        );
        assert_eq!(caution, None);
        assert_eq!(texts(None), (None, None));
        assert_eq!(texts(Some(MachineRecord::default())), (None, None));
    }

    #[test]
    fn everything_that_is_known_is_said() {
        let known = MachineRecord {
            slice_pairs: 1,
            repeated: 1,
            disturbed: 1,
            pressure_s: Some(12.3),
            thermal_throttles: Some(1),
            quota_throttled_s: Some(0.5),
            ..QUIET
        };
        let fact = texts(Some(known)).0.unwrap();
        assert!(
            fact.starts_with(
                "1 pair of slices counts, 1 was measured again because the machine was disturbed, 1 counts though"
            ),
            "{fact}"
        );
        let end =
            "some process waited for a CPU for 12 s; heat slowed a CPU 1 time; a CPU quota held the run for 0.5 s";
        assert!(fact.ends_with(end), "{fact}");
    }

    #[test]
    fn many_repeats_are_a_caution() {
        let busy = MachineRecord { repeated: 480, disturbed: 96, foreign_s: 60.0, ..QUIET };
        let caution = |machine| texts(Some(machine)).1;
        assert_eq!(
            caution(busy).unwrap(),
            "Other processes were at work on the measuring CPUs: 20 % of the measured pairs of slices were thrown away and \
             measured again, and 5 % of those that count were disturbed all the same. That makes the rounds noisier and the \
             race longer; a quiet machine proves more."
        );
        let stolen = caution(MachineRecord { repeated: 960, disturbed: 0, steal_s: 70.0, ..busy }).unwrap();
        assert!(stolen.starts_with("The hypervisor gave CPU time to others: 33 % of the"), "{stolen}");
        assert!(stolen.contains("measured again. That"), "{stolen}");
        let seldom = caution(MachineRecord { repeated: 1, disturbed: 96, ..QUIET }).unwrap();
        assert!(seldom.contains("under 1 % of the measured pairs"), "{seldom}");
        // A quarter repeated, and a fiftieth disturbed, are no more than can be.
        assert_eq!(caution(MachineRecord { slice_pairs: 900, repeated: 300, disturbed: 18, ..QUIET }), None);
        let held = caution(MachineRecord { quota_throttled_s: Some(24.0), ..QUIET }).unwrap();
        assert_eq!(held, "A CPU quota held the run for 5 % of its time, which makes the rounds noisier.");
    }

    #[test]
    fn odd_figures_are_no_text() {
        for figure in [f64::NAN, f64::INFINITY, -1.0, f64::MAX] {
            let odd = MachineRecord {
                watched_s: figure,
                foreign_s: figure,
                steal_s: figure,
                quota_throttled_s: Some(figure),
                pressure_s: Some(figure),
                repeated: u32::MAX,
                ..QUIET
            };
            let (fact, caution) = texts(Some(odd));
            let all = format!("{fact:?}{caution:?}").to_lowercase();
            assert!(!all.contains("nan") && !all.contains("inf"), "{all}");
        }
    }
}
