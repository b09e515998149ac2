//! Trains the models of the paper natively, on all cores, and writes `docs/results.md` and the figures that
//! the app ships. A run that was interrupted goes on where it was: what is finished and what is under way is
//! kept in `target/experiment`. What is in the figures already is not measured again: take them away to do so.

mod grid;
mod page;

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use grid::Cell;
use lexopt::prelude::*;
use training::{Report, Results, Run, Snapshot};

fn main() -> Result<(), Box<dyn Error>> {
    let scope = Scope::read(lexopt::Parser::from_env())?;
    let folder = project().join("target/experiment");
    fs::create_dir_all(&folder)?;
    let wanted: Vec<Job> =
        jobs(scope.seeds).into_iter().filter(|job| job.name().contains(&scope.only)).collect();
    let published = published()?;
    let is_known = |job: &Job| {
        let config = job.cell.config(job.seed);
        job.report(&folder).is_some() || published.iter().any(|it| it.config == config)
    };
    let missing: Vec<&Job> = wanted.iter().filter(|job| !is_known(job)).collect();
    println!("{} runs, {} of them are finished", wanted.len(), wanted.len() - missing.len());
    let queue = Mutex::new(missing.into_iter());
    let failures = Mutex::new(Vec::new());
    thread::scope(|threads| {
        for _ in 0..scope.jobs {
            threads.spawn(|| {
                loop {
                    let next = queue.lock().map(|mut queue| queue.next());
                    let Ok(Some(job)) = next else { return };
                    let outcome = job.carry_out(&folder).and_then(|()| publish(&folder));
                    if let (Err(error), Ok(mut failures)) = (outcome, failures.lock()) {
                        println!("{}: {error}", job.name());
                        failures.push(job.name());
                    }
                }
            });
        }
    });
    publish(&folder).map_err(|error| error.to_string())?;
    let failed = failures.into_inner()?;
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", ")).into()) }
}

/// What is to be trained.
struct Scope {
    jobs: usize,
    /// As many as each cell asks for when there is none.
    seeds: Option<u64>,
    only: String,
}

/// One run of a cell of the grid.
struct Job {
    cell: Cell,
    seed: u64,
}

impl Scope {
    fn read(mut arguments: lexopt::Parser) -> Result<Self, Box<dyn Error>> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let mut scope = Scope { jobs: cores, seeds: None, only: String::new() };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("jobs") => scope.jobs = arguments.value()?.parse()?,
                Long("seeds") => scope.seeds = Some(arguments.value()?.parse()?),
                Long("only") => scope.only = OsString::string(arguments.value()?)?,
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(scope)
    }
}

impl Job {
    fn name(&self) -> String {
        format!("{}-{}", self.cell.name(), self.seed)
    }

    fn finished(&self) -> String {
        format!("{}.json", self.name())
    }

    /// What it found, if it is finished and the cell's configuration is still the one that it had.
    fn report(&self, folder: &Path) -> Option<Report> {
        let text = fs::read(folder.join(self.finished())).ok()?;
        let report: Report = serde_json::from_slice(&text).ok()?;
        (report.config == self.cell.config(self.seed)).then_some(report)
    }

    /// Trains to the end of the budget, from where it was interrupted, and keeps the report.
    fn carry_out(&self, folder: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
        let under_way = folder.join(format!("{}.snapshot", self.name()));
        let mut run =
            match fs::read(&under_way).ok().and_then(|it| serde_json::from_slice::<Snapshot>(&it).ok()) {
                Some(snapshot) if snapshot.config == self.cell.config(self.seed) => Run::resume(snapshot)?,
                _ => Run::new(self.cell.config(self.seed))?,
            };
        let first = run.steps_taken();
        let (start, mut said) = (Instant::now(), Instant::now());
        while !run.is_finished() {
            let progress = run.step()?;
            if progress.step.is_multiple_of(EVALUATE_EVERY) || run.is_finished() {
                run.evaluate();
            }
            if said.elapsed() > SAY_EVERY {
                said = Instant::now();
                let per_step = start.elapsed() / (progress.step - first) as u32;
                let left = per_step * (run.config().steps - progress.step) as u32;
                let accuracy = run.evaluations().last().map_or(0.0, |it| it.accuracy);
                println!(
                    "{}: step {} of {}, accuracy {accuracy:.3}, {:.1} ms a step, {} s left",
                    self.name(),
                    progress.step,
                    run.config().steps,
                    per_step.as_secs_f64() * 1e3,
                    left.as_secs(),
                );
                write(&under_way, &serde_json::to_vec(&run.snapshot())?)?;
            }
        }
        let mut report = run.report()?;
        if report.frozen.changed > 0 {
            return Err(format!("{} frozen numbers have changed", report.frozen.changed).into());
        }
        report.date = Some(time::OffsetDateTime::now_utc().date().to_string());
        println!("{}: accuracy {:.4}", self.name(), report.accuracy.held_out);
        write(&folder.join(self.finished()), &serde_json::to_vec_pretty(&report)?)?;
        if under_way.exists() {
            fs::remove_file(under_way)?;
        }
        Ok(())
    }
}

/// How many steps lie between two evaluations.
const EVALUATE_EVERY: usize = 100;
/// How often progress is said and kept.
const SAY_EVERY: Duration = Duration::from_secs(20);

fn jobs(seeds: Option<u64>) -> Vec<Job> {
    let of_cell =
        |cell: Cell| (0..seeds.unwrap_or(cell.seeds)).map(move |seed| Job { cell: cell.clone(), seed });
    grid::cells().into_iter().flat_map(of_cell).collect()
}

/// Writes the page and the figures from every report that there is, those of an earlier measurement included.
fn publish(folder: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
    let figures = figures();
    let mut runs = published()?;
    for job in jobs(Some(LARGEST_SEED)) {
        if let Some(report) = job.report(folder) {
            runs.retain(|it| it.config != report.config);
            runs.push(report);
        }
    }
    // Figures of configurations that are no longer in the grid would stand nowhere on the page.
    let order: Vec<_> = jobs(Some(LARGEST_SEED)).iter().map(|job| job.cell.config(job.seed)).collect();
    runs.retain(|it| order.contains(&it.config));
    runs.sort_by_key(|it| order.iter().position(|config| *config == it.config));
    let page = page::markdown(&grid::cells(), &runs)?;
    let results = Results::new(runs);
    if let Some(folder) = figures.parent() {
        fs::create_dir_all(folder)?;
    }
    write(&figures, &(results.to_compact_json(CURVE_POINTS)? + "\n").into_bytes())?;
    write(&project().join("docs/results.md"), page.as_bytes())?;
    Ok(())
}

/// The figures that the app ships.
fn figures() -> PathBuf {
    project().join("crates/training/data/results.json")
}

/// What has been measured before; nothing when there is no such file.
fn published() -> Result<Vec<Report>, serde_json::Error> {
    fs::read(figures()).map_or(Ok(Vec::new()), |text| Ok(serde_json::from_slice::<Results>(&text)?.runs))
}

/// How many evaluations of a cell's first seed the app ships.
const CURVE_POINTS: usize = 10;

/// No measurement has more seeds than this.
const LARGEST_SEED: u64 = 32;

/// Written beside and moved there, so that an interruption leaves a whole file. Two writers use two names.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let beside = path.with_extension(format!("{:?}.part", thread::current().id()));
    fs::write(&beside, bytes)?;
    fs::rename(beside, path)
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
