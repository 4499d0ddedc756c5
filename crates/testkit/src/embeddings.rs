//! Vectors that depend on nothing but the text, so that the same text is always nearest to itself.

use crate::wire::WireFormat;
use serde_json::{Value, json};

/// As many numbers as a test needs to tell texts apart.
const DIMENSIONS: usize = 8;

pub(crate) fn answer(format: WireFormat, body: &Value) -> Value {
    let vectors: Vec<Vec<f64>> = texts(body).iter().map(|text| vector(text)).collect();
    let n_tokens = vectors.len() * 3;
    match format {
        WireFormat::Gemini if body["content"].is_object() => {
            json!({ "embedding": { "values": vector(&text_of(&body["content"])) } })
        }
        WireFormat::Gemini => {
            json!({ "embeddings": vectors.iter().map(|vector| json!({ "values": vector })).collect::<Value>() })
        }
        WireFormat::Ollama => {
            json!({ "model": body["model"], "embeddings": vectors, "prompt_eval_count": n_tokens })
        }
        _ if body["texts"].is_array() => {
            json!({ "id": "mock", "embeddings": { "float": vectors } })
        }
        _ => {
            let entry = |(index, vector): (usize, &Vec<f64>)| json!({ "object": "embedding", "index": index, "embedding": vector });
            let data: Value = vectors.iter().enumerate().map(entry).collect();
            let usage = json!({ "prompt_tokens": n_tokens, "total_tokens": n_tokens });
            json!({ "object": "list", "model": body["model"], "data": data, "usage": usage })
        }
    }
}

fn texts(body: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if let Some(requests) = body["requests"].as_array() {
        return requests.iter().map(|request| text_of(&request["content"])).collect();
    }
    match [&body["input"], &body["texts"]].into_iter().find(|place| !place.is_null()) {
        Some(Value::Array(list)) => list.iter().map(text).collect(),
        Some(one) => vec![text(one)],
        None => Vec::new(),
    }
}

fn text_of(content: &Value) -> String {
    content["parts"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// Counts what the words begin with, of length one.
fn vector(text: &str) -> Vec<f64> {
    let mut vector = [0.001; DIMENSIONS];
    for word in text.split_whitespace() {
        let sum: u32 = word.to_lowercase().chars().map(u32::from).sum();
        vector[sum as usize % DIMENSIONS] += 1.0;
    }
    let length = vector.iter().map(|number| number * number).sum::<f64>().sqrt();
    vector.iter().map(|number| number / length).collect()
}
