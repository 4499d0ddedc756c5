//! Arithmetic in words: what is to be calculated is read out of a request by rules, and where they
//! do not suffice, chosen by the model.

use crate::decode::choose;
use crate::llama::Llama;
use regex::Regex;
use std::sync::LazyLock;

/// Numbers of a request that a calculation is guessed from; with more there are too many ways to
/// put them together.
const MAX_GUESSED: usize = 3;

/// Ways of saying a calculation, and how it is written. They are tried from the top, each wherever
/// it fits.
const PHRASES: &[(&str, &str)] = &[
    (r"(?i)\b(?:subtract|take)\s+([\d.]+)\s+(?:away\s+)?from\s+([\d.]+)", "$2 - $1"),
    (r"(?i)\b(?:divide)\s+([\d.]+)\s+by\s+([\d.]+)", "$1 / $2"),
    (r"(?i)\b(?:multiply)\s+([\d.]+)\s+(?:by|with|and)\s+([\d.]+)", "$1 * $2"),
    (r"(?i)\b(?:add)\s+([\d.]+)\s+(?:to|and|with)\s+([\d.]+)", "$1 + $2"),
    (
        r"(?i)\b(?:sum|total)\s+of\s+([\d.]+)\s*(?:,\s*)?(?:and\s+)?([\d.]+)\s*(?:,\s*)?(?:and\s+)?([\d.]+)\b",
        "$1 + $2 + $3",
    ),
    (r"(?i)\b(?:sum|total)\s+of\s+([\d.]+)\s+and\s+([\d.]+)", "$1 + $2"),
    (r"(?i)\bproduct\s+of\s+([\d.]+)\s+and\s+([\d.]+)", "$1 * $2"),
    (r"(?i)\bdifference\s+(?:between|of)\s+([\d.]+)\s+and\s+([\d.]+)", "$1 - $2"),
    (r"(?i)\bsquare\s+root\s+of\s+([\d.]+)", "$1 ^ 0.5"),
    (r"(?i)\b([\d.]+)\s+squared\b", "$1 ^ 2"),
    (r"(?i)\b([\d.]+)\s+cubed\b", "$1 ^ 3"),
    (r"(?i)\b(?:half)\s+(?:of\s+)?([\d.]+)", "$1 / 2"),
    (r"(?i)\b(?:twice|double)\s+([\d.]+)", "2 * $1"),
    (r"(?i)([\d.]+)\s*(?:%|percent|per\s+cent)\s+(?:of|from)\s+([\d.]+)", "$2 * $1 / 100"),
    (r"(?i)([\d.]+)\s+(?:to\s+the\s+power\s+of|raised\s+to)\s+([\d.]+)", "$1 ^ $2"),
    (r"(?i)([\d.)])\s*(?:plus|added\s+to)\s*([\d.(])", "$1 + $2"),
    (r"(?i)([\d.)])\s*(?:minus|less)\s*([\d.(])", "$1 - $2"),
    (r"(?i)([\d.)])\s*(?:times|multiplied\s+(?:by|with)|[x×·])\s*([\d.(])", "$1 * $2"),
    (r"(?i)([\d.)])\s*(?:divided\s+by|over|[÷:])\s*([\d.(])", "$1 / $2"),
    (r"([\d.)])\s*\*\*\s*([\d.(])", "$1 ^ $2"),
];

static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    PHRASES
        .iter()
        .filter_map(|(phrase, written)| Some((Regex::new(phrase).ok()?, *written)))
        .collect()
});

