//! Playing a piece: the target and the universal transformer on the same input.

use ndarray::{Array2, s};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use transformer::presets::{self, Preset};
use transformer::{NormalDraws, Target, Trace, forward};
use universal::capacity::Estimate;
use universal::{
    Bounds, Capacity, Consumer, Fingerprint, Layout, Mixing, Program, Projection, Proof, RandomSpec, Solve,
    Tree, UniversalTransformer,
};

use crate::rooms::universal::choices::{
    CellEdit, Construction, InputSource, MOST_TOKENS, Piece, TargetSource, fits,
};
use crate::work::protocol::Failure;

/// A piece to play, and whose tree of attention paths to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// What to compute.
    pub piece: Piece,
    /// Whose tree.
    pub consumer: Consumer,
}

/// Everything that the workspace shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The choices that these are the numbers of.
    pub piece: Piece,
    /// The target, with the edits in it.
    pub target: Target,
    /// The input as tokens, where there are any.
    pub tokens: Option<Vec<String>>,
    /// X, n × d, with the edits in it.
    pub input: Array2<f64>,
    /// What the target computes; states are n × d.
    pub target_trace: Trace,
    /// What the universal transformer computes; states are n × m.
    pub universal_trace: Trace,
    /// E, d × m, with the edits in it.
    pub embedding: Array2<f64>,
    /// How the equations of a random construction were solved.
    pub solve: Option<Solve>,
    /// The fixed part.
    pub frozen: Frozen,
    /// The comparison of the two.
    pub proof: Proof,
    /// The two outputs as tokens, where the target says how to read them: target, universal.
    pub readout: Option<(Vec<String>, Vec<String>)>,
    /// The tree of attention paths of the consumer asked for.
    pub tree: Tree,
    /// The widths that belong to the class.
    pub bounds: Bounds,
    /// What this universal transformer takes.
    pub estimate: Estimate,
}

/// The frozen part of a universal transformer, as far as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// m.
    pub width: usize,
    /// The construction, with its seed where it has one.
    pub construction: universal::Construction,
    /// The hash of all frozen weights.
    pub fingerprint: Fingerprint,
    /// The columns of E; for random weights those of the equations E C = B.
    pub columns: Layout,
    /// Whether the columns of E are blocks of `columns`. Random weights give nothing a place.
    pub has_places: bool,
    /// The frozen weights, `[layer][head]`; one layer when all layers share theirs.
    pub heads: Vec<Vec<FrozenHead>>,
}

/// The frozen weights of one head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FrozenHead {
    /// Zeros and ones: what they do rather than what they are.
    Routed {
        /// The columns that Rq selects: the first one and their number.
        query: (usize, usize),
        /// The columns that Rk selects.
        key: (usize, usize),
        /// The runs of columns that Rv moves.
        moves: Vec<universal::Move>,
    },
    /// Any numbers, drawn small.
    Dense {
        /// Rq.
        query: Thumbnail,
        /// Rk.
        key: Thumbnail,
        /// Rv.
        value: Thumbnail,
    },
}

/// A matrix with few enough cells to be drawn: each cell the entry of largest modulus of its patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thumbnail {
    /// Rows and columns of the matrix itself.
    pub shape: (usize, usize),
    /// The cells.
    pub cells: Array2<f64>,
}

/// The side of the largest thumbnail.
const THUMBNAIL_SIDE: usize = 64;

/// How a universal transformer of a class is made.
pub type Make =
    fn(transformer::Class, universal::Construction) -> Result<UniversalTransformer, universal::Error>;

/// Makes those of zeros and ones, which need no dense algebra.
///
/// # Errors
/// When the class is not possible, too large, or not served by the construction.
pub fn routed(
    class: transformer::Class,
    construction: universal::Construction,
) -> Result<UniversalTransformer, universal::Error> {
    match construction {
        universal::Construction::Looped => UniversalTransformer::looped(class),
        universal::Construction::Sparse | universal::Construction::Random { .. } => {
            UniversalTransformer::sparse(class)
        }
    }
}

/// What is kept between requests: frozen weights are drawn once for all targets, and a piece is not
/// played again for another look at it.
#[derive(Debug, Default)]
pub struct Workshop {
    universal: Option<(UniversalTransformer, Frozen)>,
    program: Option<(Target, Program)>,
    last: Option<Played>,
}

impl Workshop {
    /// Plays a piece, on a universal transformer made by `make` unless the last one serves.
    ///
    /// # Errors
    /// When the target, its input or the universal transformer is not possible or too large.
    pub fn play(&mut self, Request { piece, consumer }: Request, make: Make) -> Result<Played, Failure> {
        // A file or a smaller class may have taken away the consumer whose tree was open.
        let consumer = if fits(consumer, &piece.class) { consumer } else { Consumer::Output };
        match &mut self.last {
            Some(last) if last.piece == piece => {
                last.tree = Tree::new(&last.target, &last.target_trace, consumer);
                Ok(last.clone())
            }
            _ => {
                let played = self.compute(piece, consumer, make)?;
                self.last = Some(played.clone());
                Ok(played)
            }
        }
    }

