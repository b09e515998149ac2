//! The universal transformer: frozen weights for a class, programs for targets, the forward pass.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use linear::{Equations, Solve};
use ndarray::{Array2, ArrayView2, Axis, concatenate};
use serde::{Deserialize, Serialize};
use transformer::{Class, Target, Trace, attend};

use crate::random::NormalSequence;
use crate::unfold::{Root, by_values, unfold};
use crate::{
    Capacity, Construction, Consumer, Error, Fingerprint, FrozenHead, FrozenLayer, Layout, Mixing,
    Projection, RandomSpec, Role, Routing, consumer_weight, random,
};

/// A transformer of width m with frozen weights that plays every target of its class:
///
/// ```text
/// Z[0] = X E
/// A[l,h] = attend( Z[l-1] Rq[l,h] (Z[l-1] Rk[l,h])ᵀ · scale + mask )
/// Z[l]   = Σ_h A[l,h] Z[l-1] Rv[l,h]   (+ Z[l-1] with residual connections)
/// output = Z[L] U
/// ```
///
/// It is made from a class and a construction only; a target enters through [`program`](Self::program),
/// which returns the embedding E (d × m).
#[derive(Debug, Clone)]
pub struct UniversalTransformer {
    class: Class,
    construction: Construction,
    columns: Layout,
    layers: Vec<FrozenLayer>,
    unembedding: Projection,
    width: usize,
    /// Made when it is asked for: hashing large weights takes a while.
    fingerprint: OnceLock<Fingerprint>,
    /// How the equations of random weights are factorised. Whoever makes no random weights does not carry the
    /// algebra for it along.
    factorise: Option<Factorise>,
    /// Made when the first program is asked for.
    solver: OnceLock<Result<Arc<dyn Solver>, Error>>,
}

type Factorise = fn(&UniversalTransformer) -> Result<Arc<dyn Solver>, Error>;

/// The equations E C = B of one C, factorised.
trait Solver: Debug + Send + Sync {
    fn solve(&self, right: &Array2<f64>) -> (Array2<f64>, Solve);
}

impl Solver for Equations {
    fn solve(&self, right: &Array2<f64>) -> (Array2<f64>, Solve) {
        Equations::solve(self, right)
    }
}

/// What makes a universal transformer play one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// E, d × m.
    pub embedding: Array2<f64>,
    /// How the equations of a random construction were solved: C (m × N) are the columns that the frozen
    /// weights define, B (d × N) those of the target.
    pub solve: Option<Solve>,
}

impl UniversalTransformer {
    /// The universal transformer of a class by any construction.
    ///
    /// # Errors
    /// When the class is not possible or the construction does not serve it.
    pub fn new(class: Class, construction: Construction) -> Result<Self, Error> {
        match construction {
            Construction::Sparse => Self::sparse(class),
            Construction::Looped => Self::looped(class),
            Construction::Random { spec, seed } => Self::random(class, spec, seed),
        }
    }

    /// The sparse construction: weights 0 and 1 that contract one tree for each consumer.
    ///
    /// # Errors
    /// When the class is not possible or too large.
    pub fn sparse(class: Class) -> Result<Self, Error> {
        class.check()?;
        Capacity::default().check(Construction::Sparse, &class, 1)?;
        Ok(Self::routed(class, Construction::Sparse, Layout::sparse(&class), class.layers))
    }

    /// The looped construction: the same weights 0 and 1 in every layer.
    ///
    /// # Errors
    /// When the class is not possible or too large, or has residual connections.
    pub fn looped(class: Class) -> Result<Self, Error> {
        class.check()?;
        Capacity::default().check(Construction::Looped, &class, 1)?;
        Ok(Self::routed(class, Construction::Looped, Layout::looped(&class), 1))
    }

    /// Random weights: independent draws by ChaCha8 from `seed`, the same on every platform.
    ///
    /// # Errors
    /// When the class is not possible or too large, or the width is 0.
    pub fn random(class: Class, spec: RandomSpec, seed: u64) -> Result<Self, Error> {
        Self::random_from(class, spec, seed, &mut NormalSequence::default())
    }

    /// The same with normal numbers that may have been drawn before.
    pub(crate) fn random_from(
        class: Class,
        spec: RandomSpec,
        seed: u64,
        normals: &mut NormalSequence,
    ) -> Result<Self, Error> {
        class.check()?;
        if spec.width == 0 {
            return Err(Error::ZeroWidth);
        }
        let construction = Construction::Random { spec, seed };
        Capacity::default().check(construction, &class, 1)?;
        let columns = Layout::sparse(&class);
        let (layers, unembedding) = random::draw(&class, spec, seed, normals);
        Ok(UniversalTransformer {
            class,
            construction,
            columns,
            layers,
            unembedding,
            width: spec.width,
            fingerprint: OnceLock::new(),
            factorise: Some(factorise),
            solver: OnceLock::new(),
        })
    }

