//! Histories of the runtime and its store, each made from a seed: calls, crashes, failing disks,
//! people who change their minds, in virtual time. After each one everything that was promised must
//! be there, and nothing may have happened twice in silence.
//!
//! `simulation [COUNT] [--first SEED] [--seconds N] [--twice]` runs many; `simulation --seed SEED`
//! runs one and tells what happened.

mod clients;
mod effect;
mod expectations;
mod final_checks;
mod history;
mod operators;
mod process;
mod random;
mod simulation_state;
mod workflows;

use anyhow::{Context as _, Result, bail};
use history::HistoryTemplates;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many histories there are unless told otherwise.
const HISTORIES: u64 = 10_000;

/// Every history of so many is run again to see that it is the same.
const TWICE_EVERY: u64 = 50;

struct SimulationOptions {
    count: u64,
    first: u64,
    seconds: Option<u64>,
    /// Run every history again.
    twice: bool,
    seed: Option<u64>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let options = read_options()?;
    let folder = std::env::temp_dir().join(format!("heddle-simulation-{}", std::process::id()));
    let done = HistoryTemplates::new(&folder).and_then(|beginnings| match options.seed {
        Some(seed) => tell_one(&beginnings, seed),
        None => run_many(&beginnings, &options),
    });
    let _ = std::fs::remove_dir_all(&folder);
    done
}

fn read_options() -> Result<SimulationOptions> {
    let mut options =
        SimulationOptions { count: HISTORIES, first: 1, seconds: None, twice: false, seed: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || {
            words
                .next()
                .and_then(|text| text.parse().ok())
                .with_context(|| format!("{word} takes a number"))
        };
        match word.as_str() {
            "--first" => options.first = number()?,
            "--seconds" => options.seconds = Some(number()?),
            "--seed" => options.seed = Some(number()?),
            "--twice" => options.twice = true,
            count => {
                options.count =
                    count.parse().with_context(|| format!("{count} is no number of histories"))?
            }
        }
    }
    Ok(options)
}

/// Tells one history, line by line.
fn tell_one(beginnings: &HistoryTemplates, seed: u64) -> Result<()> {
    let ended = history::run(beginnings, seed)?;
    eprint!("{}", ended.story);
    match ended.broken {
        Some(broken) => bail!("seed {seed}: {broken}"),
        None => Ok(()),
    }
}

/// Runs histories on all processors until there are enough, the time is over, or one has failed.
fn run_many(beginnings: &HistoryTemplates, options: &SimulationOptions) -> Result<()> {
    let (began, next, is_over) = (Instant::now(), AtomicU64::new(0), AtomicBool::new(false));
    let failed: Mutex<Option<anyhow::Error>> = Mutex::default();
    let is_late =
        || options.seconds.is_some_and(|seconds| began.elapsed() >= Duration::from_secs(seconds));
    let work = || {
        while !is_over.load(Ordering::Relaxed) && !is_late() {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= options.count {
                return;
            }
            let twice = options.twice || place.is_multiple_of(TWICE_EVERY);
            if let Err(error) = run_one(beginnings, options.first + place, twice) {
                is_over.store(true, Ordering::Relaxed);
                failed
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .get_or_insert(error);
            }
        }
    };
    std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        (0..processors).for_each(|_| drop(scope.spawn(work)));
    });
    let (count, seconds) = (next.into_inner().min(options.count), began.elapsed().as_secs_f64());
    eprintln!("{count} histories in {seconds:.1} s: {:.0} a second", count as f64 / seconds);
    failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
}

fn run_one(beginnings: &HistoryTemplates, seed: u64, twice: bool) -> Result<()> {
    let ended = history::run(beginnings, seed).with_context(|| format!("seed {seed}"))?;
    if let Some(broken) = ended.broken {
        bail!(
            "seed {seed}: {broken}\nRun it again with: cargo xtask simulate --seed {seed}\n{}",
            ended.story
        );
    }
    if twice && history::run(beginnings, seed)?.story != ended.story {
        bail!("seed {seed}: the history is another one when it is run again");
    }
    Ok(())
}
