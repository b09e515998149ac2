//! What a person chose in the workspace “Training”: what is learned, by which models, and how it is looked at.

use serde::{Deserialize, Serialize};

use crate::link::query::Query;
use crate::link::{Choices, Page};

/// Everything that a person chose in the workspace “Training”. The runs that it describes live on the page, and go on
/// whatever is chosen here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrainingState {
    /// What is trained.
    pub plan: Plan,
    /// How it is looked at.
    pub look: Look,
}

/// The runs that are wanted: every model with every seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What is learned.
    pub task: Task,
    /// What stands in the layers besides attention.
    pub variant: Variant,
    /// Who learns it: at least one, in the order of [`Model::ALL`].
    pub models: Vec<Model>,
    /// The first seed; the others count up from it.
    pub seed: u64,
    /// How many seeds each model is trained with.
    pub seeds: usize,
    /// Settings in the place of the recommended ones.
    pub settings: Settings,
}

/// A task with its sizes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Which one.
    pub kind: TaskKind,
    /// The number of characters, symbols, residues or bits of a sequence; for recall, of pairs.
    pub length: usize,
    /// The size of the alphabet; the modulus; for k-PARITY, k; for recall, the number of keys and of values.
    pub symbols: usize,
    /// One's own sequences, a line each; kept while another task is looked at.
    pub own: String,
}

/// Which task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum TaskKind {
    /// Is this string of parentheses balanced?
    #[default]
    Dyck,
    /// One step back along the last occurrences of a symbol.
    OneHop,
    /// Two steps.
    TwoHop,
    /// Three steps.
    ThreeHop,
    /// Four steps.
    FourHop,
    /// Is there another residue that adds up to 0?
    MatchTwo,
    /// The parity of some secret bits.
    Parity,
    /// Which value belongs to this key?
    Recall,
    /// a + b modulo p.
    ModularAddition,
    /// One's own sequences.
    Own,
}

/// What stands in the layers besides attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Variant {
    /// Nothing.
    #[default]
    AttentionOnly,
    /// Residual connections and layer normalisation.
    ResidualNorm,
    /// The same with a perceptron, which is frozen when the attention is.
    ResidualNormMlp,
}

/// A model: which weights are frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Model {
    /// The sparse universal transformer.
    Sparse,
    /// The looped universal transformer.
    Looped,
    /// A random universal transformer.
    Random,
    /// Nothing is frozen.
    Trained,
}

/// Settings that a person chose instead of those that are recommended for a model.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// The largest learning rate.
    pub learning_rate: Option<f64>,
    /// The standard deviation of the embeddings at the start.
    pub embedding_scale: Option<f64>,
    /// The budget.
    pub steps: Option<usize>,
    /// The sequences of a batch.
    pub batch: Option<usize>,
    /// H.
    pub heads: Option<usize>,
    /// L.
    pub layers: Option<usize>,
    /// d of sparse and looped models, m of the others.
    pub width: Option<usize>,
    /// d_h.
    pub head_width: Option<usize>,
    /// A run stops when two evaluations in a row reached this accuracy.
    pub until: Option<f64>,
}

/// How runs are looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Whose pictures are shown, if the plan has it; else those of its first run.
    pub run: Option<(Model, u64)>,
    /// The sequence on which a model is looked at; without one, the first of the held-out sequences.
    pub example: Option<String>,
    /// Whether losses are spread by their ratios.
    pub scale: LossScale,
    /// Over how many steps losses are smoothed.
    pub smoothing: usize,
    /// The snapshot that is looked at, by its step; without one, the run as it is.
    pub step: Option<usize>,
}

/// How the axis of losses is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LossScale {
    /// By differences.
    #[default]
    Linear,
    /// By ratios.
    Logarithmic,
}

impl Model {
    /// All, in the order of the paper.
    pub const ALL: [Model; 4] = [Model::Sparse, Model::Looped, Model::Random, Model::Trained];
}

impl Variant {
    /// All, each with one thing more than the one before.
    pub const ALL: [Variant; 3] = [Variant::AttentionOnly, Variant::ResidualNorm, Variant::ResidualNormMlp];
}

