//! A target: a class, its weights and, where it has one, its vocabulary.

use ndarray::{Array2, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{Class, Error, NormalDraws};

/// A transformer that a universal transformer is asked to play.
///
/// Its weights always fit its class and are finite: [`Target::new`] is the only way to make one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Target {
    class: Class,
    layers: Vec<Layer>,
    vocabulary: Option<Vocabulary>,
}

/// One layer: its heads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// One entry for each head.
    pub heads: Vec<Head>,
}

/// One attention head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Query weights, d × d_h.
    pub wq: Array2<f64>,
    /// Key weights, d × d_h.
    pub wk: Array2<f64>,
    /// Value weights, d × v for any v ≥ 1.
    pub wv: Array2<f64>,
    /// Output weights, v × d.
    pub wo: Array2<f64>,
}

/// Which of a head's four matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeadMatrix {
    /// Query weights.
    Wq,
    /// Key weights.
    Wk,
    /// Value weights.
    Wv,
    /// Output weights.
    Wo,
}

/// The tokens that a target reads, with the vectors that stand for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// The tokens, in the order of the rows of `embedding`.
    pub tokens: Vec<String>,
    /// W_E, tokens × d.
    pub embedding: Array2<f64>,
    /// W_pos, longest n × d, added to the rows of the input.
    pub positions: Option<Array2<f64>>,
}

impl Target {
    /// A target from its parts.
    ///
    /// # Errors
    /// When a matrix is missing, has the wrong shape or holds a number that is not finite.
    pub fn new(class: Class, layers: Vec<Layer>, vocabulary: Option<Vocabulary>) -> Result<Self, Error> {
        class.check()?;
        expect_count("layers", layers.len(), class.layers)?;
        for (l, layer) in layers.iter().enumerate() {
            expect_count(&format!("layers.{l}.heads"), layer.heads.len(), class.heads)?;
            for (h, head) in layer.heads.iter().enumerate() {
                head.check(&class, &format!("layers.{l}.heads.{h}"))?;
            }
        }
        if let Some(vocabulary) = &vocabulary {
            vocabulary.check(&class)?;
        }
        Ok(Target { class, layers, vocabulary })
    }

    /// A target with independent normal weights, scaled so that the states neither fade nor explode.
    /// The draw is ChaCha8 from `seed`, so a seed means the same everywhere. Value width is d_h.
    ///
    /// # Errors
    /// When the class itself is not possible.
    pub fn random(class: Class, seed: u64) -> Result<Self, Error> {
        class.check()?;
        let mut draws = NormalDraws::new(ChaCha8Rng::seed_from_u64(seed));
        let (d, d_h, heads) = (class.width, class.head_width, class.heads);
        let layers = (0..class.layers)
            .map(|_| Layer {
                heads: (0..heads)
                    .map(|_| Head {
                        wq: normal(&mut draws, (d, d_h), 1.5 / (d as f64).sqrt()),
                        wk: normal(&mut draws, (d, d_h), 1.5 / (d as f64).sqrt()),
                        wv: normal(&mut draws, (d, d_h), 1.0 / (d as f64).sqrt()),
                        wo: normal(&mut draws, (d_h, d), 1.0 / ((heads * d_h) as f64).sqrt()),
                    })
                    .collect(),
            })
            .collect();
        Target::new(class, layers, None)
    }

    /// The class of this target.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// The layers, the first one first.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The vocabulary, where there is one.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.vocabulary.as_ref()
    }

    /// Head `h` of layer `l`, both from 0.
    pub fn head(&self, l: usize, h: usize) -> &Head {
        &self.layers[l].heads[h]
    }

    /// The parts again, to change them and make a new target.
    pub fn into_parts(self) -> (Class, Vec<Layer>, Option<Vocabulary>) {
        (self.class, self.layers, self.vocabulary)
    }
}

impl Head {
    /// Wvo = Wv Wo (d × d), all that matters of the two.
    pub fn wvo(&self) -> Array2<f64> {
        self.wv.dot(&self.wo)
    }

    /// One of the four matrices.
    pub fn matrix(&self, which: HeadMatrix) -> &Array2<f64> {
        match which {
            HeadMatrix::Wq => &self.wq,
            HeadMatrix::Wk => &self.wk,
            HeadMatrix::Wv => &self.wv,
            HeadMatrix::Wo => &self.wo,
        }
    }

