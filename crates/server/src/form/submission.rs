//! Checks what a person sent against the form they were shown.

use model::{Binary, Object, Str, Value};
use node_api::trigger::{FormField, FormFieldKind, FormPage};
use runtime::FormSubmission;

/// What is wrong with a field.
pub(super) struct FieldProblem {
    pub(super) field: Str,
    pub(super) message: String,
}

/// What was sent, or everything that is wrong with it.
pub(super) fn check(
    form: &FormPage,
    fields: &Object,
    files: Vec<(Str, Binary)>,
    length: usize,
) -> Result<FormSubmission, Vec<FieldProblem>> {
    let mut problems = Vec::new();
    for field in &form.fields {
        let given = texts(fields.get(&field.name));
        let sent_files: Vec<&Binary> = files
            .iter()
            .filter(|(name, file)| is_of(name, &field.name) && !is_blank(file))
            .map(|(_, file)| file)
            .collect();
        if let Some(words) = problem(field, &given, &sent_files) {
            problems.push(FieldProblem { field: field.name.clone(), message: words });
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let is_known = |name: &str| form.fields.iter().any(|field| is_of(name, &field.name));
    let kept = fields
        .iter()
        .filter(|(name, _)| is_known(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Ok(FormSubmission { fields: kept, files: number_files(form, files), length })
}

/// Several files of one field are told apart by `_0`, `_1` and so on.
fn number_files(form: &FormPage, files: Vec<(Str, Binary)>) -> Vec<(Str, Binary)> {
    let mut named = Vec::new();
    for field in &form.fields {
        let FormFieldKind::File { multiple, .. } = &field.kind else { continue };
        let of_field =
            files.iter().filter(|(name, file)| is_of(name, &field.name) && !is_blank(file));
        for (place, (_, file)) in of_field.enumerate() {
            let name = if *multiple {
                format!("{}_{place}", field.name).into()
            } else {
                field.name.clone()
            };
            named.push((name, file.clone()));
        }
    }
    named
}

fn is_of(name: &str, field: &str) -> bool {
    name.strip_prefix(field).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Browsers send an empty part for a file that was not chosen.
fn is_blank(file: &Binary) -> bool {
    file.data.is_empty()
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let texts: Vec<String> = match value {
        None | Some(Value::Null | Value::Undefined) => Vec::new(),
        Some(Value::Array(values)) => {
            values.iter().map(|value| value.to_js_string().to_string()).collect()
        }
        Some(value) => vec![value.to_js_string().to_string()],
    };
    texts.into_iter().filter(|text| !text.trim().is_empty()).collect()
}

fn problem(field: &FormField, given: &[String], files: &[&Binary]) -> Option<String> {
    let is_missing = match &field.kind {
        FormFieldKind::File { .. } => files.is_empty(),
        FormFieldKind::Hidden | FormFieldKind::Html(_) => false,
        _ => given.is_empty(),
    };
    if is_missing {
        return field.required.then(|| "This field is required.".to_owned());
    }
    let is_option = |options: &[Str]| {
        given.iter().all(|text| options.iter().any(|option| option == text.as_str()))
    };
    match &field.kind {
        FormFieldKind::Number if given.iter().any(|text| text.trim().parse::<f64>().is_err()) => {
            Some("This must be a number.".to_owned())
        }
        FormFieldKind::Email if given.iter().any(|text| !is_email(text)) => {
            Some("This must be an email address.".to_owned())
        }
        FormFieldKind::DropDown { options, multiple }
            if !is_option(options) || (!multiple && given.len() > 1) =>
        {
            Some("Choose one of the options.".to_owned())
        }
        FormFieldKind::Radio { options } if !is_option(options) || given.len() > 1 => {
            Some("Choose one of the options.".to_owned())
        }
        FormFieldKind::CheckBoxes { options, at_least, at_most } => {
            let too_few = at_least.is_some_and(|least| given.len() < least);
            let too_many = at_most.is_some_and(|most| given.len() > most);
            match (is_option(options), too_few, too_many) {
                (false, ..) => Some("Choose only from the options.".to_owned()),
                (_, true, _) => Some(format!("Choose at least {}.", at_least.unwrap_or_default())),
                (_, _, true) => Some(format!("Choose at most {}.", at_most.unwrap_or_default())),
                _ => None,
            }
        }
        FormFieldKind::File { accepts, multiple } => {
            if !multiple && files.len() > 1 {
                return Some("Only one file is allowed.".to_owned());
            }
            let refused = files.iter().any(|file| !is_accepted(accepts, file));
            refused.then(|| format!("Only these files are allowed: {accepts}."))
        }
        _ => None,
    }
}

fn is_email(text: &str) -> bool {
    text.trim().split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains([' ', '@'])
    })
}

/// `.pdf, image/*, text/plain`; empty takes all.
pub(crate) fn is_accepted(accepts: &str, file: &Binary) -> bool {
    let mut wanted =
        accepts.split(',').map(str::trim).filter(|wanted| !wanted.is_empty()).peekable();
    if wanted.peek().is_none() {
        return true;
    }
    let name = file.file_name.as_deref().unwrap_or_default().to_lowercase();
    wanted.any(|wanted| match wanted.strip_suffix("/*") {
        Some(kind) => file.mime_type.starts_with(&format!("{kind}/")),
        None if wanted.contains('/') => file.mime_type == wanted,
        None => name.ends_with(&format!(".{}", wanted.trim_start_matches('.').to_lowercase())),
    })
}
