//! Forms with files: bodies of several parts.

use super::fields::add;
use super::{BodyOptions, ParsedBody, read_error, too_large};
use crate::error::ApiError;
use axum::body::Body;
use futures::TryStreamExt;
use model::{Binary, Code, Object, Str};

/// The longest name of a file that is kept, in letters.
const MAX_NAME_CHARS: usize = 200;

/// Names that are no files on some systems.
const RESERVED_NAMES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

pub(super) async fn read(
    body: Body,
    content_type: &str,
    how: &BodyOptions,
) -> Result<ParsedBody, ApiError> {
    let limits = how.limits;
    let bad = |error: multer::Error| match error {
        multer::Error::StreamSizeExceeded { .. } | multer::Error::FieldSizeExceeded { .. } => {
            too_large(limits)
        }
        multer::Error::StreamReadFailed(cause) => read_error(cause.as_ref(), limits),
        error => ApiError::new(Code::REQUEST_BODY, format!("The form cannot be read: {error}")),
    };
    let boundary = multer::parse_boundary(content_type).map_err(bad)?;
    let sizes = multer::SizeLimit::new().whole_stream(limits.bytes as u64);
    let stream = body.into_data_stream().map_err(std::io::Error::other);
    let mut parts = multer::Multipart::with_constraints(
        stream,
        boundary,
        multer::Constraints::new().size_limit(sizes),
    );
    let mut fields = Object::new();
    let mut files: Vec<(Str, Binary)> = Vec::new();
    let mut count = 0;
    let mut length = 0;
    while let Some(part) = parts.next_field().await.map_err(bad)? {
        count += 1;
        if count > limits.parts {
            return Err(ApiError::new(
                Code::REQUEST_TOO_LARGE,
                format!("The form has more than {} parts", limits.parts),
            ));
        }
        let name: Str = part.name().unwrap_or("data").into();
        let file_name = part.file_name().map(clean_file_name);
        let mime = part
            .content_type()
            .map_or_else(|| "application/octet-stream".to_owned(), ToString::to_string);
        let data = part.bytes().await.map_err(bad)?;
        length += data.len();
        match file_name {
            Some(file_name) => files.push((name, Binary::new(data, mime, Some(file_name)))),
            None => add(&mut fields, name, String::from_utf8_lossy(&data).into_owned().into()),
        }
    }
    Ok(ParsedBody {
        json: fields.into(),
        files: name_files(files, &how.binary_field),
        estimated_bytes: length,
    })
}

/// Several files of one field are numbered from 0; with a name of the author's own all files are,
/// in order.
fn name_files(files: Vec<(Str, Binary)>, own: &str) -> Vec<(Str, Binary)> {
    let mut counts: std::collections::HashMap<Str, (usize, usize)> =
        std::collections::HashMap::new();
    for (field, _) in &files {
        counts.entry(field.clone()).or_default().0 += 1;
    }
    let mut all = Vec::with_capacity(files.len());
    for (place, (field, file)) in files.into_iter().enumerate() {
        let bare = field.strip_suffix("[]").unwrap_or(&field);
        let (n_files, next) = counts.get_mut(&field).map_or((1, 0), |(n_files, next)| {
            *next += 1;
            (*n_files, *next - 1)
        });
        let name: Str = match (own.is_empty(), n_files) {
            (false, _) => format!("{own}{place}").into(),
            (true, 1) => bare.into(),
            (true, _) => format!("{bare}{next}").into(),
        };
        all.push((name, file));
    }
    all
}

/// The name in a header `Content-Disposition`.
pub(super) fn file_name_in(disposition: &str) -> Option<Str> {
    let named = disposition.split(';').skip(1).filter_map(|part| part.split_once('='));
    let name = named
        .into_iter()
        .find(|(key, _)| key.trim().eq_ignore_ascii_case("filename"))
        .map(|(_, name)| name);
    name.map(|name| clean_file_name(name.trim().trim_matches('"')))
}

/// The last part of a name that a caller gave, without what could lead elsewhere.
pub(super) fn clean_file_name(name: &str) -> Str {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .filter(|letter| !letter.is_control() && !is_bidi_control(*letter))
        .take(MAX_NAME_CHARS)
        .collect();
    let kept = kept.trim().trim_start_matches('.').trim_end_matches(['.', ' ']);
    let stem = kept.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_device = RESERVED_NAMES
        .contains(&stem.trim_end_matches(|letter: char| letter.is_ascii_digit()))
        && stem.len() <= 4;
    match (kept.is_empty(), is_device) {
        (true, _) => "file".into(),
        (false, true) => format!("_{kept}").into(),
        (false, false) => kept.into(),
    }
}

/// Letters that turn the direction of text around, so that `exe.gpj` reads as `jpg.exe`.
fn is_bidi_control(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
