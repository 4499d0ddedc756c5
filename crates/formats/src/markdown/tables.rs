//! Tables in Markdown.

use super::spans::InlineSpans;

/// The table at the start of the lines as HTML, and how many lines it takes.
pub(super) fn write(
    lines: &[&str],
    spans: &mut InlineSpans<'_>,
    header_ids: bool,
) -> Option<(String, usize)> {
    let (head, rule) = (lines.first()?, lines.get(1)?);
    if !head.contains('|')
        || !rule.contains('|')
        || !rule.contains('-')
        || !rule.chars().all(|letter| matches!(letter, '|' | '-' | ':' | ' '))
    {
        return None;
    }
    let styles: Vec<&str> = cells(rule)
        .iter()
        .map(|cell| match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => " style=\"text-align:center;\"",
            (true, false) => " style=\"text-align:left;\"",
            (false, true) => " style=\"text-align:right;\"",
            (false, false) => "",
        })
        .collect();
    let mut out = String::from("<table>\n<thead>\n<tr>\n");
    for (at, cell) in cells(head).iter().enumerate() {
        let id = if header_ids {
            format!(" id=\"{}\"", cell.replace(' ', "_").to_lowercase())
        } else {
            String::new()
        };
        out += &format!("<th{id}{}>{}</th>\n", styles.get(at).unwrap_or(&""), spans.write(cell));
    }
    out += "</tr>\n</thead>\n<tbody>\n";
    let end =
        lines.iter().skip(2).position(|line| !line.contains('|')).map_or(lines.len(), |at| at + 2);
    for line in &lines[2..end] {
        out += "<tr>\n";
        for (at, cell) in cells(line).iter().enumerate().take(styles.len()) {
            out += &format!("<td{}>{}</td>\n", styles.get(at).unwrap_or(&""), spans.write(cell));
        }
        out += "</tr>\n";
    }
    out += "</tbody>\n</table>";
    Some((out, end))
}

/// The cells of a row; a pipe after a backslash is part of its cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(line);
    line.replace("\\|", "\u{1}").split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::HtmlOptions;
    use super::super::blocks::to_html;
    use model::json;

    #[test]
    fn tables_are_read_when_asked_for() {
        let text = "| A | B |\n|:--|--:|\n| 1 | **2** |\nend";
        let expected = "<table>\n<thead>\n<tr>\n<th style=\"text-align:left;\">A</th>\n<th style=\"text-align:right;\">B</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td style=\"text-align:left;\">1</td>\n<td style=\"text-align:right;\"><strong>2</strong></td>\n</tr>\n</tbody>\n</table>\n<p>end</p>";
        assert_eq!(to_html(text, &HtmlOptions::read(&json!({ "tables": true }))), expected);
        assert!(to_html(text, &HtmlOptions::read(&json!({}))).starts_with("<p>| A | B |"));
    }
}
