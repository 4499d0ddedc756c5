//! Templates: text with `{{ … }}` parts, split once.