impl TaskKind {
    /// All, in the order of the list.
    pub const ALL: [TaskKind; 10] = [
        TaskKind::Dyck,
        TaskKind::OneHop,
        TaskKind::TwoHop,
        TaskKind::ThreeHop,
        TaskKind::FourHop,
        TaskKind::MatchTwo,
        TaskKind::Parity,
        TaskKind::Recall,
        TaskKind::ModularAddition,
        TaskKind::Own,
    ];

    /// k of a k-hop task.
    pub fn hops(self) -> Option<usize> {
        match self {
            TaskKind::OneHop => Some(1),
            TaskKind::TwoHop => Some(2),
            TaskKind::ThreeHop => Some(3),
            TaskKind::FourHop => Some(4),
            _ => None,
        }
    }

    /// Its word in the URL, as in the files of results where it has one there.
    pub fn word(self) -> &'static str {
        match self {
            TaskKind::Dyck => "dyck-1",
            TaskKind::OneHop => "1-hop",
            TaskKind::TwoHop => "2-hop",
            TaskKind::ThreeHop => "3-hop",
            TaskKind::FourHop => "4-hop",
            TaskKind::MatchTwo => "match2",
            TaskKind::Parity => "parity",
            TaskKind::Recall => "recall",
            TaskKind::ModularAddition => "modular-addition",
            TaskKind::Own => "own",
        }
    }

    /// The lengths that it can have, where it has one to choose, and the usual one.
    pub fn lengths(self) -> Option<Sizes> {
        let sizes = |least, most, usual| Some(Sizes { least, most, usual });
        match self {
            TaskKind::Dyck => sizes(4, 64, 22),
            _ if self.hops().is_some() => sizes(4, 64, 15),
            TaskKind::MatchTwo => sizes(4, 64, 12),
            TaskKind::Parity => sizes(8, 64, 16),
            TaskKind::Recall => sizes(2, 16, 6),
            _ => None,
        }
    }

    /// The same for the number of symbols.
    pub fn symbol_counts(self) -> Option<Sizes> {
        let sizes = |least, most, usual| Some(Sizes { least, most, usual });
        match self {
            _ if self.hops().is_some() => sizes(2, 26, 4),
            TaskKind::MatchTwo => sizes(5, 40, 11),
            TaskKind::Parity => sizes(1, 6, 2),
            TaskKind::Recall => sizes(16, 40, 16),
            TaskKind::ModularAddition => sizes(5, 113, 31),
            _ => None,
        }
    }
}

/// From the least to the most, with the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The least.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// The usual one.
    pub usual: usize,
}

/// The most seeds of a plan.
pub const MOST_SEEDS: usize = 5;
/// The most steps of a run.
pub const MOST_STEPS: usize = 100_000;
/// The longest smoothing.
pub const MOST_SMOOTHING: usize = 500;
/// How often a run is tried on the held-out sequences, and how often a snapshot of it is kept, in steps.
pub const EVALUATE_EVERY: usize = 100;
/// Accuracy at which a run stops, unless another is chosen.
pub const USUAL_UNTIL: f64 = 0.995;

/// The most bytes of own sequences, and of an example, that a link carries.
const LONGEST_TEXT: usize = 4_000;

impl Task {
    /// A task of the usual sizes.
    pub fn usual(kind: TaskKind) -> Task {
        Task {
            kind,
            length: kind.lengths().map_or(0, |sizes| sizes.usual),
            symbols: kind.symbol_counts().map_or(0, |sizes| sizes.usual),
            own: String::new(),
        }
    }

    /// The same sequences of one's own, and another task of the usual sizes.
    pub fn with_kind(self, kind: TaskKind) -> Task {
        Task { own: self.own, ..Task::usual(kind) }
    }
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            task: Task::usual(TaskKind::Dyck),
            variant: Variant::AttentionOnly,
            models: vec![Model::Sparse],
            seed: 0,
            seeds: 1,
            settings: Settings::default(),
        }
    }
}

impl Default for Look {
    fn default() -> Self {
        Look { run: None, example: None, scale: LossScale::Linear, smoothing: 25, step: None }
    }
}

impl Plan {
    /// The models with their seeds.
    pub fn members(&self) -> impl Iterator<Item = (Model, u64)> {
        let seeds = (0..self.seeds as u64).map(|number| self.seed.wrapping_add(number));
        seeds.flat_map(|seed| self.models.iter().map(move |model| (*model, seed)))
    }

