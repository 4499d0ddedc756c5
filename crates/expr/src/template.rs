//! Templates: text with `{{ … }}` parts, split once.

use model::Str;

pub struct Template {
    parts: Vec<Part>,
}

pub enum Part {
    Text(Str),
}

impl Template {
    pub fn parse(text: &str) -> Self {
        Self { parts: vec![Part::Text(text.trim_start_matches('=').into())] }
    }

    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}
