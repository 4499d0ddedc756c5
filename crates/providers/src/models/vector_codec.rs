//! Vectors as embedding models write them: lists of numbers, or their bytes as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Code, Value};
use node_api::ai::ModelError;

/// The body of an answer that should have vectors in it.
pub(super) fn parsed(answer: &[u8]) -> Result<Value, ModelError> {
    let answer = std::str::from_utf8(answer).map_err(|error| unreadable(error.to_string()))?;
    model::json::parse(answer).map_err(|error| unreadable(error.to_string()))
}

/// One vector for each text: entries say where they belong. A list with a hole, a stranger or
/// unequal lengths is none.
pub(super) fn in_order<'v>(
    entries: impl IntoIterator<Item = (usize, Option<&'v Value>)>,
    n_texts: usize,
) -> Result<Vec<Vec<f32>>, ModelError> {
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; n_texts];
    for (index, entry) in entries {
        let vector = entry
            .and_then(vector)
            .ok_or_else(|| unreadable(format!("number {index} is invalid")))?;
        let place = vectors.get_mut(index).ok_or_else(|| {
            unreadable(format!("expected {n_texts} vectors, found at least {}", index + 1))
        })?;
        *place = Some(vector);
    }
    let missing = |index| unreadable(format!("number {index} is missing"));
    let vectors: Vec<_> = vectors
        .into_iter()
        .enumerate()
        .map(|(index, vector)| vector.ok_or_else(|| missing(index)))
        .collect::<Result<_, _>>()?;
    if vectors.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        return Err(unreadable("they have different lengths".into()));
    }
    Ok(vectors)
}

fn unreadable(words: String) -> ModelError {
    ModelError::new(Code::MODEL_ERROR, format!("The model's vectors cannot be read: {words}"))
}

fn vector(value: &Value) -> Option<Vec<f32>> {
    let vector: Vec<f32> = match value {
        Value::Array(numbers) => numbers
            .iter()
            .map(|number| number.as_f64().map(|number| number as f32))
            .collect::<Option<_>>()?,
        Value::String(text) => {
            let bytes = STANDARD.decode(text.as_bytes()).ok()?;
            let (numbers, rest) = bytes.as_chunks::<4>();
            rest.is_empty()
                .then(|| numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())?
        }
        _ => return None,
    };
    (!vector.is_empty() && vector.iter().all(|number| number.is_finite())).then_some(vector)
}
