//! A machine that is too busy to measure on is said to be so before time is spent on it, with what to do: by a short look
//! before the builds, and during the first minute of racing by how many pairs of slices had to be repeated.

use super::progress::Display;
use super::tracks::Tracks;
use crate::model::{MachineRecord, Results};
use crate::process::{BusyProcess, CpuReader, ProcessSurvey, Roots};
use crate::race::{Turn, TurnOutcome, Watch};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long the look before the builds takes: thirty ticks of each CPU.
const LOOK: Duration = Duration::from_millis(300);
/// A machine whose measuring CPUs are used by others for more than this is too busy: nearly every pair would be disturbed.
const TOO_BUSY: f64 = 0.15;
/// For so long after the start of the race its repeats are looked at.
const FIRST_MINUTE: Duration = Duration::from_mins(1);
/// A race repeats too much when of at least so many pairs at least this share was disturbed.
const TOO_MANY: (u32, f64) = (8, 0.5);
/// So many processes are named, each of which used at least this share.
const NAMED: (usize, f64) = (3, 0.01);

/// Looks at who else uses the CPUs that measure.
pub(super) struct BusyMachine {
    cpus: Vec<usize>,
    survey: ProcessSurvey,
    begun: Instant,
    seen: MachineRecord,
    said: Option<String>,
}

impl BusyMachine {
    /// Looks for a moment and says at once what it finds. A quick run judges nothing, and nothing is looked at.
    pub(super) fn look(tracks: &Tracks, quick: bool, display: &Display) -> Self {
        let mut found = Self::of(tracks);
        if quick {
            found.cpus.clear();
            return found;
        }
        let mut reader = CpuReader::new(&Roots::default(), &found.cpus);
        let (before, begun) = (reader.read(), Instant::now());
        std::thread::sleep(LOOK);
        let after = reader.read();
        let sum = |field: fn(&crate::process::CpuTimes) -> Option<u64>| -> u64 {
            let pairs = after.iter().zip(&before);
            pairs.filter_map(|(after, before)| Some(field(after)?.saturating_sub(field(before)?))).sum()
        };
        let all = begun.elapsed().as_nanos() as f64 * found.cpus.len() as f64;
        let (busy, stolen) = (sum(|times| times.busy) as f64 / all, sum(|times| times.stolen) as f64 / all);
        if busy + stolen > TOO_BUSY {
            let end = "pairs of slices that they disturb will be repeated";
            let text = if stolen > busy {
                steal_text(stolen, end.replace("they disturb", "this disturbs").as_str())
            } else {
                let busiest = found.busiest();
                busy_text(busy, &busiest, end)
            };
            display.say(&format!("warning: {text}"));
            found.said = Some(format!("before the builds, {text}"));
        }
        found
    }

    fn of(tracks: &Tracks) -> Self {
        // The generator's thread has one CPU; the rest of the load's CPUs are there for deadheat itself.
        let measuring: BTreeSet<usize> = tracks
            .tracks
            .iter()
            .flat_map(|track| track.server_cpus.iter().chain(track.load_cpus.first()))
            .copied()
            .collect();
        Self {
            cpus: measuring.into_iter().collect(),
            survey: ProcessSurvey::take(&Roots::default()),
            begun: Instant::now(),
            seen: MachineRecord::default(),
            said: None,
        }
    }

    /// What the look found, for the results.
    pub(super) fn warning(&self) -> Option<String> {
        self.said.clone()
    }

    /// Goes on looking while a race is shown on `display`.
    pub(super) fn beside(mut self, display: &mut Display) -> FirstMinute<'_> {
        if !self.cpus.is_empty() {
            self.survey = ProcessSurvey::take(&Roots::default());
        }
        self.begun = Instant::now();
        FirstMinute { machine: self, display }
    }

    /// Who was busy on the measuring CPUs since the last survey, each with its share of them.
    fn busiest(&self) -> Vec<(String, f64)> {
        let now = ProcessSurvey::take(&Roots::default());
        let all = self.begun.elapsed().as_secs_f64() * 1e3 * self.cpus.len() as f64;
        let busiest = now.busiest_since(&self.survey, std::process::id(), &self.cpus);
        busiest.into_iter().map(|BusyProcess { name, used_ms }| (name, used_ms as f64 / all)).collect()
    }

    /// What is to be said after a turn, if anything is; once.
    fn after_turn(&mut self, machine: &MachineRecord) -> Option<String> {
        self.seen.add(machine);
        if self.said.is_some() || !repeats_too_much(&self.seen) {
            return None;
        }
        let share = |seconds: f64| self.seen.share(seconds).unwrap_or(0.0);
        let (foreign, stolen) = (share(self.seen.foreign_s), share(self.seen.steal_s));
        let end = "most pairs of slices are repeated";
        let text = if stolen > foreign {
            steal_text(stolen, end)
        } else {
            let busiest = self.busiest();
            // Processes that are over are missing from the survey, and what nobody waited for from the other.
            let used: f64 = busiest.iter().map(|(_, share)| share).sum();
            busy_text(foreign.max(used), &busiest, end)
        };
        self.said = Some(text.clone());
        Some(text)
    }
}

