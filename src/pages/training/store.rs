//! Runs kept in this browser, so that a closed tab resumes where it was.

use idb::{Database, DatabaseEvent, Factory, ObjectStoreParams, TransactionMode};
use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
use training::{Evaluation, Snapshot};
use wasm_bindgen::{JsCast, JsValue};

use super::trainee::Rest;
use crate::jobs::protocol::{Packed, from_bytes, to_bytes};
use crate::jobs::training::Member;

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
    /// The loss of each step.
    pub losses: Vec<f32>,
    /// What has been found on the held-out sequences.
    pub evaluations: Vec<Evaluation>,
    /// Everything from which it goes on.
    pub snapshot: Packed<Snapshot>,
}

const DATABASE: &str = "pianola-training";
/// Raised with every change of [`Kept`]: what another release has kept cannot be read, and goes.
const VERSION: u32 = 1;
const RUNS: &str = "runs";

/// Everything that is kept. A browser that forbids storage keeps nothing.
pub async fn read() -> Vec<Kept> {
    read_all().await.unwrap_or_default()
}

/// Keeps a run in the place of what was kept of it before.
pub async fn keep(kept: Kept) {
    let Ok(bytes) = to_bytes(&kept) else { return };
    // What cannot be kept is lost with the tab, and nothing else.
    let _ = write(kept.id, Some(bytes)).await;
}

/// Keeps a run no longer.
pub async fn forget(id: u64) {
    let _ = write(id, None).await;
}

/// Keeps nothing any longer.
pub async fn forget_all() {
    let _ = clear().await;
}

async fn open() -> Result<Database, idb::Error> {
    let mut request = Factory::new()?.open(DATABASE, Some(VERSION))?;
    request.on_upgrade_needed(|event| {
        if let Ok(database) = event.database() {
            let _ = database.delete_object_store(RUNS);
            let _ = database.create_object_store(RUNS, ObjectStoreParams::new());
        }
    });
    request.await
}

async fn read_all() -> Result<Vec<Kept>, idb::Error> {
    let database = open().await?;
    let transaction = database.transaction(&[RUNS], TransactionMode::ReadOnly)?;
    let values = transaction.object_store(RUNS)?.get_all(None, None)?.await?;
    let mut kept: Vec<Kept> = values
        .into_iter()
        .filter_map(|value| value.dyn_into::<Uint8Array>().ok())
        .filter_map(|bytes| from_bytes(&bytes.to_vec()).ok())
        .collect();
    kept.sort_by_key(|kept| kept.id);
    database.close();
    Ok(kept)
}

async fn write(id: u64, bytes: Option<Vec<u8>>) -> Result<(), idb::Error> {
    let database = open().await?;
    let transaction = database.transaction(&[RUNS], TransactionMode::ReadWrite)?;
    let store = transaction.object_store(RUNS)?;
    let key = JsValue::from_str(&id.to_string());
    match bytes {
        Some(bytes) => {
            store.put(&Uint8Array::from(bytes.as_slice()), Some(&key))?.await?;
        }
        None => {
            store.delete(key)?.await?;
        }
    }
    transaction.commit()?.await?;
    database.close();
    Ok(())
}

async fn clear() -> Result<(), idb::Error> {
    let database = open().await?;
    let transaction = database.transaction(&[RUNS], TransactionMode::ReadWrite)?;
    transaction.object_store(RUNS)?.clear()?.await?;
    transaction.commit()?.await?;
    database.close();
    Ok(())
}
