//! A request with places for arguments. Arguments fill places and never change the shape around
//! them: the host is fixed, a value stays in its path segment, a header in its line.

use crate::NodeError;
use model::{Code, Object, Str, Value};

/// A declared request.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpTool {
    pub method: Str,
    /// Scheme, host and port, without a slash at the end.
    pub origin: String,
    pub path: Vec<PathSegment>,
    pub query: Vec<(Str, RequestPiece)>,
    /// Lists in the query are sent as `a=1&a=2`.
    pub repeats_names: bool,
    pub headers: Vec<(Str, RequestPiece)>,
    pub body: Option<HttpToolBody>,
    pub credential: Option<ToolCredential>,
    /// The header that carries a key by which the service knows a repeated request.
    pub idempotency_header: Option<Str>,
    pub response: ToolResponse,
}

/// Text between two slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSegment(pub Vec<TextPiece>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece {
    Fixed(String),
    Argument(Str),
}

/// A value with places for arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestPiece {
    Fixed(Value),
    /// The argument as it is.
    Argument(Str),
    /// The argument; the values of a list with this between them.
    Joined(Str, &'static str),
    /// Arguments within text.
    Text(Vec<TextPiece>),
    List(Vec<RequestPiece>),
    Fields(Vec<(Str, RequestPiece)>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum HttpToolBody {
    Json(RequestPiece),
    Form(RequestPiece),
    Text { content_type: Str, text: RequestPiece },
}

/// The credential that a tool uses, by its type and ID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCredential {
    pub kind: Str,
    pub id: Str,
}

/// What of the answer the model gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResponse {
    /// Path of the part that counts, such as `data.items`.
    pub select: Option<Str>,
    pub max_bytes: Option<usize>,
}

impl HttpTool {
    /// The address with the arguments in their places.
    pub fn url(&self, arguments: &Object) -> Result<String, NodeError> {
        let mut url = self.origin.clone();
        for segment in &self.path {
            url.push('/');
            url.push_str(&segment.fill(arguments)?);
        }
        if self.path.is_empty() {
            url.push('/');
        }
        // The parser of the client is asked what it will do with the address.
        let is_kept = url::Url::parse(&url).is_ok_and(|parsed| {
            let n_segments = parsed.path_segments().map_or(0, Iterator::count);
            parsed.origin().ascii_serialization() == self.origin
                && n_segments == self.path.len().max(1)
                && parsed.query().is_none()
                && parsed.fragment().is_none()
                && parsed.username().is_empty()
                && parsed.password().is_none()
        });
        match is_kept {
            true => Ok(url),
            false => Err(misplaced("the path", "would change the address of the request")),
        }
    }

    /// Names of all arguments that the request has places for.
    pub fn arguments(&self) -> Vec<&Str> {
        let mut names = Vec::new();
        let pieces = self.path.iter().flat_map(|segment| &segment.0);
        names.extend(pieces.filter_map(TextPiece::argument));
        let fields = self.query.iter().chain(&self.headers);
        fields.for_each(|(_, piece)| piece.collect(&mut names));
        match &self.body {
            Some(HttpToolBody::Json(piece) | HttpToolBody::Form(piece)) => {
                piece.collect(&mut names)
            }
            Some(HttpToolBody::Text { text, .. }) => text.collect(&mut names),
            None => {}
        }
        names
    }
}

impl PathSegment {
    /// Names of the arguments in it.
    pub fn arguments(&self) -> impl Iterator<Item = &Str> {
        self.0.iter().filter_map(TextPiece::argument)
    }

    fn fill(&self, arguments: &Object) -> Result<String, NodeError> {
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                TextPiece::Fixed(text) => filled.push_str(text),
                TextPiece::Argument(name) => {
                    let value = arguments.get(name).filter(|value| !value.is_nullish());
                    let text = match value {
                        None => return Err(misplaced(name, "is missing")),
                        Some(Value::Array(_) | Value::Object(_)) => {
                            return Err(misplaced(name, "must be text or a number"));
                        }
                        Some(value) => value.to_js_string(),
                    };
                    if text.is_empty() {
                        return Err(misplaced(name, "must not be empty"));
                    }
                    filled.push_str(&escape(&text));
                }
            }
        }
        // Only these two lead out of a segment; every other character of a value is escaped.
        match filled.as_str() {
            "." | ".." => {
                let name = self.arguments().next().map_or("the path", |name| name.as_str());
                Err(misplaced(name, "must not be '.' or '..'"))
            }
            _ => Ok(filled),
        }
    }
}

impl TextPiece {
    fn argument(&self) -> Option<&Str> {
        match self {
            TextPiece::Argument(name) => Some(name),
            TextPiece::Fixed(_) => None,
        }
    }
}

