//! Writes JSON as XML by the rules of the xml2js library.

use model::{Code, Object, Str, Value};
use ports::NodeError;

const MAX_DEPTH: usize = 512;

pub struct XmlWriteOptions {
    pub attribute_key: Str,
    pub text_key: Str,
    pub cdata: bool,
    pub headless: bool,
    pub root_name: Str,
}

/// What stands inside an element.
enum Child {
    Element(Element),
    Text(String),
    /// Written as it is.
    Raw(String),
}

struct Element {
    name: Str,
    attributes: Vec<(Str, String)>,
    children: Vec<Child>,
}

pub fn build(json: &Value, options: &XmlWriteOptions) -> Result<String, NodeError> {
    let fields: Vec<(&Str, &Value)> =
        json.as_object().map(|object| object.iter().collect()).unwrap_or_default();
    // A single field becomes the root itself, unless a name was asked for.
    let (name, content) = match fields.as_slice() {
        [(name, value)] if options.root_name == "root" => ((*name).clone(), *value),
        _ => (options.root_name.clone(), json),
    };
    let mut root = Element::new(&name)?;
    root.fill(content, options, 0)?;
    let mut out = String::new();
    if !options.headless {
        out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    }
    root.write(&mut out, 0);
    Ok(out)
}

impl Element {
    fn new(name: &str) -> Result<Self, NodeError> {
        let is_first = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | ':');
        let is_part = |letter: char| {
            is_first(letter) || letter.is_numeric() || matches!(letter, '-' | '.' | '\u{b7}')
        };
        if name.starts_with(is_first) && name.chars().all(is_part) {
            Ok(Self { name: name.into(), attributes: Vec::new(), children: Vec::new() })
        } else {
            Err(NodeError::input(format!("Invalid character in name: {name}")))
        }
    }

    fn fill(
        &mut self,
        value: &Value,
        options: &XmlWriteOptions,
        depth: usize,
    ) -> Result<(), NodeError> {
        if depth > MAX_DEPTH {
            return Err(NodeError::new(
                Code::INPUT_BOMB,
                format!("The data exceeds the limit of {MAX_DEPTH} nested levels"),
            ));
        }
        match value {
            Value::Null | Value::Undefined => {}
            Value::Array(entries) => {
                for entry in entries.iter() {
                    for (key, inner) in entry.as_object().into_iter().flat_map(Object::iter) {
                        self.add(key, inner, options, depth)?;
                    }
                }
            }
            Value::Object(object) => {
                for (key, child) in object.iter() {
                    if *key == options.attribute_key {
                        for (name, value) in child.as_object().into_iter().flat_map(Object::iter) {
                            let value = if value.is_nullish() {
                                String::new()
                            } else {
                                value.to_js_string().into()
                            };
                            self.attributes.push((name.clone(), checked(value)?));
                        }
                    } else if *key == options.text_key {
                        self.text(child, options)?;
                    } else if let Value::Array(entries) = child {
                        for entry in entries.iter() {
                            self.add(key, entry, options, depth)?;
                        }
                    } else {
                        self.add(key, child, options, depth)?;
                    }
                }
            }
            plain => self.text(plain, options)?,
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: &str,
        value: &Value,
        options: &XmlWriteOptions,
        depth: usize,
    ) -> Result<(), NodeError> {
        let mut child = Element::new(name)?;
        child.fill(value, options, depth + 1)?;
        self.children.push(Child::Element(child));
        Ok(())
    }

    fn text(&mut self, value: &Value, options: &XmlWriteOptions) -> Result<(), NodeError> {
        let text = checked(value.to_js_string().into())?;
        let needs_cdata = options.cdata && value.is_string() && text.contains(['&', '<', '>']);
        self.children.push(if needs_cdata {
            Child::Raw(format!("<![CDATA[{}]]>", text.replace("]]>", "]]]]><![CDATA[>")))
        } else {
            Child::Text(text)
        });
        Ok(())
    }

    fn write(&self, out: &mut String, level: usize) {
        out.push('<');
        out.push_str(&self.name);
        for (name, value) in &self.attributes {
            out.push_str(&format!(" {name}=\"{}\"", escape_attribute(value)));
        }
        let is_empty = self
            .children
            .iter()
            .all(|child| matches!(child, Child::Text(text) | Child::Raw(text) if text.is_empty()));
        if is_empty {
            out.push_str("/>");
            return;
        }
        out.push('>');
        if let [Child::Text(text)] = self.children.as_slice() {
            out.push_str(&escape_text(text));
        } else if let [Child::Raw(text)] = self.children.as_slice() {
            out.push_str(text);
        } else {
            for child in &self.children {
                out.push('\n');
                out.push_str(&"  ".repeat(level + 1));
                match child {
                    Child::Element(element) => element.write(out, level + 1),
                    Child::Text(text) => out.push_str(&escape_text(text)),
                    Child::Raw(text) => out.push_str(text),
                }
            }
            out.push('\n');
            out.push_str(&"  ".repeat(level));
        }
        out.push_str(&format!("</{}>", self.name));
    }
}

/// XML knows no control characters.
fn checked(text: String) -> Result<String, NodeError> {
    let is_bad = |letter: char| {
        (letter < ' ' && !matches!(letter, '\t' | '\n' | '\r'))
            || matches!(letter, '\u{fffe}' | '\u{ffff}')
    };
    match text.chars().position(is_bad) {
        Some(at) => {
            Err(NodeError::input(format!("Invalid character in string: {text} at index {at}")))
        }
        None => Ok(text),
    }
}

fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#xD;")
}

fn escape_attribute(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    text.replace('\t', "&#x9;").replace('\n', "&#xA;").replace('\r', "&#xD;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn write(json: Value, cdata: bool, root_name: &str) -> Result<String, NodeError> {
        build(
            &json,
            &XmlWriteOptions {
                attribute_key: "$".into(),
                text_key: "_".into(),
                cdata,
                headless: true,
                root_name: root_name.into(),
            },
        )
    }

    #[test]
    fn lists_attributes_and_texts_are_written() {
        let json =
            json!({ "a": { "$": { "n": "x\"<" }, "_": "t", "b": [1, null, { "c": true }] } });
        let expected =
            "<a n=\"x&quot;&lt;\">\n  t\n  <b>1</b>\n  <b/>\n  <b>\n    <c>true</c>\n  </b>\n</a>";
        assert_eq!(write(json, false, "root").unwrap(), expected);
    }

    #[test]
    fn several_fields_get_a_root() {
        assert_eq!(
            write(json!({ "a": 1, "b": "" }), false, "root").unwrap(),
            "<root>\n  <a>1</a>\n  <b/>\n</root>"
        );
        assert_eq!(write(json!({ "a": 1 }), false, "doc").unwrap(), "<doc>\n  <a>1</a>\n</doc>");
    }

    #[test]
    fn texts_are_escaped_or_wrapped() {
        assert_eq!(write(json!({ "a": "<&>" }), false, "root").unwrap(), "<a>&lt;&amp;&gt;</a>");
        assert_eq!(
            write(json!({ "a": { "b": "x]]>y" } }), true, "root").unwrap(),
            "<a>\n  <b><![CDATA[x]]]]><![CDATA[>y]]></b>\n</a>"
        );
    }

    #[test]
    fn names_and_letters_that_xml_does_not_know_are_refused() {
        assert_eq!(
            write(json!({ "a b": 1 }), false, "root").unwrap_err().message(),
            "Invalid character in name: a b"
        );
        assert!(write(json!({ "a": "\u{1}" }), false, "root").is_err());
    }
}