fn repeats_too_much(seen: &MachineRecord) -> bool {
    seen.measured() >= TOO_MANY.0 && seen.disturbed_share() >= TOO_MANY.1
}

fn percent(share: f64) -> String {
    format!("{:.0} %", (share * 100.0).min(100.0))
}

fn busy_text(share: f64, busiest: &[(String, f64)], end: &str) -> String {
    let named: Vec<String> = busiest
        .iter()
        .filter(|(name, share)| *share >= NAMED.1 && !name.trim().is_empty())
        .take(NAMED.0)
        .map(|(name, share)| format!("{name} {}", percent(*share)))
        .collect();
    let most = if named.is_empty() { String::new() } else { format!(" (most: {})", named.join(", ")) };
    format!(
        "other processes use {} of the measuring CPUs{most}, so that {end}: end them, choose other CPUs with server_cpus and \
         load_cpus, or use a machine of its own",
        percent(share)
    )
}

fn steal_text(share: f64, end: &str) -> String {
    format!(
        "the hypervisor gives {} of the measuring CPUs to other machines, so that {end}: use another size of runner, or a \
         dedicated machine",
        percent(share)
    )
}

/// Shows a race and looks at its repeats for a minute.
pub(super) struct FirstMinute<'d> {
    machine: BusyMachine,
    display: &'d mut Display,
}

impl Watch for FirstMinute<'_> {
    fn turn(&mut self, turn: &Turn, of_rounds: u32, left: Duration) {
        self.display.turn(turn, of_rounds, left);
    }

    fn taken(&mut self, outcome: &TurnOutcome, begun: Duration) -> Option<String> {
        if self.machine.cpus.is_empty() || begun >= FIRST_MINUTE {
            return None;
        }
        let text = self.machine.after_turn(outcome.machine.as_ref()?)?;
        self.display.say(&format!("warning: {text}"));
        Some(text)
    }

    fn round(&mut self, results: &Results, left: Duration) {
        self.display.round(results, left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(cpus: Vec<usize>) -> BusyMachine {
        let (survey, begun, seen) = (ProcessSurvey::default(), Instant::now(), MachineRecord::default());
        BusyMachine { cpus, survey, begun, seen, said: None }
    }

    fn turn(repeated: u32, disturbed: u32) -> MachineRecord {
        MachineRecord { slice_pairs: 16, repeated, disturbed, watched_s: 4.0, foreign_s: 1.0, ..Default::default() }
    }

    #[test]
    fn who_is_busy_is_named_with_what_to_do() {
        let busiest =
            [("chromium", 0.3), ("cargo", 0.12), ("kworker/0:1", 0.004)].map(|(name, share)| (name.to_owned(), share));
        assert_eq!(
            busy_text(0.431, &busiest, "most pairs of slices are repeated"),
            "other processes use 43 % of the measuring CPUs (most: chromium 30 %, cargo 12 %), so that most pairs of slices \
             are repeated: end them, choose other CPUs with server_cpus and load_cpus, or use a machine of its own"
        );
        assert!(busy_text(0.2, &[], "x").starts_with("other processes use 20 % of the measuring CPUs, so that x: "));
        assert_eq!(
            steal_text(0.12, "most pairs of slices are repeated"),
            "the hypervisor gives 12 % of the measuring CPUs to other machines, so that most pairs of slices are repeated: use \
             another size of runner, or a dedicated machine"
        );
    }

    #[test]
    fn a_race_that_repeats_most_is_said_to_once() {
        let mut machine = machine(vec![0]);
        assert_eq!(machine.after_turn(&turn(5, 0)), None);
        assert_eq!(machine.after_turn(&turn(5, 1)), None);
        let said = machine.after_turn(&turn(16, 16)).unwrap();
        assert!(
            said.starts_with("other processes use ") && said.contains("most pairs of slices are repeated"),
            "{said}"
        );
        assert_eq!(machine.after_turn(&turn(16, 16)), None);
        assert_eq!(machine.warning(), Some(said));
    }

    #[test]
    fn stolen_time_has_its_own_sentence() {
        let stolen = MachineRecord { steal_s: 2.0, ..turn(16, 16) };
        let said = machine(vec![0]).after_turn(&stolen).unwrap();
        assert!(said.starts_with("the hypervisor gives 50 % "), "{said}");
    }

    #[test]
    fn a_few_pairs_prove_nothing() {
        let few = MachineRecord { slice_pairs: 4, repeated: 3, disturbed: 4, ..turn(0, 0) };
        assert!(!repeats_too_much(&few) && !repeats_too_much(&MachineRecord::default()));
    }
}