impl RequestPiece {
    /// The value with the arguments in their places; `None` for an argument that is not given.
    pub fn fill(&self, arguments: &Object) -> Option<Value> {
        let given = |name: &Str| arguments.get(name).filter(|value| !value.is_undefined()).cloned();
        match self {
            RequestPiece::Fixed(value) => Some(value.clone()),
            RequestPiece::Argument(name) => given(name),
            RequestPiece::Joined(name, separator) => Some(match given(name)? {
                Value::Array(values) => {
                    let texts: Vec<Str> = values.iter().map(Value::to_js_string).collect();
                    Value::from(texts.join(separator))
                }
                value => value,
            }),
            RequestPiece::Text(pieces) => {
                let texts = pieces.iter().map(|piece| match piece {
                    TextPiece::Fixed(text) => Str::from(text.as_str()),
                    TextPiece::Argument(name) => match given(name) {
                        None | Some(Value::Null) => Str::new(),
                        Some(value @ (Value::Array(_) | Value::Object(_))) => {
                            model::json::to_string(&value).into()
                        }
                        Some(value) => value.to_js_string(),
                    },
                });
                Some(Value::from(texts.collect::<Vec<_>>().concat()))
            }
            RequestPiece::List(pieces) => Some(Value::array(
                pieces.iter().filter_map(|piece| piece.fill(arguments)).collect(),
            )),
            RequestPiece::Fields(fields) => {
                let filled = fields
                    .iter()
                    .filter_map(|(name, piece)| Some((name.clone(), piece.fill(arguments)?)));
                Some(Value::object(filled.collect()))
            }
        }
    }

    fn collect<'p>(&'p self, names: &mut Vec<&'p Str>) {
        match self {
            RequestPiece::Fixed(_) => {}
            RequestPiece::Argument(name) | RequestPiece::Joined(name, _) => names.push(name),
            RequestPiece::Text(pieces) => {
                names.extend(pieces.iter().filter_map(TextPiece::argument));
            }
            RequestPiece::List(pieces) => pieces.iter().for_each(|piece| piece.collect(names)),
            RequestPiece::Fields(fields) => {
                fields.iter().for_each(|(_, piece)| piece.collect(names));
            }
        }
    }
}

/// Percent escapes as in RFC 3986: everything but letters, digits and `-._~`.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn misplaced(argument: &str, problem: &str) -> NodeError {
    NodeError::new(Code::TOOL_ARGUMENT, format!("The argument '{argument}' {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn tool(path: &[&[TextPiece]]) -> HttpTool {
        HttpTool {
            method: "GET".into(),
            origin: "https://api.test".into(),
            path: path.iter().map(|pieces| PathSegment(pieces.to_vec())).collect(),
            query: Vec::new(),
            repeats_names: false,
            headers: Vec::new(),
            body: None,
            credential: None,
            idempotency_header: None,
            response: ToolResponse::default(),
        }
    }

    fn fixed(text: &str) -> TextPiece {
        TextPiece::Fixed(text.into())
    }

    fn url(tool: &HttpTool, id: &Value) -> Result<String, Code> {
        tool.url(&Object::from_iter([("id", id.clone())])).map_err(|error| error.code())
    }

    #[test]
    fn a_value_stays_in_its_path_segment() {
        let item = tool(&[&[fixed("v1")], &[TextPiece::Argument("id".into())], &[fixed("x")]]);
        for (value, expected) in [
            ("7", "7"),
            ("a/b", "a%2Fb"),
            ("../admin", "..%2Fadmin"),
            ("%2e%2e", "%252e%252e"),
            ("a\\b", "a%5Cb"),
            ("x@evil.test", "x%40evil.test"),
            ("a?b=c#d", "a%3Fb%3Dc%23d"),
            ("a\r\nHost: b", "a%0D%0AHost%3A%20b"),
            ("...", "..."),
        ] {
            let expected = format!("https://api.test/v1/{expected}/x");
            assert_eq!(url(&item, &value.into()), Ok(expected), "{value}");
        }
        for value in
            [json!(""), json!("."), json!(".."), json!(null), json!([1]), json!({ "a": 1 })]
        {
            assert_eq!(url(&item, &value), Err(Code::TOOL_ARGUMENT), "{value:?}");
        }
        assert!(item.url(&Object::new()).is_err(), "a missing one");
    }

    #[test]
    fn dots_around_a_place_do_not_make_a_way_out() {
        let hidden = tool(&[&[fixed("v1")], &[fixed("."), TextPiece::Argument("id".into())]]);
        assert!(url(&hidden, &".".into()).is_err());
        assert_eq!(url(&hidden, &"env".into()), Ok("https://api.test/v1/.env".to_owned()));
    }

    #[test]
    fn arguments_that_are_not_given_leave_their_fields_out() {
        let piece = RequestPiece::Fields(vec![
            ("a".into(), RequestPiece::Argument("a".into())),
            ("b".into(), RequestPiece::Argument("b".into())),
            ("c".into(), RequestPiece::Text(vec![fixed("x-"), TextPiece::Argument("b".into())])),
        ]);
        let filled = piece.fill(&Object::from_iter([("a", json!([1, null]))]));
        assert_eq!(filled, Some(json!({ "a": [1, null], "c": "x-" })));
    }
}
