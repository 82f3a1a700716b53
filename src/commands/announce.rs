//! What a run says of itself: its plan and what the budget holds before it is spent, its standing, how time was spent.

use super::field::Field;
use super::prepare::Grid;
use super::progress::minutes;
use crate::model::{Lineup, Results};
use crate::plan::{LanePlan, Protocol};
use crate::race::LaneCost;
use crate::verdict::judge;
use std::time::Duration;

/// Rounds that a change needs at least, and rounds after which a cell can be called the same.
const ROUNDS_FOR: (f64, f64) = (12.0, 8.0);

/// Who is raced and what the budget holds, before it is spent.
pub(super) fn plan_text(grid: &Grid, field: &Field, protocol: &Protocol, http: bool) -> String {
    let cost = LaneCost::new(protocol, &grid.configuration.scenarios, http, field.run_times.clone());
    let mut lines = Vec::new();
    let named = |wanted: Lineup| -> Vec<String> {
        let plans = field.lanes.iter().filter(|plan| plan.lineup == wanted);
        plans.map(|plan| plan.lane.to_string()).collect()
    };
    for (what, wanted) in [
        ("base against head", Lineup::Paired),
        ("control", Lineup::Control),
        ("head alone, for the standings", Lineup::OneSided),
        ("not raced", Lineup::Absent),
    ] {
        let names = named(wanted);
        if !names.is_empty() {
            lines.push(format!("{what}: {}", names.join(", ")));
        }
    }
    lines.push(budget_text(&cost, &field.lanes, protocol));
    lines.join("\n")
}

fn budget_text(cost: &LaneCost, lanes: &[LanePlan], protocol: &Protocol) -> String {
    let round = cost.round_s(lanes);
    let aside = 3.0 * cost.one_sided_round_s(lanes).min(protocol.budget.as_secs_f64() * 0.2 / 3.0);
    let paired = lanes.iter().any(|plan| plan.lineup == Lineup::Paired);
    if round <= 0.0 {
        return "there is nothing to race".to_owned();
    }
    let holds = ((protocol.budget.as_secs_f64() - aside) / round).floor().max(0.0);
    let most = f64::from(if paired { protocol.rounds_max } else { protocol.rounds_min });
    let budget = minutes(protocol.budget);
    let each = format!("about {round:.1} s each");
    if !paired {
        let rounds = holds.min(most).max(1.0);
        return format!("the budget of {budget} holds {rounds} of {most} rounds, {each}");
    }
    let enough = format!("{} are needed to prove a change, {} to prove that there is none", ROUNDS_FOR.0, ROUNDS_FOR.1);
    if holds >= ROUNDS_FOR.0 {
        format!("the budget of {budget} holds {} rounds, {each}; {enough}", holds.min(most))
    } else {
        let needed = ((ROUNDS_FOR.0 * round + aside) / 60.0).ceil();
        format!(
            "the budget of {budget} holds {holds} rounds, {each}; {enough}: drop entries or scenarios (--variants, --scenarios), or raise it to {needed}m"
        )
    }
}

/// The standing of a race in a few words.
pub(super) fn standing(results: &Results) -> String {
    let counts = judge(results).counts;
    let mut parts = Vec::new();
    for (count, what) in [
        (counts.regressions, "worse"),
        (counts.improvements, "better"),
        (counts.same, "the same"),
        (counts.undecided, "open"),
        (counts.failing, "failing"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if parts.is_empty() { "measuring".to_owned() } else { parts.join(", ") }
}

/// How the race's time was spent.
pub(super) fn time_text(results: &Results) -> String {
    let time = results.time;
    let measuring = time.warmup_s + time.slices_s + time.boot_s + time.runs_s;
    let share = if time.race_s > 0.0 { 100.0 * measuring / time.race_s } else { 0.0 };
    let text = |seconds: f64| minutes(Duration::from_secs_f64(seconds.max(0.0)));
    let runs = if time.runs_s > 0.0 { format!(", commands {}", text(time.runs_s)) } else { String::new() };
    format!(
        "time: builds {}, gate {}, race {} for {} rounds, {share:.0} % of it measuring (warm-up {}, slices {}, timed boots {}{runs})",
        text(time.build_s),
        text(time.gate_s),
        text(time.race_s),
        results.rounds,
        text(time.warmup_s),
        text(time.slices_s),
        text(time.boot_s),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntryName, ScenarioName};
    use crate::plan::Lane;
    use std::collections::BTreeMap;

    fn protocol(minutes: u64) -> Protocol {
        Protocol { budget: Duration::from_mins(minutes), ..Protocol::default() }
    }

    fn text(minutes: u64, lineup: Lineup, scenarios: usize) -> String {
        let names: Vec<ScenarioName> =
            (0..scenarios).map(|number| ScenarioName::new(format!("s{number}")).unwrap()).collect();
        let (paired, one_sided) = if lineup == Lineup::Paired { (names, Vec::new()) } else { (Vec::new(), names) };
        let lane = Lane { entry: EntryName::new("a").unwrap(), regime: None };
        let (paired_runs, one_sided_runs) = (Vec::new(), Vec::new());
        let lanes = [LanePlan { lane, lineup, paired, one_sided, boot: false, paired_runs, one_sided_runs }];
        let protocol = protocol(minutes);
        budget_text(&LaneCost::new(&protocol, &[], true, BTreeMap::new()), &lanes, &protocol)
    }

    #[test]
    fn what_the_budget_holds_is_said_with_what_would_be_enough() {
        // A scenario costs 2 x (0.5 + 1.08) s and a round two starts of 0.15 s: 10 scenarios are 31.9 s.
        let enough = "12 are needed to prove a change, 8 to prove that there is none";
        assert_eq!(
            text(12, Lineup::Paired, 10),
            format!("the budget of 12 min 00 s holds 22 rounds, about 31.9 s each; {enough}")
        );
        let short = text(5, Lineup::Paired, 10);
        assert!(
            short.starts_with(&format!("the budget of 5 min 00 s holds 9 rounds, about 31.9 s each; {enough}: drop ")),
            "{short}"
        );
        // 12 x 31.9 s are 6.4 minutes.
        assert!(short.ends_with("raise it to 7m"), "{short}");
        assert_eq!(text(12, Lineup::OneSided, 4), "the budget of 12 min 00 s holds 8 of 8 rounds, about 6.5 s each");
        assert_eq!(
            text(12, Lineup::Paired, 1),
            format!("the budget of 12 min 00 s holds 40 rounds, about 3.5 s each; {enough}")
        );
    }
}
