//! Tokenisers: how the models see a text as a row of numbers.

pub(crate) mod byte_pairs;
pub(crate) mod word_piece;
