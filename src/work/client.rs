//! The page's end: sends jobs to the worker, hands answers to whoever asked, and starts the worker
//! again when it has died.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::idle;
use super::protocol::{Answer, Failure, Job, Message, Request, VERSION, WORKER_SCRIPT, from_bytes, to_bytes};
use super::queue::Channel;
use crate::drawing::scheduler::paint_soon;

/// Whose answer it is; in each only the newest request matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// The pictures of the workspace “Universal”.
    Universal,
    /// The points of a sweep in the workspace “Width”.
    Sweep,
    /// The points of the charts about conditioning.
    Conditioning,
    /// Ties in hard attention.
    Ties,
    /// The matrices at one width.
    WidthLook,
    /// The path from sparse to random weights.
    Witness,
    /// The runs of the workspace “RASP”.
    Rasp,
    /// The matrices of the workspace “Simulator”.
    Simulator,
    /// Depth and width of simulators.
    Counts,
    /// Files that are read and written.
    Files,
    /// The steps of a run of the workspace “Training”: they go on while the page is at rest.
    Train,
    /// Changes of its settings.
    TrainSettings,
    /// Its pictures.
    TrainLook,
    /// Where it stands.
    TrainSnapshot,
    /// The snapshots of its time line.
    TrainPast,
    /// What it is exported as.
    TrainExport,
    /// The runs that the project has measured.
    TrainShipped,
    /// What a program of RASP says of the sequence that is looked at.
    TrainConstructed,
    /// What it says of the held-out sequences.
    TrainConstructedHeldOut,
    /// A roll that is computed rather than learned.
    TrainComputed,
}

type Reply = Box<dyn FnOnce(Result<Answer, Failure>)>;

/// The worker as the page sees it. Cheap to copy; one for the whole page.
#[derive(Clone, Copy)]
pub struct Client(StoredValue<Rc<RefCell<Inner>>, LocalStorage>);

#[derive(Default)]
struct Inner {
    worker: Option<Worker>,
    ready: bool,
    // Jobs that came before the worker said that it was ready.
    unsent: Vec<(u64, Request)>,
    next_id: u64,
    lines: HashMap<Line, Channel<Request>>,
    replies: HashMap<u64, (Line, Reply)>,
    // A worker that dies again and again without one answer in between is not started for ever.
    deaths_in_a_row: u32,
    // How many jobs the page has been told of.
    told: usize,
}

impl Inner {
    /// Tells the page how many jobs it is not at rest for.
    fn tell(&mut self) {
        let now = self.replies.values().filter(|(line, _)| *line != Line::Train).count();
        idle::jobs_changed(std::mem::replace(&mut self.told, now), now);
    }
}

const MOST_DEATHS_IN_A_ROW: u32 = 3;

impl Client {
    /// Starts the worker and offers the client as a context.
    pub fn provide() -> Client {
        let client = Client::apart();
        provide_context(client);
        client
    }

    /// Starts a worker apart from that of the page, for as long as the owner lives in which it is called.
    pub fn apart() -> Client {
        let client = Client(StoredValue::new_local(Rc::default()));
        client.start();
        client
    }

    /// Ends the worker. Nobody who waits is answered.
    pub fn end(self) {
        self.bury();
        let inner = self.inner();
        let mut inner = inner.borrow_mut();
        inner.unsent.clear();
        inner.lines.clear();
        inner.replies.clear();
        inner.tell();
    }

    /// Asks the worker. `reply` is called once with the answer, or never when a newer request of the
    /// same line takes its place.
    pub fn ask(self, line: Line, request: Request, reply: impl FnOnce(Result<Answer, Failure>) + 'static) {
        let inner = self.inner();
        let send = {
            let mut inner = inner.borrow_mut();
            inner.next_id += 1;
            let id = inner.next_id;
            // What waited is superseded; only the job under way and the newest keep their replies.
            let channel = inner.lines.entry(line).or_default();
            let superseded = channel.waiting_id();
            let send = channel.offer(id, request).map(|request| (id, request));
            if let Some(old) = superseded.filter(|_| send.is_none()) {
                inner.replies.remove(&old);
            }
            inner.replies.insert(id, (line, Box::new(reply)));
            send
        };
        inner.borrow_mut().tell();
        if let Some((id, request)) = send {
            self.send(id, request);
        }
    }

    fn inner(self) -> Rc<RefCell<Inner>> {
        self.0.with_value(Rc::clone)
    }

    fn send(self, id: u64, request: Request) {
        let inner = self.inner();
        let worker = {
            let mut inner = inner.borrow_mut();
            match (inner.ready, inner.worker.clone()) {
                (true, Some(worker)) => worker,
                (_, worker) => {
                    inner.unsent.push((id, request));
                    drop(inner);
                    // It was given up; whoever asks again lets it try again.
                    if worker.is_none() {
                        self.start();
                    }
                    return;
                }
            }
        };
        if let Err(message) = to_bytes(&Job { id, request }).and_then(|bytes| post(&worker, &bytes)) {
            self.finish(id, Err(Failure::NoWorker(message)));
        }
    }

