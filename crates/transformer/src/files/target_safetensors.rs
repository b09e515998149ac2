//! Targets as safetensors: tensors `layers.{l}.heads.{h}.wq` …, and the rest as text in `__metadata__`. Other
//! matrices are written in the same container.
//!
//! The container is eight bytes of length, a JSON header and the data. It is read here rather than by
//! the `safetensors` crate, which cannot say which tensor is wrong, and which adds up claimed sizes in
//! `usize`, where 32-bit WebAssembly wraps around. The tests hold both to the same files.

use std::collections::BTreeMap;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::{Head, HeadMatrix, Layer, Target, Vocabulary};

use super::FileError;
use super::limits::{Limits, at_most, check_file_size};
use super::numbers::SAFETENSORS_TYPES;
use super::target_json::{ClassDocument, FORMAT, VERSION, check_format, check_version, known_word, required};

/// Reads a target from safetensors. Tensors that a target does not have are ignored.
///
/// # Errors
/// When the file is truncated, its header is not one, of another format or version, or when a
/// tensor is missing, of an unknown type or of the wrong shape, or a size is too large.
pub fn read_target_safetensors(bytes: &[u8]) -> Result<Target, FileError> {
    check_file_size(bytes)?;
    let file = Container::open(bytes)?;
    let metadata = |name: &str| -> Result<&str, FileError> {
        let text = file.header.metadata.as_ref().and_then(|metadata| metadata.get(name));
        required(text.map(String::as_str), &format!("__metadata__.{name}"))
    };
    check_format(unquoted(metadata("format")?))?;
    check_version(unquoted(metadata("version")?))?;
    let class = metadata_json::<ClassDocument>("class", metadata("class")?)?.class()?;

    let (d, d_h) = (class.width, class.head_width);
    let (score_shape, value_shape, output_shape) =
        (format!("{d}×{d_h}"), format!("{d}×v with v ≥ 1"), format!("v×{d}"));
    let mut layers = Vec::new();
    for l in 0..class.layers {
        let mut heads = Vec::new();
        for h in 0..class.heads {
            let read = |which: HeadMatrix, shape: &str| file.matrix(&tensor_name(l, h, which), shape);
            heads.push(Head {
                wq: read(HeadMatrix::Wq, &score_shape)?,
                wk: read(HeadMatrix::Wk, &score_shape)?,
                wv: read(HeadMatrix::Wv, &value_shape)?,
                wo: read(HeadMatrix::Wo, &output_shape)?,
            });
        }
        layers.push(Layer { heads });
    }
    let has = |name: &str| file.header.tensors.contains_key(name);
    // Any part of a vocabulary asks for the whole of it.
    let vocabulary = match has(EMBEDDING) || has(POSITIONS) || metadata("tokens").is_ok() {
        false => None,
        true => Some(Vocabulary {
            tokens: metadata_json("tokens", metadata("tokens")?)?,
            embedding: file.matrix(EMBEDDING, &format!("tokens×{d}"))?,
            positions: match has(POSITIONS) {
                false => None,
                true => Some(file.matrix(POSITIONS, &format!("positions×{d}"))?),
            },
        }),
    };
    Ok(Target::new(class, layers, vocabulary)?)
}

/// Writes a target as safetensors of type F64. The same target gives the same bytes, and reading
/// them gives the same target, bit for bit.
///
/// # Errors
/// When the header would be longer than the format permits (a vocabulary of many millions).
pub fn write_target_safetensors(target: &Target) -> Result<Vec<u8>, FileError> {
    let mut tensors = Vec::new();
    for (l, layer) in target.layers().iter().enumerate() {
        for (h, head) in layer.heads.iter().enumerate() {
            tensors.extend(HeadMatrix::ALL.map(|which| (tensor_name(l, h, which), head.matrix(which))));
        }
    }
    let json = |error: serde_json::Error| FileError::Refused { reason: error.to_string() };
    let class = serde_json::to_string(&ClassDocument::from(target.class())).map_err(json)?;
    let mut metadata = BTreeMap::from([
        ("format".to_owned(), FORMAT.to_owned()),
        ("version".to_owned(), VERSION.to_string()),
        ("class".to_owned(), class),
    ]);
    if let Some(vocabulary) = target.vocabulary() {
        metadata.insert("tokens".to_owned(), serde_json::to_string(&vocabulary.tokens).map_err(json)?);
        tensors.push((EMBEDDING.to_owned(), &vocabulary.embedding));
        tensors.extend(vocabulary.positions.as_ref().map(|positions| (POSITIONS.to_owned(), positions)));
    }

    let bytes = |matrix: &Array2<f64>| matrix.iter().flat_map(|value| value.to_le_bytes()).collect();
    let data = |(name, matrix): (String, &Array2<f64>)| (name, "F64", matrix.dim(), bytes(matrix));
    container(metadata, tensors.into_iter().map(data).collect())
}

/// A matrix that is not part of a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedMatrix<'a> {
    /// Its name in the file.
    pub name: &'a str,
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Its numbers, row by row.
    pub numbers: &'a [f32],
}

