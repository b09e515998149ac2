//! Runs kept in this browser with the snapshots of their time lines, so that a closed tab resumes where it was.

use idb::{
    Database, DatabaseEvent, Factory, KeyRange, ObjectStoreParams, Query, Transaction, TransactionMode,
};
use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
use training::{Evaluation, Snapshot};
use wasm_bindgen::{JsCast, JsValue};

use super::trainee::Rest;
use crate::rooms::training::job::Member;
use crate::work::protocol::{Packed, from_bytes, to_bytes};

/// A run as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Which run.
    pub id: u64,
    /// What it learns.
    pub member: Member,
    /// The step at which it left the run that it was forked from.
    pub forked_at: Option<usize>,
    /// Where it stands.
    pub step: usize,
    /// How it came to rest; `None` when it was training or waiting to.
    pub rest: Option<Rest>,
    /// Its learning rate, once it is known.
    pub rate: Option<f64>,
    /// The steps of its budget, once they are known.
    pub budget: Option<usize>,
    /// The loss of each step.
    pub losses: Vec<f32>,
    /// What has been found on the held-out sequences.
    pub evaluations: Vec<Evaluation>,
    /// Everything from which it goes on; `None` before its first step.
    pub snapshot: Option<Packed<Snapshot>>,
}

/// What is written in one go.
#[derive(Debug, Clone)]
pub enum Change {
    /// A run, in the place of what was kept of it before.
    Run(Box<Kept>),
    /// Snapshots of a run that are new, and the steps of those that have gone.
    Past {
        /// Which run.
        id: u64,
        /// The new ones with their steps.
        new: Vec<(usize, Packed<Snapshot>)>,
        /// The steps of the others.
        gone: Vec<usize>,
    },
    /// A run begins anew: its snapshots go.
    ForgetPast(u64),
    /// A run goes, with its snapshots.
    Forget(u64),
    /// Everything goes.
    ForgetAll,
}

const DATABASE: &str = "pianola-training";
/// Raised with every change of [`Kept`]: what another release has kept cannot be read, and goes.
const VERSION: u32 = 2;
const RUNS: &str = "runs";
/// A snapshot has a key of its own, so that it is written once.
const SNAPSHOTS: &str = "snapshots";

/// Every run that is kept, with the steps of its snapshots. A browser that forbids storage keeps nothing.
pub async fn read() -> Vec<(Kept, Vec<usize>)> {
    read_all().await.unwrap_or_default()
}

/// The snapshots of a run.
pub async fn past(id: u64) -> Vec<Packed<Snapshot>> {
    read_past(id).await.unwrap_or_default()
}

/// Writes a change.
///
/// # Errors
/// When the browser forbids it or has no room left.
pub async fn write(change: Change) -> Result<(), idb::Error> {
    let database = open().await?;
    let transaction = database.transaction(&[RUNS, SNAPSHOTS], TransactionMode::ReadWrite)?;
    let written = async {
        write_into(&transaction, change)?;
        transaction.commit()?.await
    };
    let result = written.await;
    database.close();
    // A transaction that was undone is no error of its own, but nothing of it is there.
    match result? {
        end if end.is_committed() => Ok(()),
        _ => Err(idb::Error::DomExceptionNotFound),
    }
}

fn write_into(transaction: &Transaction, change: Change) -> Result<(), idb::Error> {
    let runs = transaction.object_store(RUNS)?;
    let snapshots = transaction.object_store(SNAPSHOTS)?;
    let key = |text: String| JsValue::from_str(&text);
    // Requests of one transaction succeed or fail together, so that only its end is waited for.
    match change {
        Change::Run(kept) => {
            if let Ok(bytes) = to_bytes(&*kept) {
                runs.put(&Uint8Array::from(bytes.as_slice()), Some(&key(kept.id.to_string())))?;
            }
        }
        Change::Past { id, new, gone } => {
            for step in gone {
                snapshots.delete(key(key_of(id, step)))?;
            }
            for (step, snapshot) in new {
                let bytes = Uint8Array::from(snapshot.bytes());
                snapshots.put(&bytes, Some(&key(key_of(id, step))))?;
            }
        }
        Change::ForgetPast(id) => drop(snapshots.delete(all_of(id)?)?),
        Change::Forget(id) => {
            runs.delete(key(id.to_string()))?;
            snapshots.delete(all_of(id)?)?;
        }
        Change::ForgetAll => {
            runs.clear()?;
            snapshots.clear()?;
        }
    }
    Ok(())
}

async fn open() -> Result<Database, idb::Error> {
    let mut request = Factory::new()?.open(DATABASE, Some(VERSION))?;
    request.on_upgrade_needed(|event| {
        if let Ok(database) = event.database() {
            for store in [RUNS, SNAPSHOTS] {
                let _ = database.delete_object_store(store);
                let _ = database.create_object_store(store, ObjectStoreParams::new());
            }
        }
    });
    request.await
}

async fn read_all() -> Result<Vec<(Kept, Vec<usize>)>, idb::Error> {
    let database = open().await?;
    let transaction = database.transaction(&[RUNS, SNAPSHOTS], TransactionMode::ReadOnly)?;
    let values = transaction.object_store(RUNS)?.get_all(None, None)?.await?;
    let keys = transaction.object_store(SNAPSHOTS)?.get_all_keys(None, None)?.await?;
    database.close();
    let places: Vec<(u64, usize)> = keys.iter().filter_map(|key| place_of(&key.as_string()?)).collect();
    let mut kept: Vec<(Kept, Vec<usize>)> = bytes_of(values)
        .filter_map(|bytes| from_bytes::<Kept>(&bytes).ok())
        .map(|kept| {
            let steps = places.iter().filter(|(id, _)| *id == kept.id).map(|(_, step)| *step);
            let steps = steps.collect();
            (kept, steps)
        })
        .collect();
    kept.sort_by_key(|(kept, _)| kept.id);
    Ok(kept)
}

async fn read_past(id: u64) -> Result<Vec<Packed<Snapshot>>, idb::Error> {
    let database = open().await?;
    let transaction = database.transaction(&[SNAPSHOTS], TransactionMode::ReadOnly)?;
    let values = transaction.object_store(SNAPSHOTS)?.get_all(Some(Query::from(all_of(id)?)), None)?.await?;
    database.close();
    Ok(bytes_of(values).map(Packed::from_bytes).collect())
}

fn bytes_of(values: Vec<JsValue>) -> impl Iterator<Item = Vec<u8>> {
    values.into_iter().filter_map(|value| value.dyn_into::<Uint8Array>().ok()).map(|bytes| bytes.to_vec())
}

/// Zeros in front, so that keys stand in the order of their steps.
fn key_of(id: u64, step: usize) -> String {
    format!("{id}/{step:08}")
}

fn place_of(key: &str) -> Option<(u64, usize)> {
    let (id, step) = key.split_once('/')?;
    Some((id.parse().ok()?, step.parse().ok()?))
}

/// The keys of all snapshots of a run: `0` comes after `/`.
fn all_of(id: u64) -> Result<KeyRange, idb::Error> {
    KeyRange::bound(
        &JsValue::from_str(&format!("{id}/")),
        &JsValue::from_str(&format!("{id}0")),
        Some(false),
        Some(true),
    )
}
