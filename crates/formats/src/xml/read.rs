//! Reads XML into JSON by the rules of the xml2js library.

use crate::names::sanitize_xml_name;
use crate::ticker::LoopTicker;
use model::{Code, Object, Str, Value};
use ports::NodeError;

const MAX_DEPTH: usize = 256;
const MAX_BYTES: usize = 64 << 20;

pub struct XmlReadOptions {
    pub attribute_key: Str,
    pub text_key: Str,
    pub explicit_array: bool,
    pub explicit_root: bool,
    pub ignore_attributes: bool,
    pub merge_attributes: bool,
    pub normalize: bool,
    pub lower_case: bool,
    pub trim: bool,
}

/// An element that is still open.
struct OpenElement {
    source_name: Str,
    name: Str,
    fields: Object,
    text: String,
    has_cdata: bool,
}

pub fn parse(text: &str, options: &XmlReadOptions) -> Result<Value, NodeError> {
    if text.len() > MAX_BYTES {
        return Err(NodeError::new(
            Code::INPUT_BOMB,
            format!("The XML exceeds the limit of {MAX_BYTES} bytes"),
        ));
    }
    if model::memory_estimate::estimate_xml(text) > model::memory_estimate::MAX_BYTES {
        let message = format!(
            "The XML has more elements and attributes than fit into {} bytes of memory",
            model::memory_estimate::MAX_BYTES
        );
        return Err(NodeError::new(Code::INPUT_BOMB, message).hint("Process it in smaller parts."));
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Value::empty_object());
    }
    let mut scanner = Scanner { text, at: 0 };
    let mut open: Vec<OpenElement> = Vec::new();
    let mut root: Option<Value> = None;
    let ticker = LoopTicker::default();
    while scanner.at < text.len() {
        ticker.tick()?;
        if !scanner.rest().starts_with('<') {
            let end = scanner.rest().find('<').unwrap_or(scanner.rest().len());
            let raw = &scanner.rest()[..end];
            match open.last_mut() {
                Some(element) => element.text.push_str(&scanner.decode(raw)?),
                None if raw.trim().is_empty() => {}
                None if root.is_some() => {
                    return Err(scanner.error("Text data outside of root node."));
                }
                None => return Err(scanner.error("Non-whitespace before first tag.")),
            }
            scanner.at += end;
        } else if scanner.rest().starts_with("<!--") {
            scanner.skip_past("-->", "Unterminated comment")?;
        } else if scanner.rest().starts_with("<![CDATA[") {
            let start = scanner.at + "<![CDATA[".len();
            scanner.skip_past("]]>", "Unterminated CDATA section")?;
            if let Some(element) = open.last_mut() {
                element.text.push_str(&text[start..scanner.at - "]]>".len()]);
                element.has_cdata = true;
            }
        } else if scanner.rest().starts_with("<?") {
            scanner.skip_past("?>", "Unterminated processing instruction")?;
        } else if scanner.rest().starts_with("<!") {
            scanner.doctype()?;
        } else if scanner.rest().starts_with("</") {
            let start = scanner.at + 2;
            scanner.skip_past(">", "Unclosed root tag")?;
            let name = text[start..scanner.at - 1].trim();
            let element = open.pop().filter(|element| element.source_name == name);
            let element = element.ok_or_else(|| scanner.error("Unexpected close tag"))?;
            close(element, &mut open, &mut root, options);
        } else {
            if root.is_some() {
                return Err(scanner.error("Text data outside of root node."));
            }
            if open.len() >= MAX_DEPTH {
                return Err(NodeError::new(
                    Code::INPUT_BOMB,
                    format!("The XML exceeds the limit of {MAX_DEPTH} nested levels"),
                ));
            }
            let (element, is_closed) = scanner.open_tag(options)?;
            if is_closed {
                close(element, &mut open, &mut root, options);
            } else {
                open.push(element);
            }
        }
    }
    match root {
        Some(root) if open.is_empty() => Ok(root),
        _ => Err(scanner.error("Unclosed root tag")),
    }
}

/// Turns a finished element into a value and hands it to its parent.
fn close(
    element: OpenElement,
    open: &mut [OpenElement],
    root: &mut Option<Value>,
    options: &XmlReadOptions,
) {
    let OpenElement { name, mut fields, mut text, has_cdata, .. } = element;
    let value = if text.trim().is_empty() && !has_cdata {
        if fields.is_empty() { text.into() } else { fields.into() }
    } else {
        if options.trim {
            text = text.trim().to_owned();
        }
        if options.normalize {
            text = join_spaces(text.trim());
        }
        if fields.is_empty() {
            text.into()
        } else {
            fields.insert(options.text_key.clone(), text);
            fields.into()
        }
    };
    match open.last_mut() {
        Some(parent) => assign(&mut parent.fields, name, value, options.explicit_array),
        None if options.explicit_root => *root = Some(Object::from_iter([(name, value)]).into()),
        None => *root = Some(value),
    }
}

