//! The forward pass of Llama, as SmolLM2-135M has it: tokens go in, and how likely each next one is
//! comes out.

use crate::math::{Product, add, add_weighted, rms_norm, silu_times, softmax};
use crate::tokenizers::byte_pairs::BytePairs;
use crate::weights::gguf::Gguf;
use crate::weights::{Matrix, WeightsError};

/// Tokens that are read in one pass: more would not be faster, and would take more memory.
const TOKENS_AT_ONCE: usize = 64;

/// More layers than any model of this kind has.
const MAX_LAYERS: usize = 1000;

/// A language model in memory.
pub(crate) struct Llama {
    pub(crate) words: BytePairs,
    shape: LlamaConfig,
    /// The vectors of the tokens, by which the next one is found too.
    tokens: Matrix,
    layers: Vec<LlamaLayer>,
    norm: Vec<f32>,
}

#[derive(Clone, Copy)]
struct LlamaConfig {
    width: usize,
    inner: usize,
    heads: usize,
    /// Several heads share keys and values.
    key_heads: usize,
    head: usize,
    context: usize,
    rotation: f32,
    epsilon: f32,
}

struct LlamaLayer {
    attention_norm: Vec<f32>,
    query: Matrix,
    key: Matrix,
    value: Matrix,
    mixed: Matrix,
    inner_norm: Vec<f32>,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

/// What a model has read: the keys and values of each layer and head. A clone goes on from the same
/// place.
#[derive(Clone, Default)]
pub(crate) struct KvCache {
    n_tokens: usize,
    /// For each layer and each head of keys, one row a token.
    keys: Vec<Vec<f32>>,
    values: Vec<Vec<f32>>,
}

impl KvCache {
    pub(crate) fn n_tokens(&self) -> usize {
        self.n_tokens
    }
}

impl Llama {
    pub(crate) fn read(file: Vec<u8>) -> Result<Self, WeightsError> {
        let gguf = Gguf::read(file)?;
        let count =
            |name: &str| gguf.number(&format!("llama.{name}")).map(|number| number as usize);
        let (width, heads, n_layers) =
            (count("embedding_length")?, count("attention.head_count")?, count("block_count")?);
        let shape = LlamaConfig {
            width,
            inner: count("feed_forward_length")?,
            heads,
            key_heads: count("attention.head_count_kv")?,
            head: width / heads.max(1),
            context: count("context_length")?,
            rotation: gguf.number("llama.rope.freq_base")? as f32,
            epsilon: gguf.number("llama.attention.layer_norm_rms_epsilon")? as f32,
        };
        let has_heads = shape.head > 0
            && shape.head.is_multiple_of(2)
            && shape.key_heads > 0
            && heads.is_multiple_of(shape.key_heads);
        if !has_heads || n_layers > MAX_LAYERS {
            return Err(WeightsError::Form("a Llama model"));
        }
        let words = BytePairs::read(&gguf)?;
        Ok(Self {
            tokens: gguf.matrix("token_embd.weight", words.size(), width)?,
            layers: (0..n_layers)
                .map(|index| LlamaLayer::read(&gguf, index, shape))
                .collect::<Result<_, _>>()?,
            norm: gguf.row("output_norm.weight", width)?,
            words,
            shape,
        })
    }

    /// How many tokens fit into a conversation.
    pub(crate) fn context(&self) -> usize {
        self.shape.context
    }

    /// Reads on, and gives the vector by which the next token is found. What is beyond the context
    /// is not read.
    pub(crate) fn forward(&self, read: &mut KvCache, tokens: &[u32]) -> Vec<f32> {
        let room = self.shape.context.saturating_sub(read.n_tokens);
        let mut last = vec![0.0; self.shape.width];
        for tokens in tokens[..tokens.len().min(room)].chunks(TOKENS_AT_ONCE) {
            let mut rows = vec![0.0; tokens.len() * self.shape.width];
            for (row, token) in rows.chunks_exact_mut(self.shape.width).zip(tokens) {
                self.tokens.unpack(*token as usize, row);
            }
            let kept = self.layers.len() * self.shape.key_heads;
            read.keys.resize_with(kept, Vec::new);
            read.values.resize_with(kept, Vec::new);
            for (index, layer) in self.layers.iter().enumerate() {
                layer.apply(&mut rows, read, index, self.shape);
            }
            read.n_tokens += tokens.len();
            rms_norm(
                &rows[rows.len() - self.shape.width..],
                &self.norm,
                self.shape.epsilon,
                &mut last,
            );
        }
        last
    }

    /// How well each token of the vocabulary goes on.
    pub(crate) fn logits(&self, last: &[f32]) -> Vec<f32> {
        let mut scores = vec![0.0; self.tokens.rows];
        self.tokens.times(last, &mut scores);
        scores
    }

