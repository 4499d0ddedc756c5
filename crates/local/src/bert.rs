//! The forward pass of BERT, as all-MiniLM-L6-v2 has it: a text goes in, a vector of its meaning
//! comes out.

use crate::math::{Product, add, add_to_rows, gelu, layer_norm, softmax};
use crate::tokenizers::word_piece::WordPiece;
use crate::weights::safetensors::Tensors;
use crate::weights::{Matrix, WeightsError};

/// What all-MiniLM-L6-v2 is made of.
const WIDTH: usize = 384;
const INNER: usize = 1536;
const LAYERS: usize = 6;
const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;
const POSITIONS: usize = 512;
const EPSILON: f32 = 1e-12;

/// Tokens that the model was trained to look at; what is beyond is left out, as its authors do it.
const MAX_TOKENS: usize = 256;

/// An embedding model in memory.
pub(crate) struct Bert {
    words: Vec<f32>,
    positions: Vec<f32>,
    /// The model knows two kinds of sentences; we only have the first.
    kind: Vec<f32>,
    norm: Norm,
    layers: Vec<BertLayer>,
    tokens: WordPiece,
}

struct BertLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: Norm,
    inner: Linear,
    outer: Linear,
    outer_norm: Norm,
}

struct Linear {
    weights: Matrix,
    bias: Vec<f32>,
}

struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl Bert {
    pub(crate) fn read(weights: Vec<u8>, vocabulary: &str) -> Result<Self, WeightsError> {
        let tokens =
            WordPiece::read(vocabulary).ok_or(WeightsError::Form("a vocabulary of BERT"))?;
        let tensors = Tensors::read(weights)?;
        let mut kind = tensors.numbers("embeddings.token_type_embeddings.weight", &[2, WIDTH])?;
        kind.truncate(WIDTH);
        Ok(Self {
            words: tensors.numbers("embeddings.word_embeddings.weight", &[tokens.size(), WIDTH])?,
            positions: tensors
                .numbers("embeddings.position_embeddings.weight", &[POSITIONS, WIDTH])?,
            kind,
            norm: Norm::read(&tensors, "embeddings.LayerNorm")?,
            layers: (0..LAYERS)
                .map(|index| BertLayer::read(&tensors, index))
                .collect::<Result<_, _>>()?,
            tokens,
        })
    }

    /// The vector of a text. It has length one, so that the product of two is their nearness.
    pub(crate) fn embed(&self, text: &str) -> Vec<f32> {
        let tokens = self.tokens.encode(text, MAX_TOKENS);
        let mut rows = vec![0.0; tokens.len() * WIDTH];
        for ((row, token), position) in
            rows.chunks_exact_mut(WIDTH).zip(&tokens).zip(self.positions.chunks_exact(WIDTH))
        {
            row.copy_from_slice(&self.words[*token as usize * WIDTH..][..WIDTH]);
            add(row, position);
            add(row, &self.kind);
        }
        self.norm.apply(&mut rows);
        for layer in &self.layers {
            layer.apply(&mut rows);
        }
        let mut mean = vec![0.0; WIDTH];
        rows.chunks_exact(WIDTH).for_each(|row| add(&mut mean, row));
        let length =
            mean.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        mean.iter_mut().for_each(|number| *number /= length);
        mean
    }
}

impl BertLayer {
    fn read(tensors: &Tensors, index: usize) -> Result<Self, WeightsError> {
        let linear = |name: &str, rows, width| {
            Linear::read(tensors, &format!("encoder.layer.{index}.{name}"), rows, width)
        };
        let norm =
            |name: &str| Norm::read(tensors, &format!("encoder.layer.{index}.{name}.LayerNorm"));
        Ok(Self {
            query: linear("attention.self.query", WIDTH, WIDTH)?,
            key: linear("attention.self.key", WIDTH, WIDTH)?,
            value: linear("attention.self.value", WIDTH, WIDTH)?,
            mixed: linear("attention.output.dense", WIDTH, WIDTH)?,
            mixed_norm: norm("attention.output")?,
            inner: linear("intermediate.dense", INNER, WIDTH)?,
            outer: linear("output.dense", WIDTH, INNER)?,
            outer_norm: norm("output")?,
        })
    }

    fn apply(&self, rows: &mut [f32]) {
        let attended = self.attend(rows);
        add(rows, &self.mixed.apply(&attended));
        self.mixed_norm.apply(rows);
        let mut inner = self.inner.apply(rows);
        gelu(&mut inner);
        add(rows, &self.outer.apply(&inner));
        self.outer_norm.apply(rows);
    }

    /// Lets each token look at all others, head by head.
    fn attend(&self, rows: &[f32]) -> Vec<f32> {
        let count = rows.len() / WIDTH;
        let (mut query, key, value) =
            (self.query.apply(rows), self.key.apply(rows), self.value.apply(rows));
        let scale = 1.0 / (HEAD as f32).sqrt();
        query.iter_mut().for_each(|number| *number *= scale);
        let (mut queries, mut keys) = (vec![0.0; count * HEAD], vec![0.0; count * HEAD]);
        let mut values = vec![0.0; HEAD * count];
        let mut shares = vec![0.0; count * count];
        let mut attended = vec![0.0; count * WIDTH];
        for head in 0..HEADS {
            let of_head = |row: usize| row * WIDTH + head * HEAD..row * WIDTH + (head + 1) * HEAD;
            for row in 0..count {
                queries[row * HEAD..][..HEAD].copy_from_slice(&query[of_head(row)]);
                keys[row * HEAD..][..HEAD].copy_from_slice(&key[of_head(row)]);
                // Values stand on their side, so that a row of shares times a row of them is what
                // is looked for.
                value[of_head(row)]
                    .iter()
                    .enumerate()
                    .for_each(|(at, number)| values[at * count + row] = *number);
            }
            Product {
                input: &queries,
                weights: &keys,
                width: HEAD,
                output: &mut shares,
                stride: count,
                offset: 0,
            }
            .run();
            softmax(&mut shares, count);
            let offset = head * HEAD;
            Product {
                input: &shares,
                weights: &values,
                width: count,
                output: &mut attended,
                stride: WIDTH,
                offset,
            }
            .run();
        }
        attended
    }
}

impl Linear {
    fn read(
        tensors: &Tensors,
        name: &str,
        rows: usize,
        width: usize,
    ) -> Result<Self, WeightsError> {
        let weights =
            Matrix::plain(tensors.numbers(&format!("{name}.weight"), &[rows, width])?, width);
        Ok(Self { weights, bias: tensors.numbers(&format!("{name}.bias"), &[rows])? })
    }

    fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let mut output = vec![0.0; rows.len() / self.weights.width * self.weights.rows];
        self.weights.times(rows, &mut output);
        add_to_rows(&mut output, &self.bias);
        output
    }
}

impl Norm {
    fn read(tensors: &Tensors, name: &str) -> Result<Self, WeightsError> {
        let numbers = |part: &str| tensors.numbers(&format!("{name}.{part}"), &[WIDTH]);
        Ok(Self { scale: numbers("weight")?, shift: numbers("bias")? })
    }

    fn apply(&self, rows: &mut [f32]) {
        layer_norm(rows, &self.scale, &self.shift, EPSILON);
    }
}