/// The second value under a name makes a list of both.
fn assign(fields: &mut Object, name: Str, value: Value, explicit_array: bool) {
    match fields.get_mut(&name) {
        None => drop(
            fields.insert(name, if explicit_array { Value::array(vec![value]) } else { value }),
        ),
        Some(list @ Value::Array(_)) => list.make_array().push(value),
        Some(single) => *single = Value::array(vec![std::mem::take(single), value]),
    }
}

/// Runs of two and more spaces become one.
fn join_spaces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run = String::new();
    for letter in text.chars() {
        if letter.is_whitespace() {
            run.push(letter);
        } else {
            out.push_str(if run.chars().count() > 1 { " " } else { &run });
            run.clear();
            out.push(letter);
        }
    }
    out
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// An error with the place it was found at, worded as n8n's parser words it.
    fn error(&self, what: &str) -> NodeError {
        let before = &self.text[..self.at.min(self.text.len())];
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let letter = self.text[before.len()..].chars().next().map(String::from).unwrap_or_default();
        NodeError::input(format!("{what}\nLine: {line}\nColumn: {column}\nChar: {letter}"))
    }

    fn skip_past(&mut self, end: &str, problem: &str) -> Result<(), NodeError> {
        match self.rest().find(end) {
            Some(found) => {
                self.at += found + end.len();
                Ok(())
            }
            None => Err(self.error(problem)),
        }
    }

    /// Document types pass unless they declare entities, which could unfold without end or read
    /// files.
    fn doctype(&mut self) -> Result<(), NodeError> {
        let mut in_subset = false;
        for (found, letter) in self.rest().char_indices() {
            match letter {
                '[' => in_subset = true,
                ']' => in_subset = false,
                '>' if !in_subset => {
                    if self.rest()[..found].to_ascii_uppercase().contains("<!ENTITY") {
                        let message = "The XML declares entities, which are not supported";
                        return Err(NodeError::new(Code::INPUT_BOMB, message));
                    }
                    self.at += found + 1;
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(self.error("Unterminated document type"))
    }

    fn open_tag(&mut self, options: &XmlReadOptions) -> Result<(OpenElement, bool), NodeError> {
        self.at += 1;
        let source_name = self.name().ok_or_else(|| self.error("Unencoded <"))?;
        let name =
            if options.lower_case { source_name.to_lowercase() } else { source_name.to_owned() };
        let mut fields = Object::new();
        loop {
            self.skip_spaces();
            if let Some(rest) = self.rest().strip_prefix("/>") {
                self.at = self.text.len() - rest.len();
                return Ok((Self::opened(source_name, &name, fields), true));
            }
            if self.rest().starts_with('>') {
                self.at += 1;
                return Ok((Self::opened(source_name, &name, fields), false));
            }
            if self.rest().is_empty() {
                return Err(self.error("Unclosed root tag"));
            }
            let attribute = self.name().ok_or_else(|| self.error("Invalid attribute name"))?;
            self.skip_spaces();
            if !self.rest().starts_with('=') {
                return Err(self.error("Attribute without value"));
            }
            self.at += 1;
            self.skip_spaces();
            let quote = self.rest().chars().next().filter(|quote| matches!(quote, '"' | '\''));
            let quote = quote.ok_or_else(|| self.error("Unquoted attribute value"))?;
            self.at += 1;
            let end = self.rest().find(quote).ok_or_else(|| self.error("Unclosed root tag"))?;
            let value = self.decode(&self.rest()[..end])?;
            self.at += end + 1;
            if options.ignore_attributes {
                continue;
            }
            if options.merge_attributes {
                assign(
                    &mut fields,
                    sanitize_xml_name(attribute),
                    value.into(),
                    options.explicit_array,
                );
            } else {
                fields
                    .entry(&options.attribute_key)
                    .make_object()
                    .insert(sanitize_xml_name(attribute), value);
            }
        }
    }

    fn opened(source_name: &str, name: &str, fields: Object) -> OpenElement {
        OpenElement {
            source_name: source_name.into(),
            name: sanitize_xml_name(name),
            fields,
            text: String::new(),
            has_cdata: false,
        }
    }

    fn name(&mut self) -> Option<&'t str> {
        let is_part = |letter: char| {
            letter.is_alphanumeric() || matches!(letter, '_' | ':' | '-' | '.' | '\u{b7}')
        };
        let rest = self.rest();
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let name = &rest[..end];
        if !name.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | ':')) {
            return None;
        }
        self.at += end;
        Some(name)
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Replaces the five named entities and character numbers.
    fn decode(&self, raw: &str) -> Result<String, NodeError> {
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(start) = rest.find('&') {
            out.push_str(&rest[..start]);
            let end = rest[start..]
                .find(';')
                .ok_or_else(|| self.error("Invalid character in entity name"))?
                + start;
            let name = &rest[start + 1..end];
            let number = match name.strip_prefix("#x").or_else(|| name.strip_prefix("#X")) {
                Some(digits) => u32::from_str_radix(digits, 16).ok(),
                None => name.strip_prefix('#').and_then(|digits| digits.parse().ok()),
            };
            let letter = match name {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => number.and_then(char::from_u32),
            };
            out.push(letter.ok_or_else(|| self.error("Invalid character entity"))?);
            rest = &rest[end + 1..];
        }
        out.push_str(rest);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn options() -> XmlReadOptions {
        XmlReadOptions {
            attribute_key: "$".into(),
            text_key: "_".into(),
            explicit_array: false,
            explicit_root: true,
            ignore_attributes: false,
            merge_attributes: true,
            normalize: false,
            lower_case: false,
            trim: false,
        }
    }

    fn read(text: &str, options: &XmlReadOptions) -> Value {
        parse(text, options).unwrap()
    }

    #[test]
    fn attributes_children_and_text_become_fields() {
        let text = "<?xml version='1.0'?><!DOCTYPE a><a x=\"1\"><!-- c --><b>t</b><b/>tail<c><![CDATA[<&>]]></c></a>";
        assert_eq!(
            read(text, &options()),
            json!({ "a": { "x": "1", "b": ["t", ""], "c": "<&>", "_": "tail" } })
        );
        let apart = XmlReadOptions { merge_attributes: false, explicit_array: true, ..options() };
        assert_eq!(
            read("<a x=\"1\"><b>t</b></a>", &apart),
            json!({ "a": { "$": { "x": "1" }, "b": ["t"] } })
        );
        let bare = XmlReadOptions {
            ignore_attributes: true,
            explicit_root: false,
            lower_case: true,
            ..options()
        };
        assert_eq!(read("<A x=\"1\"><B>t</B></A>", &bare), json!({ "b": "t" }));
    }

    #[test]
    fn texts_are_trimmed_and_normalized_when_asked_for() {
        assert_eq!(read("<a> x  y </a>", &options()), json!({ "a": " x  y " }));
        assert_eq!(
            read("<a> x  y </a>", &XmlReadOptions { trim: true, ..options() }),
            json!({ "a": "x  y" })
        );
        assert_eq!(
            read("<a> x \n y </a>", &XmlReadOptions { normalize: true, ..options() }),
            json!({ "a": "x y" })
        );
        assert_eq!(read("<a>&lt;&#65;&#x42;&amp;</a>", &options()), json!({ "a": "<AB&" }));
    }

    #[test]
    fn entity_bombs_and_deep_documents_are_refused() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><x>&b;</x>";
        assert_eq!(parse(bomb, &options()).unwrap_err().code(), Code::INPUT_BOMB);
        let external = "<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><x/>";
        assert_eq!(read(external, &options()), json!({ "x": "" }));
        assert_eq!(parse(&"<a>".repeat(100_000), &options()).unwrap_err().code(), Code::INPUT_BOMB);
    }

    #[test]
    fn issue_14_09_xml_that_would_take_too_much_memory_is_refused_before_it_is_read() {
        let elements = |count: usize| format!("<r>{}</r>", "<a b=''/>".repeat(count));
        assert_eq!(
            parse(&elements(model::memory_estimate::MAX_BYTES / 500), &options())
                .unwrap_err()
                .code(),
            Code::INPUT_BOMB
        );
        assert!(parse(&elements(1_000), &options()).is_ok());
    }

    #[test]
    fn broken_documents_say_where() {
        for (text, message) in [
            ("hello", "Non-whitespace before first tag.\nLine: 0\nColumn: 0\nChar: h"),
            ("<a>\n<b></a>", "Unexpected close tag"),
            ("<a>", "Unclosed root tag"),
            ("<a b></a>", "Attribute without value"),
            ("<a b=1></a>", "Unquoted attribute value"),
            ("<a>&nope;</a>", "Invalid character entity"),
            ("<a/>x", "Text data outside of root node."),
            ("<", "Unencoded <"),
            ("<a ü", "Attribute without value"),
        ] {
            let error = parse(text, &options()).unwrap_err();
            assert!(error.message().starts_with(message), "{text}: {error}");
        }
    }
}