    /// How well each of these tokens goes on; much less work than all of them.
    pub(crate) fn logits_of(&self, last: &[f32], tokens: &[u32]) -> Vec<f32> {
        self.tokens.chosen_rows_times(last, tokens)
    }
}

impl LlamaLayer {
    fn read(gguf: &Gguf, index: usize, shape: LlamaConfig) -> Result<Self, WeightsError> {
        let LlamaConfig { width, inner, key_heads, head, .. } = shape;
        let matrix = |name: &str, rows, width| {
            gguf.matrix(&format!("blk.{index}.{name}.weight"), rows, width)
        };
        let row = |name: &str| gguf.row(&format!("blk.{index}.{name}.weight"), width);
        Ok(Self {
            attention_norm: row("attn_norm")?,
            query: matrix("attn_q", width, width)?,
            key: matrix("attn_k", key_heads * head, width)?,
            value: matrix("attn_v", key_heads * head, width)?,
            mixed: matrix("attn_output", width, width)?,
            inner_norm: row("ffn_norm")?,
            gate: matrix("ffn_gate", inner, width)?,
            up: matrix("ffn_up", inner, width)?,
            down: matrix("ffn_down", width, inner)?,
        })
    }

    fn apply(&self, rows: &mut [f32], read: &mut KvCache, index: usize, shape: LlamaConfig) {
        let times = |matrix: &Matrix, rows: &[f32]| {
            let mut output = vec![0.0; rows.len() / matrix.width * matrix.rows];
            matrix.times(rows, &mut output);
            output
        };
        let mut normed = vec![0.0; rows.len()];
        rms_norm(rows, &self.attention_norm, shape.epsilon, &mut normed);
        let (mut query, mut key) = (times(&self.query, &normed), times(&self.key, &normed));
        let value = times(&self.value, &normed);
        rotate(&mut query, shape.heads * shape.head, read.n_tokens, shape);
        rotate(&mut key, shape.key_heads * shape.head, read.n_tokens, shape);
        let scale = 1.0 / (shape.head as f32).sqrt();
        query.iter_mut().for_each(|number| *number *= scale);
        for head in 0..shape.key_heads {
            let at = index * shape.key_heads + head;
            let stride = shape.key_heads * shape.head;
            let of_head = |rows: &[f32], kept: &mut Vec<f32>| {
                rows.chunks_exact(stride).for_each(|row| {
                    kept.extend_from_slice(&row[head * shape.head..][..shape.head])
                });
            };
            of_head(&key, &mut read.keys[at]);
            of_head(&value, &mut read.values[at]);
        }
        add(rows, &times(&self.mixed, &attend(&query, read, index, shape)));
        rms_norm(rows, &self.inner_norm, shape.epsilon, &mut normed);
        let mut inner = times(&self.gate, &normed);
        silu_times(&mut inner, &times(&self.up, &normed));
        add(rows, &times(&self.down, &inner));
    }
}

/// Turns each pair of numbers by an angle that grows with the place of the token: pairs of
/// neighbours, as GGUF has them.
fn rotate(rows: &mut [f32], width: usize, first: usize, shape: LlamaConfig) {
    for (place, row) in (first..).zip(rows.chunks_exact_mut(width)) {
        let angle = |pair: usize| {
            place as f32 * shape.rotation.powf(-2.0 * pair as f32 / shape.head as f32)
        };
        let angles: Vec<(f32, f32)> =
            (0..shape.head / 2).map(|pair| angle(pair).sin_cos()).collect();
        for head in row.chunks_exact_mut(shape.head) {
            let (pairs, _) = head.as_chunks_mut::<2>();
            for ([x, y], (sine, cosine)) in pairs.iter_mut().zip(&angles) {
                (*x, *y) = (*x * cosine - *y * sine, *x * sine + *y * cosine);
            }
        }
    }
}

/// Lets each new token look at itself and at all that were read before it.
fn attend(query: &[f32], read: &KvCache, layer: usize, shape: LlamaConfig) -> Vec<f32> {
    let LlamaConfig { heads, key_heads, head, .. } = shape;
    let width = heads * head;
    let mut attended = vec![0.0; query.len()];
    let mut shares = Vec::new();
    for (place, (row, attended)) in
        query.chunks_exact(width).zip(attended.chunks_exact_mut(width)).enumerate()
    {
        let seen = read.n_tokens + place + 1;
        for (index, (query, attended)) in
            row.chunks_exact(head).zip(attended.chunks_exact_mut(head)).enumerate()
        {
            let at = layer * key_heads + index / (heads / key_heads);
            shares.clear();
            shares.resize(seen, 0.0);
            let keys = &read.keys[at][..seen * head];
            Product {
                input: query,
                weights: keys,
                width: head,
                output: &mut shares,
                stride: seen,
                offset: 0,
            }
            .run();
            softmax(&mut shares, seen);
            add_weighted(attended, &shares, &read.values[at]);
        }
    }
    attended
}