    fn compute(&mut self, piece: Piece, consumer: Consumer, make: Make) -> Result<Played, Failure> {
        let cast = Cast::of(&piece)?;
        let class = *cast.target.class();
        let bounds = Bounds::of(&class);
        let construction = construction_of(&piece, &bounds);
        let estimate = Capacity::default().check(construction, &class, cast.input.nrows())?;

        let (universal, frozen) = self.universal_for(class, construction, make)?;
        // The solve of a random construction is the slow part; editing the input must not repeat it.
        let program = match self.program.take() {
            Some((target, program))
                if target.class() == cast.target.class() && target.layers() == cast.target.layers() =>
            {
                program
            }
            _ => universal.program(&cast.target)?,
        };
        let mut embedding = program.embedding.clone();
        edit("E", &mut embedding, &piece.embedding_edits)?;

        let target_trace = forward(&cast.target, cast.input.view())?;
        let universal_trace = universal.forward(cast.input.view(), embedding.view())?;
        let proof =
            Proof::new(&cast.target, &target_trace, &universal, &universal_trace, program.solve.as_ref());
        let readout = cast
            .preset
            .as_ref()
            .map(|preset| (preset.readout(&target_trace.output), preset.readout(&universal_trace.output)));
        let tree = Tree::new(&cast.target, &target_trace, consumer);
        let solve = program.solve.clone();
        self.program = Some((cast.target.clone(), program));
        self.universal = Some((universal, frozen.clone()));
        Ok(Played {
            piece,
            target: cast.target,
            tokens: cast.tokens,
            input: cast.input,
            target_trace,
            universal_trace,
            embedding,
            solve,
            frozen,
            proof,
            readout,
            tree,
            bounds,
            estimate,
        })
    }

    fn universal_for(
        &mut self,
        class: transformer::Class,
        construction: universal::Construction,
        make: Make,
    ) -> Result<(UniversalTransformer, Frozen), Failure> {
        match self.universal.take() {
            Some((universal, frozen))
                if *universal.class() == class && universal.construction() == construction =>
            {
                Ok((universal, frozen))
            }
            _ => {
                self.program = None;
                let universal = make(class, construction)?;
                let frozen = Frozen::of(&universal);
                Ok((universal, frozen))
            }
        }
    }
}

/// The construction that the choices mean, for a class with these bounds.
pub fn construction_of(piece: &Piece, bounds: &Bounds) -> universal::Construction {
    match piece.construction {
        Construction::Sparse => universal::Construction::Sparse,
        Construction::Looped => universal::Construction::Looped,
        Construction::Random => {
            let least = usize::try_from(bounds.random_minimum).unwrap_or(usize::MAX);
            let width = least.saturating_add_signed(isize::try_from(piece.spare).unwrap_or(0)).max(1);
            let spec = RandomSpec { law: piece.law, tying: piece.tying, width };
            universal::Construction::Random { spec, seed: piece.frozen_seed }
        }
    }
}

/// Who plays what: a target and its input, resolved from the choices.
struct Cast {
    target: Target,
    preset: Option<Preset>,
    tokens: Option<Vec<String>>,
    input: Array2<f64>,
}

impl Cast {
    fn of(piece: &Piece) -> Result<Cast, Failure> {
        let (target, preset) = resolve_target(piece)?;
        let (tokens, mut input) = resolve_input(piece, &target, preset.as_ref())?;
        edit("X", &mut input, &piece.input_edits)?;
        Ok(Cast { target, preset, tokens, input })
    }
}

/// The target of the choices with its edits, and the preset that it comes from, where it does.
pub(super) fn resolve_target(piece: &Piece) -> Result<(Target, Option<Preset>), Failure> {
    let preset = match &piece.target {
        TargetSource::Preset(id) => {
            Some(presets::by_id(id).ok_or_else(|| Failure::NoSuchPreset(id.clone()))?)
        }
        TargetSource::Random => {
            let text = match &piece.input {
                InputSource::Text(text) => text,
                _ => "",
            };
            Some(presets::random_target(piece.class, piece.seed, text)?)
        }
        TargetSource::Own(_) => None,
    };
    let target = match (&piece.target, &preset) {
        (TargetSource::Own(target), _) => target.as_ref().clone(),
        (_, Some(preset)) => preset.target.clone(),
        (_, None) => return Err(Failure::NoSuchPreset(String::new())),
    };
    let (_, mut layers, vocabulary) = target.into_parts();
    for edit in &piece.weight_edits {
        let name = format!("layers.{}.heads.{}.{}", edit.layer, edit.head, edit.matrix.name());
        let matrix = layers
            .get_mut(edit.layer)
            .and_then(|layer| layer.heads.get_mut(edit.head))
            .map(|head| head.matrix_mut(edit.matrix))
            .ok_or_else(|| no_such_cell(&name, &edit.cell))?;
        self::edit(&name, matrix, &[edit.cell])?;
    }
    // Attention, mask, scale and residual are the person's to change and leave all weights as they are.
    Ok((Target::new(piece.class, layers, vocabulary)?, preset))
}