    fn start(self) {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        match Worker::new_with_options(&worker_script(), &options) {
            Ok(worker) => {
                let on_message =
                    Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| self.received(&event));
                worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
                on_message.forget();
                let on_error = Closure::<dyn Fn(ErrorEvent)>::new(move |event: ErrorEvent| {
                    event.prevent_default();
                    self.died(event.message());
                });
                worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
                on_error.forget();
                self.inner().borrow_mut().worker = Some(worker);
            }
            Err(error) => self.give_up(|| Failure::NoWorker(describe(&error))),
        }
    }

    fn received(self, event: &MessageEvent) {
        let bytes = js_sys::Uint8Array::new(&event.data()).to_vec();
        match from_bytes::<Message>(&bytes) {
            Ok(Message::Ready { version }) if version == VERSION => {
                let unsent = {
                    let inner = self.inner();
                    let mut inner = inner.borrow_mut();
                    inner.ready = true;
                    std::mem::take(&mut inner.unsent)
                };
                for (id, request) in unsent {
                    self.send(id, request);
                }
            }
            Ok(Message::Ready { version: worker }) => {
                self.bury();
                self.give_up(|| Failure::Versions { page: VERSION, worker });
            }
            Ok(Message::Done { id, result }) => {
                self.inner().borrow_mut().deaths_in_a_row = 0;
                self.finish(id, result);
            }
            Ok(Message::Crashed { message }) => self.died(message),
            Err(message) => self.died(message),
        }
    }

    fn finish(self, id: u64, result: Result<Answer, Failure>) {
        let inner = self.inner();
        let (reply, next) = {
            let mut inner = inner.borrow_mut();
            let Some((line, reply)) = inner.replies.remove(&id) else { return };
            (reply, inner.lines.entry(line).or_default().done(id))
        };
        if let Some((id, request)) = next {
            self.send(id, request);
        }
        reply(result);
        paint_soon();
        inner.borrow_mut().tell();
    }

    /// The worker is dead: who waited for what it was at is told, and a new one is started. What a person
    /// typed lives in the page's state, so nothing of it is lost.
    fn died(self, message: String) {
        let was_ready = self.bury();
        let inner = self.inner();
        let deaths = {
            let mut inner = inner.borrow_mut();
            inner.deaths_in_a_row += 1;
            inner.deaths_in_a_row
        };
        let failure = || match was_ready {
            true => Failure::Crashed(message.clone()),
            false => Failure::NoWorker(message.clone()),
        };
        if deaths >= MOST_DEATHS_IN_A_ROW {
            self.give_up(failure);
            return;
        }
        self.start();
        // What it was at may be what it died of. A worker that was never ready was at nothing, and the
        // next one gets all that waits for it.
        if was_ready {
            let lost: Vec<u64> = inner.borrow().lines.values().filter_map(Channel::under_way_id).collect();
            for id in lost {
                self.finish(id, Err(failure()));
            }
        }
    }

    /// Ends the worker, and says whether it had been ready.
    fn bury(self) -> bool {
        let inner = self.inner();
        let mut inner = inner.borrow_mut();
        if let Some(worker) = inner.worker.take() {
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.terminate();
        }
        std::mem::replace(&mut inner.ready, false)
    }

    /// Everybody who waits is told, and nothing waits any more.
    fn give_up(self, failure: impl Fn() -> Failure) {
        let inner = self.inner();
        let replies = {
            let mut inner = inner.borrow_mut();
            inner.unsent.clear();
            inner.lines.clear();
            std::mem::take(&mut inner.replies)
        };
        for (_, reply) in replies.into_values() {
            reply(Err(failure()));
        }
        inner.borrow_mut().tell();
    }
}

/// The release names the worker's script, with the hash of its content, in the page's head; a development
/// build has the plain name.
fn worker_script() -> String {
    document()
        .query_selector("meta[name=worker]")
        .ok()
        .flatten()
        .and_then(|meta| meta.get_attribute("content"))
        .unwrap_or_else(|| WORKER_SCRIPT.to_owned())
}

fn post(worker: &Worker, bytes: &[u8]) -> Result<(), String> {
    let array = js_sys::Uint8Array::from(bytes);
    let buffer = array.buffer();
    worker.post_message_with_transfer(&buffer, &js_sys::Array::of1(&buffer)).map_err(|error| describe(&error))
}

fn describe(error: &JsValue) -> String {
    js_sys::Reflect::get(error, &"message".into())
        .ok()
        .and_then(|message| message.as_string())
        .unwrap_or_else(|| format!("{error:?}"))
}