    /// The class that it plays.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// How its weights were made.
    pub fn construction(&self) -> Construction {
        self.construction
    }

    /// m, the width of its state.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Where everything stands in its state. `None` for random weights, which give nothing a place.
    pub fn layout(&self) -> Option<&Layout> {
        match self.construction {
            Construction::Sparse | Construction::Looped => Some(&self.columns),
            Construction::Random { .. } => None,
        }
    }

    /// The leaves in the order in which a program provides for them: the columns of E, or for random
    /// weights those of C and B.
    pub fn program_columns(&self) -> &Layout {
        &self.columns
    }

    /// The frozen layers that differ: L of them, or one when all layers share their weights.
    pub fn layers(&self) -> &[FrozenLayer] {
        &self.layers
    }

    /// The frozen weights of a head; layer and head count from 0.
    pub fn head(&self, layer: usize, head: usize) -> &FrozenHead {
        // Tied weights are stored once.
        &self.layers[if self.layers.len() == 1 { 0 } else { layer }].heads[head]
    }

    /// U, m × d.
    pub fn unembedding(&self) -> &Projection {
        &self.unembedding
    }

    /// What a consumer reads the state with: Rq, Rk or U.
    pub fn projection(&self, consumer: Consumer) -> &Projection {
        match consumer {
            Consumer::Query { layer, head } => &self.head(layer, head).query,
            Consumer::Key { layer, head } => &self.head(layer, head).key,
            Consumer::Output => &self.unembedding,
        }
    }