    /// One of the four matrices, to change it.
    pub fn matrix_mut(&mut self, which: HeadMatrix) -> &mut Array2<f64> {
        match which {
            HeadMatrix::Wq => &mut self.wq,
            HeadMatrix::Wk => &mut self.wk,
            HeadMatrix::Wv => &mut self.wv,
            HeadMatrix::Wo => &mut self.wo,
        }
    }

    fn check(&self, class: &Class, name: &str) -> Result<(), Error> {
        let (d, d_h) = (class.width, class.head_width);
        expect_shape(&format!("{name}.wq"), self.wq.view(), (d, d_h))?;
        expect_shape(&format!("{name}.wk"), self.wk.view(), (d, d_h))?;
        let v = self.wv.ncols();
        if self.wv.nrows() != d || v == 0 {
            return Err(Error::Shape {
                name: format!("{name}.wv"),
                found: self.wv.dim(),
                expected: format!("{d}×v with v ≥ 1"),
            });
        }
        expect_finite(&format!("{name}.wv"), self.wv.view())?;
        expect_shape(&format!("{name}.wo"), self.wo.view(), (v, d))
    }
}

impl HeadMatrix {
    /// All four, in the order of the files.
    pub const ALL: [HeadMatrix; 4] = [HeadMatrix::Wq, HeadMatrix::Wk, HeadMatrix::Wv, HeadMatrix::Wo];

    /// The name that the files use: `wq`.
    pub fn name(self) -> &'static str {
        match self {
            HeadMatrix::Wq => "wq",
            HeadMatrix::Wk => "wk",
            HeadMatrix::Wv => "wv",
            HeadMatrix::Wo => "wo",
        }
    }
}

impl Vocabulary {
    /// X = onehot · W_E + W_pos (n × d).
    ///
    /// # Errors
    /// When there is no token, a token is unknown, or there are more tokens than positions.
    pub fn embed<S: AsRef<str>>(&self, tokens: &[S]) -> Result<Array2<f64>, Error> {
        if tokens.is_empty() {
            return Err(Error::EmptyInput);
        }
        if let Some(positions) = &self.positions
            && tokens.len() > positions.nrows()
        {
            return Err(Error::TooLong { found: tokens.len(), longest: positions.nrows() });
        }
        let mut x = Array2::zeros((tokens.len(), self.embedding.ncols()));
        for (i, token) in tokens.iter().enumerate() {
            let token = token.as_ref();
            let id = self
                .tokens
                .iter()
                .position(|known| known == token)
                .ok_or_else(|| Error::UnknownToken { position: i + 1, token: token.to_owned() })?;
            let mut row = x.row_mut(i);
            row += &self.embedding.row(id);
            if let Some(positions) = &self.positions {
                row += &positions.row(i);
            }
        }
        Ok(x)
    }

    /// The tokens of a text: its characters when every token of the vocabulary is a single character, else
    /// its words. Unknown ones stay as they are, for [`Vocabulary::embed`] to name.
    pub fn split(&self, text: &str) -> Vec<String> {
        if self.tokens.iter().all(|token| token.chars().count() == 1) {
            text.chars().filter(|character| !character.is_whitespace()).map(String::from).collect()
        } else {
            text.split_whitespace().map(str::to_owned).collect()
        }
    }

    fn check(&self, class: &Class) -> Result<(), Error> {
        expect_shape("vocabulary.embedding", self.embedding.view(), (self.tokens.len(), class.width))?;
        match &self.positions {
            Some(positions) => {
                expect_shape("vocabulary.positions", positions.view(), (positions.nrows(), class.width))
            }
            None => Ok(()),
        }
    }
}

fn normal(draws: &mut NormalDraws, shape: (usize, usize), deviation: f64) -> Array2<f64> {
    Array2::from_shape_simple_fn(shape, || deviation * draws.draw())
}

fn expect_count(name: &str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::Count { name: name.to_owned(), found, expected }) }
}

fn expect_shape(name: &str, matrix: ArrayView2<f64>, expected: (usize, usize)) -> Result<(), Error> {
    if matrix.dim() != expected {
        return Err(Error::Shape {
            name: name.to_owned(),
            found: matrix.dim(),
            expected: format!("{}×{}", expected.0, expected.1),
        });
    }
    expect_finite(name, matrix)
}

pub(crate) fn expect_finite(name: &str, matrix: ArrayView2<f64>) -> Result<(), Error> {
    match matrix.indexed_iter().find(|(_, value)| !value.is_finite()) {
        Some(((row, column), value)) => {
            Err(Error::NotFinite { name: name.to_owned(), row, column, value: *value })
        }
        None => Ok(()),
    }
}