    /// The same with one model more, or one less unless it is the last.
    #[must_use]
    pub fn toggled(mut self, model: Model) -> Plan {
        match self.models.iter().position(|known| *known == model) {
            Some(at) if self.models.len() > 1 => drop(self.models.remove(at)),
            Some(_) => {}
            None => {
                self.models.push(model);
                self.models.sort();
            }
        }
        self
    }
}

const VARIANT_WORDS: [(&str, Variant); 3] = [
    ("attention-only", Variant::AttentionOnly),
    ("residual-norm", Variant::ResidualNorm),
    ("residual-norm-mlp", Variant::ResidualNormMlp),
];

const MODEL_WORDS: [(&str, Model); 4] = [
    ("sparse", Model::Sparse),
    ("looped", Model::Looped),
    ("random", Model::Random),
    ("trained", Model::Trained),
];

const SCALE_WORDS: [(&str, LossScale); 2] = [("linear", LossScale::Linear), ("log", LossScale::Logarithmic)];

impl Model {
    /// Its word in the URL and in files.
    pub fn word(self) -> &'static str {
        MODEL_WORDS[self as usize].0
    }
}

impl Variant {
    /// Its word in the URL and in files.
    pub fn word(self) -> &'static str {
        VARIANT_WORDS[self as usize].0
    }
}

impl Choices for TrainingState {
    const PAGE: Page = Page::Training;

    fn fits_a_link(&self) -> bool {
        self.plan.task.own.len() <= LONGEST_TEXT
    }

    fn encode(&self, query: &mut Query) {
        let TrainingState { plan, look } = self;
        let (task, settings) = (&plan.task, &plan.settings);
        let usual = Task::usual(task.kind);
        query.set_unless("task", task.kind.word(), TaskKind::default().word());
        query.set_unless("length", task.length, usual.length);
        query.set_unless("symbols", task.symbols, usual.symbols);
        if !task.own.is_empty() && task.own.len() <= LONGEST_TEXT {
            query.set("own", &task.own);
        }
        query.set_word_unless("variant", plan.variant, Variant::default(), &VARIANT_WORDS);
        if plan.models != Plan::default().models {
            let words: Vec<&str> = plan.models.iter().map(|model| model.word()).collect();
            query.set("models", words.join(","));
        }
        query.set_unless("seed", plan.seed, 0);
        query.set_unless("seeds", plan.seeds, 1);
        for (key, value) in
            [("rate", settings.learning_rate), ("scale", settings.embedding_scale), ("until", settings.until)]
        {
            if let Some(value) = value {
                query.set(key, value);
            }
        }
        for (key, value) in [
            ("steps", settings.steps),
            ("batch", settings.batch),
            ("heads", settings.heads),
            ("layers", settings.layers),
            ("width", settings.width),
            ("head-width", settings.head_width),
        ] {
            if let Some(value) = value {
                query.set(key, value);
            }
        }
        if let Some((model, seed)) = look.run {
            query.set("run", format_args!("{}.{seed}", model.word()));
        }
        if let Some(example) = look.example.as_ref().filter(|example| example.len() <= LONGEST_TEXT) {
            query.set("example", example);
        }
        query.set_word_unless("loss", look.scale, LossScale::default(), &SCALE_WORDS);
        query.set_unless("smoothing", look.smoothing, Look::default().smoothing);
        if let Some(step) = look.step {
            query.set("step", step);
        }
    }

    fn decode(query: &mut Query) -> Self {
        let kinds = TaskKind::ALL.map(|kind| (kind.word(), kind));
        let usual = Task::usual(query.word("task", TaskKind::default(), &kinds));
        let mut size = |key: &str, sizes: Option<Sizes>| match sizes {
            Some(Sizes { least, most, usual }) => query.number(key, usual, least, most),
            None => 0,
        };
        let length = size("length", usual.kind.lengths());
        let symbols = size("symbols", usual.kind.symbol_counts());
        let own = query.text("own").unwrap_or_default().replace("\r\n", "\n");
        let task = Task { length, symbols, own, ..usual };
        let plan = Plan {
            task,
            variant: query.word("variant", Variant::default(), &VARIANT_WORDS),
            models: models(query),
            seed: query.value("seed", 0, "0 …", |_| true),
            seeds: query.number("seeds", 1, 1, MOST_SEEDS),
            settings: settings(query),
        };
        let look = Look {
            run: run(query),
            example: query.text("example").map(str::to_owned),
            scale: query.word("loss", LossScale::default(), &SCALE_WORDS),
            smoothing: query.number("smoothing", Look::default().smoothing, 1, MOST_SMOOTHING),
            step: whole(query, "step", 0, MOST_STEPS),
        };
        TrainingState { plan, look }
    }
}