    /// A hash of every bit of the frozen weights.
    pub fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| Fingerprint::of(&self.layers, &self.unembedding))
    }

    /// The program that makes it play `target`: the only way in for a target.
    ///
    /// # Errors
    /// When the target is not of its class.
    pub fn program(&self, target: &Target) -> Result<Program, Error> {
        if *target.class() != self.class {
            return Err(Error::ClassMismatch {
                found: Box::new(*target.class()),
                expected: Box::new(self.class),
            });
        }
        Ok(match (self.construction, self.factorise) {
            (Construction::Looped, _) => Program { embedding: leaves_of_all_depths(target), solve: None },
            (_, None) => Program { embedding: leaves(target), solve: None },
            (_, Some(factorise)) => {
                // The factors do not depend on a target, so all programs share them.
                let solver = self.solver.get_or_init(|| factorise(self)).clone()?;
                let (embedding, solve) = solver.solve(&leaves(target));
                Program { embedding, solve: Some(solve) }
            }
        })
    }

    /// C (m × N): the columns `P_p Rq[l+1,h]`, `P_p Rk[l+1,h]` and P_p U of all leaves, where
    /// `P_p = Rv[1,h_1] ⋯ Rv[l,h_l]`. A program is a solution of E C = B for the leaves B of a target. For sparse
    /// weights C is the identity, which is why almost every draw of random weights works: det(CᵀC) is a
    /// polynomial in the weights that is not zero there.
    pub fn leaf_columns(&self) -> Array2<f64> {
        self.leaf_columns_kept(&|matrix| matrix)
    }

    /// The same, where whatever is computed is kept as `kept` has it.
    pub(crate) fn leaf_columns_kept(&self, kept: &dyn Fn(Array2<f64>) -> Array2<f64>) -> Array2<f64> {
        let roots = Consumer::all(&self.class).into_iter().map(|consumer| Root {
            depth: consumer.depth(&self.class),
            weight: self.projection(consumer).to_dense(self.width),
        });
        let multiply = |layer: usize, head: usize, matrix: ArrayView2<f64>| {
            kept(self.head(layer, head).value.times(matrix))
        };
        side_by_side(unfold(&self.class, roots.collect(), multiply))
    }

    /// The same with other dense weights.
    pub(crate) fn with_weights(&self, change: &dyn Fn(&Array2<f64>) -> Array2<f64>) -> Self {
        let projection = |it: &Projection| match it {
            Projection::Selection { .. } => it.clone(),
            Projection::Dense(weights) => Projection::Dense(change(weights)),
        };
        let value = |it: &Mixing| match it {
            Mixing::Routing(_) => it.clone(),
            Mixing::Dense(weights) => Mixing::Dense(change(weights)),
        };
        let head = |it: &FrozenHead| FrozenHead {
            query: projection(&it.query),
            key: projection(&it.key),
            value: value(&it.value),
        };
        let layer = |it: &FrozenLayer| FrozenLayer { heads: it.heads.iter().map(head).collect() };
        UniversalTransformer {
            layers: self.layers.iter().map(layer).collect(),
            unembedding: projection(&self.unembedding),
            columns: self.columns.clone(),
            fingerprint: OnceLock::new(),
            solver: OnceLock::new(),
            ..*self
        }
    }

    /// Runs the input `x` (n × d) through the frozen weights, with `embedding` (d × m) as the program.
    ///
    /// # Errors
    /// When the input or the embedding does not fit.
    pub fn forward(&self, x: ArrayView2<f64>, embedding: ArrayView2<f64>) -> Result<Trace, Error> {
        transformer::check_input(x, self.class.width)?;
        let expected = (self.class.width, self.width);
        if embedding.dim() != expected {
            return Err(Error::EmbeddingShape { found: embedding.dim(), expected });
        }
        let mut states = vec![x.dot(&embedding)];
        let (mut scores, mut attention) = (Vec::new(), Vec::new());
        for layer in 0..self.class.layers {
            let state = &states[layer];
            let mut next = if self.class.residual { state.clone() } else { Array2::zeros(state.dim()) };
            let (mut layer_scores, mut layer_attention) = (Vec::new(), Vec::new());
            for head in 0..self.class.heads {
                let frozen = self.head(layer, head);
                let queries = frozen.query.apply(state.view());
                let keys = frozen.key.apply(state.view());
                let raw = queries.dot(&keys.t()) * self.class.score_factor();
                let shares = attend(raw.clone(), self.class.attention, self.class.mask);
                frozen.value.mix_into(&shares, state, &mut next);
                layer_scores.push(raw);
                layer_attention.push(shares);
            }
            scores.push(layer_scores);
            attention.push(layer_attention);
            states.push(next);
        }
        let output = self.unembedding.apply(states[self.class.layers].view());
        Ok(Trace { scores, attention, states, output })
    }

    fn routed(class: Class, construction: Construction, columns: Layout, layers: usize) -> Self {
        let select = |consumer| {
            let root = columns.root(consumer).expect("the layout has every consumer of its class");
            Projection::Selection { offset: root.offset, width: root.width }
        };
        let layers: Vec<FrozenLayer> = (0..layers)
            .map(|layer| FrozenLayer {
                heads: (0..class.heads)
                    .map(|head| FrozenHead {
                        query: select(Consumer::Query { layer, head }),
                        key: select(Consumer::Key { layer, head }),
                        value: Mixing::Routing(Routing::new(columns.moves(layer, head), columns.width())),
                    })
                    .collect(),
            })
            .collect();
        let unembedding = select(Consumer::Output);
        let width = columns.width();
        UniversalTransformer {
            class,
            construction,
            columns,
            layers,
            unembedding,
            width,
            fingerprint: OnceLock::new(),
            factorise: None,
            solver: OnceLock::new(),
        }
    }
}

fn factorise(universal: &UniversalTransformer) -> Result<Arc<dyn Solver>, Error> {
    let equations = Equations::new(universal.leaf_columns().view()).map_err(|_| Error::NoSingularValues)?;
    Ok(Arc::new(equations))
}

/// B (d × N): the leaves of all consumers of a target, in the order of the sparse layout.
pub(crate) fn leaves(target: &Target) -> Array2<f64> {
    let class = target.class();
    let roots = Consumer::all(class)
        .into_iter()
        .map(|it| Root { depth: it.depth(class), weight: consumer_weight(target, it) })
        .collect();
    side_by_side(unfold(class, roots, by_values(target)))
}

/// The same with one tree for each role, with nodes of all depths, in the order of the looped layout.
fn leaves_of_all_depths(target: &Target) -> Array2<f64> {
    let class = target.class();
    let depths = |role| if role == Role::Output { 0..=class.layers } else { 0..=class.layers - 1 };
    let roots = Role::all(class)
        .into_iter()
        .flat_map(|role| {
            depths(role)
                .map(move |depth| Root { depth, weight: consumer_weight(target, role.at_layer(depth)) })
        })
        .collect();
    side_by_side(unfold(class, roots, by_values(target)))
}

fn side_by_side(trees: Vec<Array2<f64>>) -> Array2<f64> {
    let views: Vec<_> = trees.iter().map(|tree| tree.view()).collect();
    concatenate(Axis(1), &views).expect("all leaves have d rows")
}
