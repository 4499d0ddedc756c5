//! A history: some processes on one database, and then an end at which everything must be in order.

use crate::final_checks::{self, LONGEST_WAIT_MS, MAX_ROUNDS};
use crate::process::{self, Process, ProcessEnd};
use crate::random::SeededRandom;
use crate::simulation_state::SimulationState;
use crate::workflows::{SETS, version};
use anyhow::{Context as _, Result, bail};
use runtime::VersionChoice;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use store::simulation::{DatabaseTemplate, SimulatedDatabase};

/// How a history went.
pub(crate) struct HistoryResult {
    /// What happened, line by line.
    pub(crate) story: String,
    /// What should not have happened.
    pub(crate) broken: Option<String>,
}

/// The databases that histories begin with: their workflows are active, and nothing has happened
/// yet.
pub(crate) struct HistoryTemplates(Vec<DatabaseTemplate>);

impl HistoryTemplates {
    /// The folder is for the keys of their vaults.
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        let begin = |(place, workflows): (usize, &&'static [&'static str])| {
            template(&folder.join(place.to_string()), workflows)
        };
        Ok(Self(SETS.iter().enumerate().map(begin).collect::<Result<_>>()?))
    }
}

fn template(folder: &Path, workflows: &'static [&'static str]) -> Result<DatabaseTemplate> {
    let template = DatabaseTemplate::new(folder)?;
    let world = SimulationState::new(SeededRandom::new(0), Arc::new(template.copy()?), workflows);
    world.stop_faults();
    let saved = RefCell::new(Ok(()));
    let failed = &saved;
    process::run(&world, 0, |process| async move {
        for id in workflows {
            let done = async {
                process.runtime.save(version(id, 0), store::projects::PERSONAL).await?;
                process.runtime.activate(id, VersionChoice::Newest).await
            };
            if let Err(error) = done.await {
                *failed.borrow_mut() = Err(error).with_context(|| format!("workflow {id}"));
            }
        }
        process.stop().await;
    })?;
    saved.into_inner()?;
    template.take_over(&world.memory)?;
    Ok(template)
}

pub(crate) fn run(beginnings: &HistoryTemplates, seed: u64) -> Result<HistoryResult> {
    let random = SeededRandom::new(seed);
    let place = random.below(SETS.len() as u64) as usize;
    let world = SimulationState::new(random, memory(&beginnings.0[place], place)?, SETS[place]);
    let broken = run_processes(&world)?.or_else(|| world.truth().broken());
    Ok(HistoryResult { story: world.story(), broken })
}

thread_local! {
    /// Databases of earlier histories on this thread.
    static USED: RefCell<BTreeMap<usize, Arc<SimulatedDatabase>>> = const { RefCell::new(BTreeMap::new()) };
}

fn memory(template: &DatabaseTemplate, place: usize) -> Result<Arc<SimulatedDatabase>> {
    if let Some(used) = USED.with_borrow(|used| used.get(&place).cloned()) {
        template.renew(&used)?;
        return Ok(used);
    }
    let memory = Arc::new(template.copy()?);
    USED.with_borrow_mut(|used| used.insert(place, memory.clone()));
    Ok(memory)
}

fn run_processes(world: &Arc<SimulationState>) -> Result<Option<String>> {
    let random = &world.random;
    let n_processes = 1 + random.below(3);
    let recovers = random.one_in(2);
    for number in 1..=n_processes {
        let (turns, stops) = (1 + random.below(10), random.one_in(2));
        let is_last = number == n_processes;
        let away_ms = if random.one_in(4) { LONGEST_WAIT_MS } else { random.below(5_000) as i64 };
        process::run(world, away_ms, |process: Process| async move {
            process.live(turns).await;
            if is_last && recovers {
                process.world.stop_faults();
                process.world.log_line("the trouble is over");
                if let Err(broken) = final_checks::recover(&process).await {
                    process.world.truth().fail(broken);
                }
            }
            if stops {
                process.stop().await;
            }
        })?;
        if let Some(broken) = world.truth().broken() {
            return Ok(Some(broken));
        }
    }
    world.stop_faults();
    world.log_line("from here on nothing fails");
    for _ in 0..MAX_ROUNDS {
        let settled = RefCell::new(Ok(false));
        let end = process::run(world, LONGEST_WAIT_MS, |process| {
            let settled = &settled;
            async move {
                let done = final_checks::settle(&process).await;
                let is_done = matches!(done, Ok(true));
                *settled.borrow_mut() = done;
                if is_done && let Err(broken) = final_checks::check(&process).await {
                    *settled.borrow_mut() = Err(broken);
                }
                process.stop().await;
            }
        })?;
        if end != ProcessEnd::Stopped {
            bail!("a process without trouble has {end:?}");
        }
        match settled.into_inner() {
            Ok(true) => return Ok(None),
            Ok(false) => {}
            Err(broken) => return Ok(Some(broken)),
        }
    }
    let left: Vec<String> = world
        .rows()
        .iter()
        .filter(|row| !row.status.is_over())
        .map(|row| format!("{row:?}"))
        .collect();
    Ok(Some(format!("runs that do not come to an end: {}", left.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_15_00_a_seed_is_one_history_whichever_ran_before_it() {
        let folder =
            std::env::temp_dir().join(format!("heddle-simulation-test-{}", std::process::id()));
        let beginnings = HistoryTemplates::new(&folder).unwrap();
        let tell = |seed: u64| {
            let ended = run(&beginnings, seed).unwrap();
            assert_eq!(ended.broken, None, "seed {seed}\n{}", ended.story);
            ended.story
        };
        let forwards: Vec<String> = (1..=30).map(tell).collect();
        let mut backwards: Vec<String> = (1..=30).rev().map(tell).collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