fn resolve_input(
    piece: &Piece,
    target: &Target,
    preset: Option<&Preset>,
) -> Result<(Option<Vec<String>>, Array2<f64>), Failure> {
    let drawn = |n: usize| {
        let mut draws = NormalDraws::new(ChaCha8Rng::seed_from_u64(piece.seed.wrapping_add(1)));
        Array2::from_shape_simple_fn((n.min(MOST_TOKENS), target.class().width), || draws.draw())
    };
    let length = match piece.input {
        InputSource::Length(n) => Some(n.min(MOST_TOKENS)),
        _ => None,
    };
    let text = match &piece.input {
        InputSource::Rows(rows) => return Ok((None, rows.clone())),
        InputSource::Text(text) => Some(text.as_str()),
        InputSource::Example | InputSource::Length(_) => None,
    };
    match (preset, target.vocabulary()) {
        (Some(preset), _) => {
            let mut tokens = preset.tokens(text.unwrap_or(preset.input));
            if let Some(length) = length {
                // What stands before every text is not repeated.
                let start = usize::from(preset.start.is_some()).min(length);
                let example = tokens.split_off(start);
                tokens.extend(example.into_iter().cycle().take(length - start));
            }
            if tokens.len() > preset.longest {
                return Err(
                    transformer::Error::TooLong { found: tokens.len(), longest: preset.longest }.into()
                );
            }
            let input = target.vocabulary().ok_or(transformer::Error::NoVocabulary)?.embed(&tokens)?;
            Ok((Some(tokens), input))
        }
        (None, Some(vocabulary)) => {
            let longest = vocabulary.positions.as_ref().map_or(EXAMPLE_TOKENS, |positions| positions.nrows());
            let example = length.unwrap_or(EXAMPLE_TOKENS.min(longest));
            let tokens = match text {
                Some(text) => vocabulary.split(text),
                None => vocabulary.tokens.iter().cycle().take(example).cloned().collect(),
            };
            let input = vocabulary.embed(&tokens)?;
            Ok((Some(tokens), input))
        }
        (None, None) => match text {
            Some(_) => Err(transformer::Error::NoVocabulary.into()),
            None => Ok((None, drawn(length.unwrap_or(EXAMPLE_TOKENS)))),
        },
    }
}

/// How many tokens an own target is shown with at first.
const EXAMPLE_TOKENS: usize = 6;

fn edit(name: &str, matrix: &mut Array2<f64>, edits: &[CellEdit]) -> Result<(), Failure> {
    for cell in edits {
        *matrix.get_mut((cell.row, cell.column)).ok_or_else(|| no_such_cell(name, cell))? = cell.value;
    }
    Ok(())
}

fn no_such_cell(name: &str, cell: &CellEdit) -> Failure {
    Failure::NoSuchCell { name: name.to_owned(), row: cell.row + 1, column: cell.column + 1 }
}

impl Frozen {
    fn of(universal: &UniversalTransformer) -> Frozen {
        let heads = universal
            .layers()
            .iter()
            .map(|layer| layer.heads.iter().filter_map(FrozenHead::of).collect())
            .collect();
        Frozen {
            width: universal.width(),
            construction: universal.construction(),
            fingerprint: universal.fingerprint(),
            columns: universal.program_columns().clone(),
            has_places: universal.layout().is_some(),
            heads,
        }
    }
}

impl FrozenHead {
    /// `None` for a mixture of routed and dense weights, which no construction makes.
    fn of(head: &universal::FrozenHead) -> Option<FrozenHead> {
        match (&head.query, &head.key, &head.value) {
            (
                Projection::Selection { offset: query, width },
                Projection::Selection { offset: key, .. },
                Mixing::Routing(routing),
            ) => Some(FrozenHead::Routed {
                query: (*query, *width),
                key: (*key, *width),
                moves: routing.moves().to_vec(),
            }),
            (Projection::Dense(query), Projection::Dense(key), Mixing::Dense(value)) => {
                Some(FrozenHead::Dense {
                    query: Thumbnail::of(query),
                    key: Thumbnail::of(key),
                    value: Thumbnail::of(value),
                })
            }
            _ => None,
        }
    }
}

impl Thumbnail {
    /// A matrix, drawn small where it is large.
    pub fn of(matrix: &Array2<f64>) -> Thumbnail {
        let (rows, columns) = matrix.dim();
        let (small_rows, small_columns) = (rows.min(THUMBNAIL_SIDE), columns.min(THUMBNAIL_SIDE));
        let cells = Array2::from_shape_fn((small_rows, small_columns), |(i, j)| {
            let row_range = i * rows / small_rows..(i + 1) * rows / small_rows;
            let column_range = j * columns / small_columns..(j + 1) * columns / small_columns;
            let patch = matrix.slice(s![row_range, column_range]);
            patch
                .iter()
                .copied()
                .fold(0.0, |most: f64, value| if value.abs() > most.abs() { value } else { most })
        });
        Thumbnail { shape: (rows, columns), cells }
    }
}
