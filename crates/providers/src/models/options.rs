//! The options of one request over those that a model was set up with.

use node_api::ai::ModelOptions;

/// What `over` says, and `base` where it says nothing.
pub fn merged(base: &ModelOptions, over: &ModelOptions) -> ModelOptions {
    let extra = match (&base.extra, &over.extra) {
        (Some(base), Some(over)) => {
            let mut both = base.clone();
            super::prompt_fallback::put_extra(&mut both, over);
            Some(both)
        }
        (base, over) => over.clone().or_else(|| base.clone()),
    };
    ModelOptions {
        temperature: over.temperature.or(base.temperature),
        max_tokens: over.max_tokens.or(base.max_tokens),
        top_p: over.top_p.or(base.top_p),
        top_k: over.top_k.or(base.top_k),
        frequency_penalty: over.frequency_penalty.or(base.frequency_penalty),
        presence_penalty: over.presence_penalty.or(base.presence_penalty),
        seed: over.seed.or(base.seed),
        stop: if over.stop.is_empty() { base.stop.clone() } else { over.stop.clone() },
        effort: over.effort.clone().or_else(|| base.effort.clone()),
        extra,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn a_request_changes_only_what_it_names() {
        let base = ModelOptions {
            temperature: Some(0.2),
            max_tokens: Some(10),
            extra: Some(json!({ "a": 1 })),
            ..Default::default()
        };
        let over = ModelOptions {
            max_tokens: Some(20),
            stop: vec!["x".into()],
            extra: Some(json!({ "b": 2 })),
            ..Default::default()
        };
        let both = merged(&base, &over);
        assert_eq!((both.temperature, both.max_tokens, both.stop.len()), (Some(0.2), Some(20), 1));
        assert_eq!(both.extra, Some(json!({ "a": 1, "b": 2 })));
    }
}
