//! A page of HTML, read within limits. Reading takes longer than the page is long if its elements
//! are nested or its attributes are many, so it is read in pieces, with a turn for others in
//! between.

use crate::ticker::tick;
use html5ever::driver;
use html5ever::tendril::TendrilSink;
use model::Code;
use ports::NodeError;
use scraper::{ElementRef, Html, HtmlTreeSink, Selector};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Browsers stop at half of it. What walks a tree calls itself for each level.
const MAX_DEPTH: usize = 1_000;

/// Elements, texts and comments of one page; each takes some 200 bytes.
const MAX_NODES: usize = 500_000;

/// And of all pages that are read at the same time.
const MAX_NODES_TOGETHER: usize = 1_000_000;

/// What may be taken out of one page: elements inside of each other repeat what they hold.
const MAX_TAKEN_BYTES: usize = 64 << 20;

/// How much is read at a time.
const CHUNK_BYTES: usize = 2 << 10;

/// Nodes of all pages there are.
static NODES: AtomicUsize = AtomicUsize::new(0);

pub struct Page {
    html: Html,
    _nodes: NodeShare,
}

impl Page {
    pub fn read(text: &str) -> Result<Self, NodeError> {
        let mut nodes = NodeShare(0);
        let mut parser = driver::parse_document(
            HtmlTreeSink::new(Html::new_document()),
            driver::ParseOpts::default(),
        );
        for piece in chunks_of(text) {
            parser.process(piece.into());
            let html = parser.tokenizer.sink.sink.0.borrow();
            nodes.grow_to(html.tree.nodes().len())?;
            // The newest node tells of a page that only goes deeper, before the time that it takes
            // is wasted.
            check_depth(
                html.tree.nodes().next_back().map_or(0, |newest| newest.ancestors().count()),
            )?;
            drop(html);
            tick()?;
        }
        let html = parser.finish();
        check_depth(depth(&html)?)?;
        Ok(Self { html, _nodes: nodes })
    }

    /// The elements that fit, with a turn for others before each: some selectors look at all
    /// siblings of an element.
    pub fn select<'a>(
        &'a self,
        selector: &'a Selector,
    ) -> impl Iterator<Item = Result<ElementRef<'a>, NodeError>> {
        // Elements that the parser has moved away have no parent.
        let elements = self
            .html
            .tree
            .nodes()
            .filter_map(ElementRef::wrap)
            .filter(|element| element.parent().is_some());
        elements.filter_map(|element| match tick() {
            Ok(()) => selector.matches(&element).then_some(Ok(element)),
            Err(error) => Some(Err(error)),
        })
    }

    pub fn root(&self) -> ElementRef<'_> {
        self.html.root_element()
    }
}

fn chunks_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(CHUNK_BYTES));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

fn depth(html: &Html) -> Result<usize, NodeError> {
    use ego_tree::iter::Edge;
    let (mut depth, mut deepest) = (0usize, 0);
    for (position, edge) in html.tree.root().traverse().enumerate() {
        match edge {
            Edge::Open(_) => depth += 1,
            Edge::Close(_) => depth -= 1,
        }
        deepest = deepest.max(depth);
        if position.is_multiple_of(CHUNK_BYTES) {
            tick()?;
        }
    }
    Ok(deepest)
}

fn check_depth(depth: usize) -> Result<(), NodeError> {
    match depth > MAX_DEPTH {
        true => Err(NodeError::new(
            Code::INPUT_BOMB,
            format!("The HTML exceeds the limit of {MAX_DEPTH} nested levels"),
        )),
        false => Ok(()),
    }
}

/// What one page has of the nodes of all.
struct NodeShare(usize);

impl NodeShare {
    fn grow_to(&mut self, nodes: usize) -> Result<(), NodeError> {
        if nodes > MAX_NODES {
            return Err(NodeError::new(
                Code::INPUT_BOMB,
                format!("The HTML exceeds the limit of {MAX_NODES} elements and text nodes"),
            )
            .hint("Cut the page into smaller parts."));
        }
        let more = nodes.saturating_sub(self.0);
        self.0 += more;
        match NODES.fetch_add(more, Ordering::Relaxed) + more > MAX_NODES_TOGETHER {
            true => Err(NodeError::new(
                Code::OVERLOAD,
                "Too many large HTML pages are being parsed at once",
            )
            .hint("Try again later.")),
            false => Ok(()),
        }
    }
}

impl Drop for NodeShare {
    fn drop(&mut self) {
        NODES.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// How much was taken out of a page so far.
#[derive(Default)]
pub struct ExtractedBytes(usize);

impl ExtractedBytes {
    pub fn add(&mut self, bytes: usize) -> Result<(), NodeError> {
        self.0 = self.0.saturating_add(bytes);
        if self.0 > MAX_TAKEN_BYTES {
            return Err(NodeError::new(
                Code::INPUT_BOMB,
                format!(
                    "The elements that match the selector exceed the limit of {MAX_TAKEN_BYTES} \
                     bytes"
                ),
            )
            .hint("Use a selector that does not match nested elements."));
        }
        tick()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_in_pieces_are_the_pages_they_are_at_once() {
        let parts = [
            "<p>a &amp; b",
            "&am",
            "p;</p>\r\n",
            "<table><tr>x<td>",
            "<b id=1><p>y</b>",
            "<pre>\n\n",
            "<!-- c -->",
            "é",
            "<script>a<b</script>",
            "<select><option>1<option>2</select>",
            "<svg><desc><p>",
            "<template><td>",
            "<a href='x'>",
            "<textarea>\n<",
            "</div>",
            "<![CDATA[x]]>",
        ];
        let mut state = 7u32;
        for _ in 0..50 {
            let mut page = String::new();
            while page.len() < 3 * CHUNK_BYTES {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                page.push_str(parts[(state >> 16) as usize % parts.len()]);
                if state.is_multiple_of(7) {
                    page.push_str(
                        "</svg></template></textarea></select></table></pre></a></b></p>",
                    );
                }
            }
            let whole = Html::parse_document(&page);
            if depth(&whole).unwrap() <= MAX_DEPTH {
                assert_eq!(Page::read(&page).unwrap().html.html(), whole.html());
            }
        }
    }

    #[test]
    fn issue_14_06_pages_that_take_longer_than_they_are_long_are_refused() {
        let code = |page: &str| Page::read(page).err().map(|error| error.code());
        assert_eq!(code(&"<div><b>".repeat(50_000)), Some(Code::INPUT_BOMB));
        assert_eq!(code(&"<p>".repeat(MAX_NODES)), Some(Code::INPUT_BOMB));
        // Each <div> holds a copy of all the others' elements.
        let open: String = (0..500).map(|number| format!("<b id={number}>")).collect();
        assert_eq!(
            code(&format!("<div>{open}</div>{}", "<div>x</div>".repeat(100_000))),
            Some(Code::INPUT_BOMB)
        );
        // What they had is free again.
        let half = "<p>".repeat(MAX_NODES / 2);
        assert_eq!([code(&half), code(&half)], [None, None]);
    }

    #[test]
    fn issue_14_06_a_page_as_deep_as_it_may_be_can_be_searched() {
        let page = Page::read(&format!("{}x", "<div>".repeat(MAX_DEPTH - 5))).unwrap();
        for (selector, count) in [
            ("div:has(p)", 0),
            ("div:has(div)", MAX_DEPTH - 6),
            ("body div div div", MAX_DEPTH - 7),
        ] {
            assert_eq!(
                page.select(&Selector::parse(selector).unwrap()).count(),
                count,
                "{selector}"
            );
        }
    }
}