/// A stretch of digits, operators and parentheses.
static STRETCH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[-(]?[\d.(][-+*/^().\d\s]*").ok());
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d+(?:\.\d+)?").ok());

/// The calculation that a request asks for; `None` if it has no numbers.
pub(super) fn expression(request: &str, llama: &Llama) -> Option<String> {
    by_rules(request).or_else(|| guessed(request, llama))
}

/// What the rules read, if it takes in every number of the request.
fn by_rules(request: &str) -> Option<String> {
    let mut text = without_separators(request);
    for (phrase, written) in RULES.iter() {
        // A phrase may end with the number that the next one begins with.
        for _ in 0..8 {
            let replaced = phrase.replace_all(&text, *written).into_owned();
            if replaced == text {
                break;
            }
            text = replaced;
        }
    }
    let stretches = STRETCH
        .as_ref()?
        .find_iter(&text)
        .map(|found| found.as_str().trim().trim_end_matches(['.', ',']).trim());
    let longest =
        stretches.filter(|stretch| is_calculation(stretch)).max_by_key(|stretch| stretch.len())?;
    let is_whole = numbers(&text).len() == numbers(longest).len();
    is_whole.then(|| longest.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The calculation that the model chooses among all that the numbers of the request allow.
fn guessed(request: &str, llama: &Llama) -> Option<String> {
    let numbers = numbers(&without_separators(request));
    let ways = match numbers.as_slice() {
        [] => return None,
        [only] => return Some(only.clone()),
        several if several.len() > MAX_GUESSED => {
            ["+", "*"].map(|sign| several.join(&format!(" {sign} "))).to_vec()
        }
        [one, other] => pairs(one, other),
        several => combinations(several),
    };
    let prompt = format!(
        "{EXAMPLES}Question: {}\nCalculation:",
        request.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    choose(llama, &prompt, &ways).map(|place| ways[place].clone())
}

/// Examples of the form in which the model is asked.
const EXAMPLES: &str = "Question: I have 5 apples and eat 2. How many are left?\nCalculation: 5 - 2\n\n\
Question: Three friends share 60 sweets. What does each get, if it is 60 for 3?\nCalculation: 60 / 3\n\n\
Question: 4 tickets cost 15 each. What do I pay?\nCalculation: 4 * 15\n\n\
Question: Tom is 12, his sister is 7 years older. How old is she?\nCalculation: 12 + 7\n\n\
Question: A coat of 80 is reduced by 25 percent. How much do I save?\nCalculation: 80 * 25 / 100\n\n\
Question: I work 8 hours for 20 an hour. What do I earn?\nCalculation: 8 * 20\n\n";

fn pairs(one: &str, other: &str) -> Vec<String> {
    let signs = ["+", "-", "*", "/"]
        .iter()
        .flat_map(|sign| [format!("{one} {sign} {other}"), format!("{other} {sign} {one}")]);
    signs.chain([format!("{one} * {other} / 100"), format!("{other} * {one} / 100")]).collect()
}

/// Three numbers in the order in which they stand, with each pair of signs, from the left or with
/// the last two first.
fn combinations(numbers: &[String]) -> Vec<String> {
    let [a, b, c] = numbers else { return Vec::new() };
    let signs = ["+", "-", "*", "/"];
    let pairs = signs.iter().flat_map(|first| signs.iter().map(move |second| (first, second)));
    pairs
        .flat_map(|(first, second)| {
            [
                format!("{a} {first} {b} {second} {c}"),
                format!("({a} {first} {b}) {second} {c}"),
                format!("{a} {first} ({b} {second} {c})"),
            ]
        })
        .collect()
}

fn numbers(text: &str) -> Vec<String> {
    NUMBER
        .as_ref()
        .map(|number| number.find_iter(text).map(|found| found.as_str().to_owned()).collect())
        .unwrap_or_default()
}

/// `1,200` and `1 200` as `1200`.
fn without_separators(text: &str) -> String {
    static SEPARATED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(\d{1,3})[,\u{a0}\u{202f}](\d{3})\b").ok());
    let Some(separated) = SEPARATED.as_ref() else { return text.to_owned() };
    let once = separated.replace_all(text, "$1$2").into_owned();
    separated.replace_all(&once, "$1$2").into_owned()
}

/// Whether a stretch has two numbers with a sign between them, and closes what it opens.
fn is_calculation(stretch: &str) -> bool {
    let mut depth = 0_i32;
    let closes = stretch.chars().all(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth >= 0
    });
    let signs = stretch.trim_start_matches('-').matches(['+', '-', '*', '/', '^']).count();
    closes
        && depth == 0
        && signs > 0
        && numbers(stretch).len() >= 2
        && stretch.ends_with(|last: char| last.is_ascii_digit() || last == ')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calculations_in_words_are_written_down() {
        for (request, wanted) in [
            ("2+2", "2+2"),
            ("What is 2 + 2?", "2 + 2"),
            ("What is 17 multiplied by 23?", "17 * 23"),
            ("how much is 250 minus 75", "250 - 75"),
            ("Work out 19% of 1,200", "1200 * 19 / 100"),
            ("(4+5)*3", "(4+5)*3"),
            ("What is 3 plus 4 plus 5?", "3 + 4 + 5"),
            ("subtract 5 from 20", "20 - 5"),
            ("What is the sum of 3, 4 and 5?", "3 + 4 + 5"),
            ("square root of 144?", "144 ^ 0.5"),
            ("half of 50", "50 / 2"),
            ("divide 100 by 8.", "100 / 8"),
            ("What is -3 + 10?", "-3 + 10"),
            ("what's 7x8", "7 * 8"),
            ("12 divided by 4 times 3", "12 / 4 * 3"),
            ("2 to the power of 10", "2 ^ 10"),
        ] {
            assert_eq!(by_rules(request).as_deref(), Some(wanted), "{request}");
        }
    }

    #[test]
    fn what_the_rules_do_not_read_whole_is_left_to_the_model() {
        for request in [
            "I bought 3 shirts at 20 euros each",
            "no numbers here",
            "2+2 and then 7 more",
            "(2+3",
            "call 555-1234-",
            "version 1.2",
        ] {
            assert_eq!(by_rules(request), None, "{request}");
        }
    }

    #[test]
    fn every_rule_is_a_regular_expression() {
        assert_eq!(RULES.len(), PHRASES.len());
        assert!(STRETCH.is_some() && NUMBER.is_some());
    }
}