fn models(query: &mut Query) -> Vec<Model> {
    let usual = Plan::default().models;
    let Some(text) = query.text("models") else { return usual };
    let word = |word: &str| MODEL_WORDS.iter().find(|(known, _)| *known == word).map(|(_, model)| *model);
    match text.split(',').map(str::trim).map(word).collect::<Option<Vec<Model>>>() {
        Some(mut models) if !models.is_empty() => {
            models.sort();
            models.dedup();
            models
        }
        _ => {
            query.report("models", &MODEL_WORDS.map(|(word, _)| word).join(", "));
            usual
        }
    }
}

fn settings(query: &mut Query) -> Settings {
    Settings {
        learning_rate: share(query, "rate"),
        embedding_scale: positive(query, "scale", 100.0),
        steps: whole(query, "steps", 1, MOST_STEPS),
        batch: whole(query, "batch", 1, 512),
        heads: whole(query, "heads", 1, 8),
        layers: whole(query, "layers", 1, 6),
        width: whole(query, "width", 1, 1024),
        head_width: whole(query, "head-width", 1, 256),
        until: share(query, "until"),
    }
}

fn run(query: &mut Query) -> Option<(Model, u64)> {
    let text = query.text("run")?;
    let found = text.split_once('.').and_then(|(word, seed)| {
        let (_, model) = MODEL_WORDS.iter().find(|(known, _)| *known == word)?;
        Some((*model, seed.parse().ok()?))
    });
    if found.is_none() {
        query.report("run", "sparse.0, trained.1 …");
    }
    found
}

fn share(query: &mut Query, key: &str) -> Option<f64> {
    positive(query, key, 1.0)
}

fn positive(query: &mut Query, key: &str, most: f64) -> Option<f64> {
    query.text(key)?;
    let found = query.value(key, 0.0, &format!("0 … {most}"), |value: &f64| *value > 0.0 && *value <= most);
    (found > 0.0).then_some(found)
}

fn whole(query: &mut Query, key: &str, least: usize, most: usize) -> Option<usize> {
    query.text(key)?;
    let found = query.number(key, usize::MAX, least, most);
    (found != usize::MAX).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_says_what_is_trained() {
        let text = "task=3-hop&length=20&symbols=6&variant=residual-norm&models=sparse,trained&seed=4&seeds=3\
                    &rate=0.02&steps=500&layers=3&run=trained.5&example=abab&loss=log&smoothing=50&step=300";
        let mut query = Query::parse(text);
        let state = TrainingState::decode(&mut query);
        assert_eq!(query.into_bad_values(), []);
        assert_eq!(state.plan.task.kind.hops(), Some(3));
        let members: Vec<(Model, u64)> = state.plan.members().collect();
        assert_eq!(members.len(), 6);
        assert_eq!(members[0], (Model::Sparse, 4));
        assert_eq!(members[5], (Model::Trained, 6));
        let mut again = Query::default();
        state.encode(&mut again);
        assert_eq!(TrainingState::decode(&mut Query::parse(&again.to_string())), state);
        assert_eq!(again.to_string().replace("%2C", ","), text);
    }

    #[test]
    fn what_cannot_be_is_reported() {
        let mut query = Query::parse("task=sorting&models=&rate=-1&heads=0&run=none&length=5000&seeds=0");
        assert_eq!(TrainingState::decode(&mut query), TrainingState::default());
        assert_eq!(query.into_bad_values().len(), 7);
    }

    #[test]
    fn one_model_always_stays() {
        let plan = Plan::default().toggled(Model::Sparse);
        assert_eq!(plan.models, [Model::Sparse]);
        assert_eq!(plan.toggled(Model::Trained).toggled(Model::Sparse).models, [Model::Trained]);
    }
}