/// Writes matrices as safetensors of type F32, with text beside them. The same matrices give the same bytes.
///
/// # Errors
/// When a matrix does not have as many numbers as its shape says, or the header would be too long.
pub fn write_matrices_safetensors(
    metadata: BTreeMap<String, String>,
    matrices: &[NamedMatrix],
) -> Result<Vec<u8>, FileError> {
    let tensors = matrices.iter().map(|it| {
        let needed = it.shape.0 * it.shape.1;
        if needed != it.numbers.len() {
            let (needed, found) = (4 * needed as u64, 4 * it.numbers.len() as u64);
            return Err(FileError::Extent { name: it.name.to_owned(), needed, found });
        }
        let bytes = it.numbers.iter().flat_map(|value| value.to_le_bytes()).collect();
        Ok((it.name.to_owned(), "F32", it.shape, bytes))
    });
    container(metadata, tensors.collect::<Result<_, _>>()?)
}

/// A tensor on its way into a file: name, type, shape and numbers.
type Data = (String, &'static str, (usize, usize), Vec<u8>);

fn container(metadata: BTreeMap<String, String>, tensors: Vec<Data>) -> Result<Vec<u8>, FileError> {
    let mut header = Header { metadata: Some(metadata), tensors: BTreeMap::new() };
    let mut end = 0;
    for (name, dtype, (rows, columns), data) in &tensors {
        let start = end;
        end += data.len() as u64;
        let shape = vec![*rows as u64, *columns as u64];
        let info = TensorInfo { dtype: (*dtype).to_owned(), shape, data_offsets: (start, end) };
        header.tensors.insert(name.clone(), info);
    }
    let mut text =
        serde_json::to_string(&header).map_err(|error| FileError::Refused { reason: error.to_string() })?;
    // Readers that map the file into memory rely on data that begins at a multiple of eight.
    text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));
    at_most("header", text.len() as u64, Limits::STANDARD.header_bytes)?;

    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.bytes());
    tensors.iter().for_each(|(_, _, _, data)| bytes.extend(data));
    Ok(bytes)
}

const EMBEDDING: &str = "vocabulary.embedding";
const POSITIONS: &str = "vocabulary.positions";
const LENGTH_BYTES: usize = 8;

#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: Option<BTreeMap<String, String>>,
    #[serde(flatten)]
    tensors: BTreeMap<String, TensorInfo>,
}

#[derive(Serialize, Deserialize)]
struct TensorInfo {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

struct Container<'a> {
    header: Header,
    data: &'a [u8],
    /// Where the data begins in the file.
    offset: u64,
    file_bytes: u64,
}

impl<'a> Container<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, FileError> {
        let file_bytes = bytes.len() as u64;
        let truncated =
            |needed| FileError::Truncated { name: "header".to_owned(), needed, found: file_bytes };
        let (length, rest) = bytes.split_first_chunk().ok_or(truncated(LENGTH_BYTES as u64))?;
        let length = u64::from_le_bytes(*length);
        at_most("header", length, Limits::STANDARD.header_bytes)?;
        let offset = LENGTH_BYTES as u64 + length;
        // The limit above keeps the length within any usize.
        let (header, data) = rest.split_at_checked(length as usize).ok_or(truncated(offset))?;
        let header = std::str::from_utf8(header)
            .map_err(|error| FileError::NotUtf8 { byte: LENGTH_BYTES + error.valid_up_to() })?;
        let header =
            serde_json::from_str(header).map_err(|error| FileError::header_json("header", &error))?;
        Ok(Container { header, data, offset, file_bytes })
    }

    /// The matrix called `name`; `expected` is its shape in words, for the message.
    fn matrix(&self, name: &str, expected: &str) -> Result<Array2<f64>, FileError> {
        let info = required(self.header.tensors.get(name), name)?;
        let wrong_shape = || FileError::Shape {
            name: name.to_owned(),
            found: info.shape.clone(),
            expected: expected.to_owned(),
        };
        let [rows, columns] = info.shape[..] else { return Err(wrong_shape()) };
        let numbers = known_word(&format!("{name}.dtype"), Some(info.dtype.clone()), &SAFETENSORS_TYPES)?;
        let data = self.slice(name, info.data_offsets)?;
        let needed = rows.checked_mul(columns).and_then(|count| count.checked_mul(numbers.bytes as u64));
        if needed != Some(data.len() as u64) {
            return Err(FileError::Extent {
                name: name.to_owned(),
                needed: needed.unwrap_or(u64::MAX),
                found: data.len() as u64,
            });
        }
        let shape = usize::try_from(rows).ok().zip(usize::try_from(columns).ok()).ok_or_else(wrong_shape)?;
        Array2::from_shape_vec(shape, numbers.read_all(data)).map_err(|_| wrong_shape())
    }

    fn slice(&self, name: &str, (start, end): (u64, u64)) -> Result<&'a [u8], FileError> {
        if start > end {
            return Err(FileError::Extent { name: name.to_owned(), needed: 0, found: 0 });
        }
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        range.and_then(|(start, end)| self.data.get(start..end)).ok_or_else(|| FileError::Truncated {
            name: name.to_owned(),
            needed: end.saturating_add(self.offset),
            found: self.file_bytes,
        })
    }
}

fn tensor_name(layer: usize, head: usize, which: HeadMatrix) -> String {
    format!("layers.{layer}.heads.{head}.{}", which.name())
}

fn metadata_json<'a, T: Deserialize<'a>>(name: &str, text: &'a str) -> Result<T, FileError> {
    serde_json::from_str(text)
        .map_err(|error| FileError::header_json(&format!("__metadata__.{name}"), &error))
}

/// Plain text, or the same as JSON text: both are in use for the short fields.
fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}
