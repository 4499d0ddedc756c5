// `JSON.parse`, whose errors say what V8 says in Node.js 22: those are the words that people know, and search for.

const { defineProperty } = heddle.original;
const { parse } = JSON;

const SPACE = /[ \t\n\r]*/y;
const LINE_END = /\r\n|\r|\n/g;
const DIGITS = /[0-9]*/y;
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
/** What no text was given for becomes one of these. */
const NO_TEXTS = ['undefined', 'NaN', 'Infinity', '[object Object]'];
/** So much of the text is shown on each side. */
const SHOWN = 10;

/** What is wrong with a text; `undefined` if nothing is. */
function complaint(text) {
  let at = 0;
  const skip = (pattern) => {
    pattern.lastIndex = at;
    pattern.exec(text);
    at = pattern.lastIndex;
  };
  const isDigit = () => text[at] >= '0' && text[at] <= '9';

  const refuse = (problem) => {
    const before = text.slice(0, at);
    let line = 1;
    let start = 0;
    for (LINE_END.lastIndex = 0; LINE_END.test(before); line++) start = LINE_END.lastIndex;
    return `${problem} JSON at position ${at} (line ${line} column ${at - start + 1})`;
  };
  const unexpected = () => {
    if (NO_TEXTS.includes(text)) return `"${text}" is not valid JSON`;
    if (at >= text.length) return 'Unexpected end of JSON input';
    if (text[at] === '"') return refuse('Unexpected string in');
    if (text[at] === '-' || isDigit()) return refuse('Unexpected number in');
    const from = at < SHOWN || text.length <= 2 * SHOWN ? 0 : at - SHOWN;
    const to = at >= text.length - SHOWN || text.length <= 2 * SHOWN ? text.length : at + SHOWN;
    return `Unexpected token '${text[at]}', ${from > 0 ? '...' : ''}"${text.slice(from, to)}"${to < text.length ? '...' : ''} is not valid JSON`;
  };

  /** Each of these goes behind what it reads, or tells what is wrong with it. */
  const string = () => {
    for (at++; ; ) {
      skip(PLAIN_TEXT);
      if (at >= text.length) return refuse('Unterminated string in');
      if (text[at] === '"') break;
      if (text[at] !== '\\') return refuse('Bad control character in string literal in');
      at++;
      if (at >= text.length) return unexpected();
      if (!'"\\/bfnrtu'.includes(text[at])) return refuse('Bad escaped character in');
      if (text[at++] !== 'u') continue;
      for (const end = at + 4; at < end; at++) {
        if (!/[0-9a-fA-F]/.test(text[at] ?? '')) return refuse('Bad Unicode escape in');
      }
    }
    at++;
  };
  const number = () => {
    if (text[at] === '-') {
      at++;
      if (!isDigit()) return refuse('No number after minus sign in');
    }
    if (text[at] === '0') {
      at++;
      if (isDigit()) return unexpected();
    }
    skip(DIGITS);
    if (text[at] === '.') {
      at++;
      if (!isDigit()) return refuse('Unterminated fractional number in');
      skip(DIGITS);
    }
    if (text[at] === 'e' || text[at] === 'E') {
      at++;
      if (text[at] === '+' || text[at] === '-') at++;
      if (!isDigit()) return refuse('Exponent part is missing a number in');
      skip(DIGITS);
    }
  };
  const word = () => {
    const whole = { t: 'true', f: 'false', n: 'null' }[text[at]];
    for (const letter of whole) {
      if (text[at] !== letter) return unexpected();
      at++;
    }
  };
  const name = (problem) => {
    skip(SPACE);
    if (text[at] !== '"') return refuse(problem);
    const failed = string();
    if (failed) return failed;
    skip(SPACE);
    if (text[at] !== ':') return refuse("Expected ':' after property name in");
    at++;
  };

  const open = [];
  for (;;) {
    skip(SPACE);
    const first = text[at];
    let failed;
    if (first === '{' || first === '[') {
      at++;
      skip(SPACE);
      if (text[at] === (first === '{' ? '}' : ']')) at++;
      else {
        failed = first === '{' ? name("Expected property name or '}' in") : undefined;
        if (failed) return failed;
        open.push(first);
        continue;
      }
    } else if (first === '"') failed = string();
    else if (first === '-' || isDigit()) failed = number();
    else if (first === 't' || first === 'f' || first === 'n') failed = word();
    else failed = unexpected();
    if (failed) return failed;

    // Behind a value: what is open goes on or ends.
    for (;;) {
      skip(SPACE);
      if (open.length === 0) return at < text.length ? refuse('Unexpected non-whitespace character after') : undefined;
      const inObject = open[open.length - 1] === '{';
      if (text[at] === ',') {
        at++;
        failed = inObject ? name('Expected double-quoted property name in') : undefined;
        if (failed) return failed;
        break;
      }
      if (text[at] !== (inObject ? '}' : ']')) {
        return refuse(inObject ? "Expected ',' or '}' after property value in" : "Expected ',' or ']' after array element in");
      }
      at++;
      open.pop();
    }
  }
}

defineProperty(JSON, 'parse', {
  writable: true,
  configurable: true,
  enumerable: false,
  value: {
    parse(text, reviver) {
      const source = `${text}`;
      try {
        return parse(source, reviver);
      } catch (error) {
        const message = error instanceof SyntaxError ? complaint(source) : undefined;
        if (message !== undefined) error.message = message;
        throw error;
      }
    },
  }.parse,
});
